// Counting on several threads. Documents are taken class by class, so that a thread needs one
// counter per feature, that of the current class, and writes out the touched ones when the class
// ends. The work is proportional to the counts above zero, for two classes as for ten thousand.
#include "count/counter.h"

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "count/bigrams.h"
#include "count/tally.h"
#include "platform/threads.h"
#include "vocabulary/extractor.h"
#include "vocabulary/feature_map.h"

namespace nabi {
namespace {

template <bool kBinary, bool kStreamsWords>
class CountSink {
 public:
  static constexpr bool kTraces = false, kStreams = kStreamsWords;
  std::array<Tally, kSpaces> tallies;
  WordStream words;
  u64 units = kUnit;
  u64 total = 0;
  u32 document = 0;

  template <Space kSpace>
  NABI_HOT void add(u32 id) {
    Tally& tally = tallies[kSpace];
    if constexpr (kBinary)
      if (!tally.first(id, document)) return;
    tally.add(id, units);
    total += units;
  }
  template <Space kSpace>
  void prefetch(u32 id) {
    // Frequent words come early and have small ids: their counts are in the cache already.
    if constexpr (kSpace != kWords) nabi::prefetch(tallies[kSpace].now.data(), id);
  }
  void stream(const u32* ids, size_t n) { words.ids.insert(words.ids.end(), ids, ids + n); }
  void begin_piece(BagPiece*) {}
  void end_document() {
    if constexpr (kStreams) words.end_document();
  }
};

// Counts a document when it ends, and keeps its bag.
class KeepingSink : public BagSink {
 public:
  using BagSink::BagSink;
  std::array<Tally, kSpaces> tallies;
  WordStream words;
  u64 units = kUnit;
  u64 total = 0;
  u32 document = 0;

  template <Space kSpace>
  void prefetch(u32 id) {
    BagSink::prefetch<kSpace>(id);
    nabi::prefetch(tallies[kSpace].now.data(), id);
  }
  void begin_piece(BagPiece* piece) {
    if (piece_) piece->reserve(*piece_);
    piece_ = piece;
  }
  void end_document() {
    piece_->close(*this, [&](Space space, u32 id, u32 n) {
      tallies[space].add(id, units * n);
      total += units * n;
    });
  }

 private:
  BagPiece* piece_ = nullptr;
};

struct Job {
  const Texts& texts;
  std::span<const u32> classes;
  std::span<const u64> units;
  std::vector<u32> order;  // documents, class by class
  Pieces pieces;
  Fingerprint kind;
  std::vector<u64>& fingerprints;
  std::vector<BagPiece> bags;  // of each piece, where they are kept
  std::atomic<size_t> next{0};
};

struct Partial {
  explicit Partial(const Recipe& recipe) : vocabulary(recipe) {}
  Vocabulary vocabulary;
  unsigned thread = 0;
  std::array<Tally, kSpaces> tallies;
  WordStream words;
  std::vector<u64> tokens;  // by class
  u64 missing = 0, repaired = 0;
};

template <class Sink, class... Given>
void count_pieces(Job& job, Partial& partial, Given... given) {
  Sink sink(given...);
  Extractor<true, Sink> extractor(partial.vocabulary, sink, job.texts.stems.get());
  TextReader reader;
  Fingerprints fingerprints(job.kind);
  const bool strong = job.kind == Fingerprint::kStrong;  // computed side by side
  u32 cls = kNone;
  const auto close = [&] {
    if (cls == kNone) return;
    for (Tally& tally : sink.tallies) tally.close(cls);
    sink.words.close(cls);
    partial.tokens[cls] += sink.total;
    sink.total = 0;
  };
  for (size_t piece; (piece = job.next++) < job.pieces.ends.size();) {
    if (!job.bags.empty()) job.bags[piece].thread = partial.thread;
    sink.begin_piece(job.bags.empty() ? nullptr : &job.bags[piece]);
    const size_t begin = piece ? job.pieces.ends[piece - 1] : 0, end = job.pieces.ends[piece];
    if (strong)
      fingerprints.of_texts(job.texts, std::span(job.order).subspan(begin, end - begin),
                            job.fingerprints.data());
    for (size_t i = begin; i < end; ++i) {
      const u32 doc = job.order[i];
      if (job.classes[doc] != cls) {
        close();
        cls = job.classes[doc];
      }
      const Utf8 text = reader.read(job.texts[doc]);
      if (!strong) job.fingerprints[doc] = fingerprint64(job.kind, text.data, text.size);
      sink.units = job.units.empty() ? kUnit : job.units[doc];
      sink.document = doc;
      if (sink.units) extractor.run(text);
      sink.end_document();
    }
  }
  close();
  partial.tallies = std::move(sink.tallies);
  partial.words = std::move(sink.words);
  partial.missing = reader.missing;
  partial.repaired = reader.repaired;
}

std::vector<u32> by_class(std::span<const u32> classes, u32 n_classes) {
  std::vector<size_t> at(size_t{n_classes} + 1);
  for (const u32 c : classes) ++at[size_t{c} + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<u32> order(classes.size());
  for (u32 doc = 0; doc < classes.size(); ++doc) order[at[classes[doc]]++] = doc;
  return order;
}

// The rows of one space: class by class, the runs of all threads.
void build_rows(Space space, std::vector<Partial>& partials, const std::vector<FeatureMap>& maps,
                CountTable& table) {
  const auto cells = [&](auto take) {
    std::vector<size_t> run(partials.size());
    for (u32 cls = 0; cls < table.docs.size(); ++cls) {
      for (size_t t = 0; t < partials.size(); ++t) {
        const Tally& tally = partials[t].tallies[space];
        if (run[t] == tally.runs.size() || tally.runs[run[t]].cls != cls) continue;
        const size_t begin = run[t] ? tally.runs[run[t] - 1].end : 0;
        const u32* const map = t ? maps[t][space].data() : nullptr;
        for (size_t i = begin; i < tally.runs[run[t]].end; ++i)
          take(map ? map[tally.ids[i]] : tally.ids[i], cls, tally.counts[i]);
        ++run[t];
      }
    }
  };
  table.rows[space].build(table.vocabulary.size(space), cells);
}

}  // namespace

namespace {

constexpr u64 kLargeBatch = u64{1} << 20;  // bytes of text from which bigrams are worth sorting

void run(Job& job, const Recipe& recipe, bool streams, Partial& partial) {
  if (!job.bags.empty())
    count_pieces<KeepingSink>(job, partial, recipe.binary);
  else if (streams)
    recipe.binary ? count_pieces<CountSink<true, true>>(job, partial)
                  : count_pieces<CountSink<false, true>>(job, partial);
  else
    recipe.binary ? count_pieces<CountSink<true, false>>(job, partial)
                  : count_pieces<CountSink<false, false>>(job, partial);
}

// No sum of counts may pass 2^64: every byte of a text could be a feature of each kind, and a
// letter of two bytes begins several n-grams in place of words, or a word has several pieces.
void check_room(const Texts& texts, std::span<const u64> units, const Recipe& recipe) {
  const u64 pieces = texts.stems ? 4 : (recipe.unspaced_hi - recipe.unspaced_lo + 2) / 2;
  const u64 words = recipe.word_hi - recipe.word_lo + 2, chars = recipe.char_hi - recipe.char_lo;
  unsigned __int128 most = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool latin = texts[i].kind == Text::kAscii || texts[i].kind == Text::kLatin1;
    const u64 kinds = (words + (recipe.only_hangul && latin ? 0 : chars)) * pieces;
    most += (unsigned __int128)(units.empty() ? kUnit : units[i]) * (texts[i].bytes() + 2) * kinds;
  }
  if (most >> 64) throw std::overflow_error("weights and texts too large to be counted in one go");
}

// Counts the texts, and fills `bags` unless it is null.
Counted counted(const Texts& texts, std::span<const u32> classes, u32 n_classes,
                std::span<const u64> units, const Recipe& recipe, unsigned threads, Bags* bags,
                Fingerprint kind) {
  check_room(texts, units, recipe);
  Counted out{CountTable(recipe), std::vector<u64>(texts.size() * words_of(kind)), 0, 0};
  CountTable& table = out.table;
  table.docs.assign(n_classes, 0);
  table.tokens.assign(n_classes, 0);
  u64 bytes = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    table.docs[classes[i]] += units.empty() ? kUnit : units[i];
    bytes += texts[i].bytes();
  }
  const bool streams =
      !bags && recipe.word_hi == 2 && !recipe.buckets && units.empty() && bytes >= kLargeBatch;

