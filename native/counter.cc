// Counting a batch on several threads. The documents are taken class by class, so that a thread
// needs one count per feature, that of the class at hand, and writes out what it touched when the
// class ends: the work follows the counts above zero, for two classes as for ten thousand.
#include <atomic>
#include <numeric>

#include "count_table.h"
#include "extractor.h"
#include "threads.h"

namespace nabi {
namespace {

// The counts of one space for the class at hand, and what earlier classes left.
struct Tally {
  std::vector<u64> now;
  std::vector<u32> touched;
  std::vector<u32> stamp;  // the document that last counted here, for binary counts
  struct Run {
    u32 cls;
    size_t end;  // in ids and counts
  };
  std::vector<Run> runs;
  std::vector<u32> ids;
  std::vector<u64> counts;

  void widen(u32 id, bool binary) {
    now.resize(std::max<size_t>(size_t{id} + 1, now.size() * 2));
    if (binary) stamp.resize(now.size(), kNone);
  }
  void close(u32 cls) {
    for (const u32 id : touched) {
      ids.push_back(id);
      counts.push_back(now[id]);
      now[id] = 0;
    }
    touched.clear();
    runs.push_back({cls, ids.size()});
  }
};

template <bool kBinary>
class CountSink {
 public:
  static constexpr bool kTraces = false;
  std::array<Tally, kSpaces> tallies;
  u64 units = kUnit;
  u64 total = 0;
  u32 document = 0;

  template <Space kSpace>
  void add(u32 id) {
    Tally& tally = tallies[kSpace];
    if (id >= tally.now.size()) [[unlikely]]
      tally.widen(id, kBinary);
    if constexpr (kBinary) {
      if (tally.stamp[id] == document) return;
      tally.stamp[id] = document;
    }
    const u64 before = tally.now[id];
    if (!before) tally.touched.push_back(id);
    tally.now[id] = before + units;
    total += units;
  }
};

struct Job {
  const Texts& texts;
  std::span<const u32> classes;
  std::span<const u64> units;
  std::vector<u32> order;  // documents, class by class
  Pieces pieces;
  std::vector<u64>& fingerprints;
  std::atomic<size_t> next{0};
};

struct Partial {
  explicit Partial(const Recipe& recipe) : vocabulary(recipe) {}
  Vocabulary vocabulary;
  std::array<Tally, kSpaces> tallies;
  std::vector<u64> tokens;  // by class
  u64 missing = 0, repaired = 0;
};

template <bool kBinary>
void count_pieces(Job& job, Partial& partial) {
  CountSink<kBinary> sink;
  Extractor<true, CountSink<kBinary>> extractor(partial.vocabulary, sink);
  TextReader reader;
  u32 cls = kNone;
  const auto close = [&] {
    if (cls == kNone) return;
    for (Tally& tally : sink.tallies) tally.close(cls);
    partial.tokens[cls] += sink.total;
    sink.total = 0;
  };
  for (size_t piece; (piece = job.next++) < job.pieces.ends.size();) {
    for (size_t i = piece ? job.pieces.ends[piece - 1] : 0; i < job.pieces.ends[piece]; ++i) {
      const u32 doc = job.order[i];
      if (job.classes[doc] != cls) {
        close();
        cls = job.classes[doc];
      }
      const Utf8 text = reader.read(job.texts[doc]);
      job.fingerprints[doc] = hash64(text.data, text.size, kDocumentSeed);
      sink.units = job.units.empty() ? kUnit : job.units[doc];
      sink.document = doc;
      if (sink.units) extractor.run(text);
    }
  }
  close();
  partial.tallies = std::move(sink.tallies);
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

}  // namespace

std::array<std::vector<u32>, kSpaces> merge_vocabulary(const Vocabulary& from, Vocabulary& to);

namespace {

// The rows of one space: class by class, the runs of all threads.
void build_rows(Space space, std::vector<Partial>& partials,
                const std::vector<std::array<std::vector<u32>, kSpaces>>& maps, CountTable& table) {
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

Counted count(const Texts& texts, std::span<const u32> classes, u32 n_classes,
              std::span<const u64> units, const Recipe& recipe, unsigned threads) {
  Counted out{CountTable(recipe), std::vector<u64>(texts.size()), 0, 0};
  CountTable& table = out.table;
  table.docs.assign(n_classes, 0);
  table.tokens.assign(n_classes, 0);
  for (size_t i = 0; i < texts.size(); ++i)
    table.docs[classes[i]] += units.empty() ? kUnit : units[i];

  Job job{texts, classes, units, by_class(classes, n_classes), {}, out.fingerprints};
  job.pieces = cut(texts.size(), [&](size_t i) -> const Text& { return texts[job.order[i]]; });
  threads = unsigned(std::max<size_t>(1, std::min<size_t>(threads, job.pieces.ends.size())));
  std::vector<Partial> partials(threads, Partial(recipe));
  for (Partial& partial : partials) partial.tokens.assign(n_classes, 0);
  on_threads(threads, [&](unsigned t) {
    recipe.binary ? count_pieces<true>(job, partials[t]) : count_pieces<false>(job, partials[t]);
  });

  table.vocabulary = std::move(partials[0].vocabulary);
  std::vector<std::array<std::vector<u32>, kSpaces>> maps(threads);
  for (unsigned t = 1; t < threads; ++t)
    maps[t] = merge_vocabulary(partials[t].vocabulary, table.vocabulary);
  for (int s = 0; s < kSpaces; ++s) build_rows(Space(s), partials, maps, table);
  for (const Partial& partial : partials) {
    for (u32 c = 0; c < n_classes; ++c) table.tokens[c] += partial.tokens[c];
    out.missing += partial.missing;
    out.repaired += partial.repaired;
  }
  return out;
}

}  // namespace nabi