  Job job{texts, classes, units, by_class(classes, n_classes), {}, kind, out.fingerprints, {}};
  job.pieces = cut(texts.size(), [&](size_t i) -> const Text& { return texts[job.order[i]]; });
  if (bags) job.bags.resize(job.pieces.ends.size());
  threads = unsigned(std::max<size_t>(1, std::min<size_t>(threads, job.pieces.ends.size())));
  std::vector<Partial> partials(threads, Partial(recipe));
  for (unsigned t = 0; t < threads; ++t) {
    partials[t].tokens.assign(n_classes, 0);
    partials[t].thread = t;
  }
  on_threads(threads, [&](unsigned t) { run(job, recipe, streams, partials[t]); });

  table.vocabulary = std::move(partials[0].vocabulary);
  std::vector<FeatureMap> maps(threads);
  for (unsigned t = 1; t < threads; ++t)
    maps[t] = merge_vocabulary(partials[t].vocabulary, table.vocabulary);
  for (int s = 0; s < kSpaces; ++s) build_rows(Space(s), partials, maps, table);
  for (const Partial& partial : partials) {
    for (u32 c = 0; c < n_classes; ++c) table.tokens[c] += partial.tokens[c];
    out.missing += partial.missing;
    out.repaired += partial.repaired;
  }
  if (bags) *bags = Bags(table.vocabulary, job.order, std::move(job.bags), maps, threads);
  if (streams) {
    std::vector<WordStream> words;
    std::vector<std::vector<u32>> word_maps;
    for (unsigned t = 0; t < threads; ++t) {
      words.push_back(std::move(partials[t].words));
      word_maps.push_back(std::move(maps[t][kWords]));
    }
    partials.clear();
    count_bigrams(words, word_maps, recipe.binary, table.vocabulary, table.rows[kGrams],
                  table.tokens);
  }
  return out;
}

}  // namespace

Counted count(const Texts& texts, std::span<const u32> classes, u32 n_classes,
              std::span<const u64> units, const Recipe& recipe, unsigned threads,
              Fingerprint kind) {
  return counted(texts, classes, n_classes, units, recipe, threads, nullptr, kind);
}

Counted count_and_keep(const Texts& texts, std::span<const u32> classes, u32 n_classes,
                       std::span<const u64> units, const Recipe& recipe, unsigned threads,
                       Bags& bags, Fingerprint kind) {
  if (std::find(units.begin(), units.end(), 0) == units.end())
    return counted(texts, classes, n_classes, units, recipe, threads, &bags, kind);
  // A document without units adds no features, but has those that others add.
  Counted out = count(texts, classes, n_classes, units, recipe, threads, kind);
  bags = read_bags(texts, out.table.vocabulary, threads);
  return out;
}

}  // namespace nabi
