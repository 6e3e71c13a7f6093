// Counting on several threads. Documents are taken class by class, so that a thread needs one
// counter per feature, that of the current class, and writes out the touched ones when the class
// ends. The work is proportional to the counts above zero, for two classes as for ten thousand.
#include "count/workers.h"

#include <numeric>
#include <stdexcept>

#include "platform/threads.h"
#include "vocabulary/extractor.h"

namespace nabi {
namespace {

template <bool kBinary>
class CountSink {
 public:
  static constexpr bool kTraces = false, kStreams = false;
  CountSink(Partial&, Sharing*, PairCounter*) {}
  std::array<Tally, kSpaces> tallies;
  u64 units = kUnit;
  u64 total = 0;
  u32 document = 0;

  template <Space kSpace>
  NABI_HOT void add(u32 id) {
    Tally& tally = tallies[kSpace];
    if constexpr (kBinary)
      if (!tally.first(id, document)) return;
    tally.counters.add(id, units);
    total += units;
  }
  template <Space kSpace>
  NABI_HOT void add_all(const u32* ids, size_t n) {
    if constexpr (kBinary)
      for (size_t i = 0; i < n; ++i) ids[i] == kNone ? void() : add<kSpace>(ids[i]);
    else
      total += units * tallies[kSpace].counters.add_all(ids, n, units);
  }
  template <Space kSpace>
  NABI_HOT void prefetch(u32 id) {
    nabi::prefetch(tallies[kSpace].counters.now.data(), id);
  }
  void begin_piece(unsigned, BagPiece*) {}
  void begin_class(u32) {}
  void end_document() {}
  void end_run() {}
};

// Counts words at once, and their pairs later.
template <bool kBinary>
class PairSink : public CountSink<kBinary> {
 public:
  static constexpr bool kStreams = true;
  PairSink(Partial& partial, Sharing* sharing, PairCounter* counter)
      : CountSink<kBinary>(partial, sharing, counter),
        own_(partial.vocabulary.words),
        map_(partial.map[kWords]),
        sharing_(sharing),
        buffer_(*counter) {}

  // The words of a piece wait for its end: to number new ones at once would be to wait for the
  // other threads again and again.
  void stream(const u32* ids, size_t n) { words_.insert(words_.end(), ids, ids + n); }
  void end_document() { words_.push_back(kNone); }
  void begin_class(u32 cls) { buffer_.begin(cls); }
  // Before another class begins, and at the end of a piece.
  void end_run() {
    if (words_.empty()) return;
    if (sharing_) sharing_->words.number(own_, map_);
    u32 before = kNone;
    for (const u32 word : words_) {
      if (word == kNone) {
        before = kNone;
        end_pairs();
        continue;
      }
      const u32 id = sharing_ ? map_[word] : word;
      if (before != kNone) add_pair(GramTable::key(before, id));
      before = id;
    }
    words_.clear();
  }

 private:
  void end_pairs() {
    if constexpr (kBinary) {
      std::sort(document_.begin(), document_.end());
      document_.erase(std::unique(document_.begin(), document_.end()), document_.end());
      for (const u64 key : document_) count_pair(key);
      document_.clear();
    }
    buffer_.end_document();
  }
  NABI_HOT void add_pair(u64 key) {
    if constexpr (kBinary)
      document_.push_back(key);
    else
      count_pair(key);
  }
  NABI_HOT void count_pair(u64 key) {
    buffer_.push(key);
    this->total += kUnit;
  }

  const WordTable& own_;
  std::vector<u32>& map_;
  Sharing* const sharing_;
  PairCounter::Buffer buffer_;
  std::vector<u32> words_;     // of the documents of a piece, kNone after each
  std::vector<u64> document_;  // its pairs, for binary counts
};

// Counts a document when it ends, and keeps its bag.
template <bool kBinary>
class KeepingSink : public BagSink {
 public:
  KeepingSink(Partial&, Sharing*, PairCounter*) : BagSink(kBinary) {}
  std::array<Tally, kSpaces> tallies;
  u64 units = kUnit;
  u64 total = 0;
  u32 document = 0;

  template <Space kSpace>
  void prefetch(u32 id) {
    BagSink::prefetch<kSpace>(id);
    nabi::prefetch(tallies[kSpace].counters.now.data(), id);
  }
  void begin_piece(unsigned thread, BagPiece* piece) {
    piece->thread = thread;
    if (piece_) piece->reserve(*piece_);
    piece_ = piece;
  }
  void begin_class(u32) {}
  void end_run() {}
  void end_document() {
    piece_->close(*this, [&](Space space, u32 id, u32 n) {
      tallies[space].counters.add(id, units * n);
      total += units * n;
    });
  }

 private:
  BagPiece* piece_ = nullptr;
};

template <class Sink>
class WorkerWith : public Worker {
 public:
  WorkerWith(unsigned thread, const Recipe& recipe, Sharing* sharing, PairCounter* pairs)
      : thread_(thread),
        sharing_(sharing),
        partial_(recipe),
        sink_(partial_, sharing, pairs),
        extractor_(partial_.vocabulary, sink_) {}

  void count(Task& task) override {
    extractor_.stem(task.texts.stems.get());
    if (partial_.tokens.size() < task.n_classes) partial_.tokens.resize(task.n_classes);
    for (size_t piece; (piece = task.next++) < task.pieces.ends.size();) count_piece(task, piece);
    extractor_.stem(nullptr);
  }

  void finish() override {
    close();
    for (u32 cls = 0; cls < kOpen; ++cls)
      for (size_t s = 0; s < kSpaces; ++s) sink_.tallies[s].runs.append(cls, open_[cls][s]);
    partial_.tallies = std::move(sink_.tallies);
    for (Tally& tally : partial_.tallies) tally.runs.join(tally.counters);
    partial_.missing = reader_.missing;
    partial_.repaired = reader_.repaired;
  }
  Partial& partial() override { return partial_; }

 private:
  void count_piece(Task& task, size_t piece) {
    const bool wanted = !task.has_fingerprints;
    const bool strong = task.kind == Fingerprint::kStrong;  // computed side by side
    sink_.begin_piece(thread_, task.bags.empty() ? nullptr : &task.bags[piece]);
    const size_t begin = piece ? task.pieces.ends[piece - 1] : 0, end = task.pieces.ends[piece];
    if (wanted && strong)
      Fingerprints(task.kind).of_texts(
          task.texts, std::span(task.order).subspan(begin, end - begin), task.fingerprints.data());
    for (size_t i = begin; i < end; ++i) {
      const u32 doc = task.order[i];
      if (i + 1 < end) task.texts[task.order[i + 1]].prefetch();
      if (task.classes[doc] != cls_) open(task.classes[doc]);
      const Utf8 text = reader_.read(task.texts[doc]);
      if (wanted && !strong)
        task.fingerprints[doc] = fingerprint64(task.kind, text.data, text.size);
      sink_.units = task.units.empty() ? kUnit : task.units[doc];
      number_document();
      if (sink_.units) extractor_.run(text);
      sink_.end_document();
    }
    sink_.end_run();
    if (sharing_) sharing_->number(partial_.vocabulary, partial_.map);
  }
  void number_document() {
    if (++sink_.document != kNone) return;
    for (Tally& tally : sink_.tallies) tally.stamp.clear();
    sink_.document = 0;
  }
  void open(u32 cls) {
    close();
    cls_ = cls;
    swap_counters();
    sink_.begin_class(cls);
  }
  void close() {
    if (cls_ == kNone) return;
    sink_.end_run();
    swap_counters();
    if (cls_ >= kOpen)
      for (Tally& tally : sink_.tallies) tally.close(cls_);
    partial_.tokens[cls_] += sink_.total;
    sink_.total = 0;
    cls_ = kNone;
  }
  // Takes the counters of one of the first classes up where they were left, or puts them away.
  void swap_counters() {
    if (cls_ >= kOpen) return;
    for (size_t s = 0; s < kSpaces; ++s) std::swap(sink_.tallies[s].counters, open_[cls_][s]);
  }

  static constexpr u32 kOpen = limit(4, 1);  // classes whose counters are kept from batch to batch

  const unsigned thread_;
  Sharing* const sharing_;
  Partial partial_;
  Sink sink_;
  Extractor<true, Sink> extractor_;
  TextReader reader_;
  u32 cls_ = kNone;  // the class that is being counted
  std::array<std::array<Counters, kSpaces>, kOpen> open_;
};

template <template <bool> class Sink>
std::unique_ptr<Worker> made(unsigned t, const Recipe& recipe, Sharing* sharing,
                             PairCounter* pairs) {
  if (recipe.binary) return std::make_unique<WorkerWith<Sink<true>>>(t, recipe, sharing, pairs);
  return std::make_unique<WorkerWith<Sink<false>>>(t, recipe, sharing, pairs);
}

std::vector<u32> by_class(std::span<const u32> classes, u32 n_classes) {
  std::vector<size_t> at(size_t{n_classes} + 1);
  for (const u32 c : classes) ++at[size_t{c} + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<u32> order(classes.size());
  for (u32 doc = 0; doc < classes.size(); ++doc) order[at[classes[doc]]++] = doc;
  return order;
}

// The rows of the features from `begin` to `end`: class by class, the runs of all threads.
Rows rows_between(Space space, u32 begin, u32 end, u32 n_classes,
                  const std::vector<Partial*>& partials) {
  const auto cells = [&](auto take) {
    std::vector<size_t> run(partials.size());
    for (u32 cls = 0; cls < n_classes; ++cls) {
      for (size_t t = 0; t < partials.size(); ++t) {
        const Runs& own = partials[t]->tallies[size_t(space)].runs;
        if (run[t] == own.runs.size() || own.runs[run[t]].cls != cls) continue;
        const std::vector<u32>& map = partials[t]->map[size_t(space)];
        for (size_t i = run[t] ? own.runs[run[t] - 1].end : 0; i < own.runs[run[t]].end; ++i) {
          const u32 id = map.empty() ? own.ids[i] : map[own.ids[i]];
          if (id - begin < end - begin) take(id - begin, cls, own.counts[i]);
        }
        ++run[t];
      }
    }
  };
  Rows rows;
  rows.build(end - begin, cells);
  return rows;
}

constexpr u64 kLargeBatch =
    limit(size_t{1} << 20, 256);  // bytes of text from which pairs are worth sorting

}  // namespace

Workers::Pairs when_pairs(const Recipe& recipe, u64 bytes, bool weighted) {
  const bool later = recipe.word_hi == 2 && !recipe.buckets && !weighted && bytes >= kLargeBatch;
  return later ? Workers::Pairs::kLater : Workers::Pairs::kAtOnce;
}

Task::Task(const Texts& given, std::span<const u32> of_classes, u32 classes_given,
           std::span<const u64> weights, Fingerprint fingerprint)
    : texts(given),
      classes(of_classes),
      n_classes(classes_given),
      units(weights),
      kind(fingerprint),
      order(by_class(classes, n_classes)),
      pieces(cut(texts.size(), [&](size_t i) -> const Text& { return texts[order[i]]; })),
      fingerprints(texts.size() * words_of(kind)) {
  for (const Text& text : texts) bytes += text.bytes();
}

Workers::Workers(const Recipe& recipe, unsigned threads, Pairs pairs, bool merges, bool keeps_bags)
    : recipe_(recipe) {
  if (pairs == Pairs::kLater) pairs_ = std::make_unique<PairCounter>();
  const bool at_once = recipe.word_hi > 1 && !pairs_;  // word n-grams are made of a worker's ids
  if (threads > 1 && !at_once && !recipe.buckets && !keeps_bags && (pairs_ || !merges))
    sharing_ = std::make_unique<Sharing>();
  for (unsigned t = 0; t < threads; ++t) workers_.push_back(worker(t, keeps_bags));
}

std::unique_ptr<Worker> Workers::worker(unsigned t, bool keeps_bags) {
  if (keeps_bags) return made<KeepingSink>(t, recipe_, nullptr, nullptr);
  if (pairs_) return made<PairSink>(t, recipe_, sharing_.get(), pairs_.get());
  return made<CountSink>(t, recipe_, sharing_.get(), nullptr);
}

// No sum of counts may pass 2^64: every byte of a text could be a feature of each kind, and a
// letter of two bytes begins several n-grams in place of words, or a word has several pieces.
void Workers::admit(const Task& task) {
  const u64 pieces = task.texts.stems ? 4 : (recipe_.unspaced_hi - recipe_.unspaced_lo + 2) / 2;
  const u64 words = recipe_.word_hi - recipe_.word_lo + 2;
  const u64 chars = recipe_.char_hi - recipe_.char_lo;
  unsigned __int128 most = most_;
  for (size_t i = 0; i < task.texts.size(); ++i) {
    const Text& text = task.texts[i];
    const bool latin = text.kind == Text::kAscii || text.kind == Text::kLatin1;
    const u64 kinds = (words + (recipe_.only_hangul && latin ? 0 : chars)) * pieces;
    most += (unsigned __int128)(task.units.empty() ? kUnit : task.units[i]) * (text.bytes() + 2) *
            kinds;
  }
  if (most >> 64) throw std::overflow_error("weights and texts too large to be counted in one go");
  most_ = most;
  if (docs_.size() < task.n_classes) docs_.resize(task.n_classes);
  for (size_t i = 0; i < task.texts.size(); ++i)
    docs_[task.classes[i]] += task.units.empty() ? kUnit : task.units[i];
}

// Takes the vocabularies together, two by two. Where there are fewer pairs than threads, each pair
// has several.
void Workers::merge(std::vector<Partial*>& partials, Vocabulary& vocabulary) {
  const size_t n = partials.size();
  for (size_t step = 1; step < n; step *= 2) {
    const size_t pairs = (n + step - 1) / (2 * step);
    const unsigned each = unsigned(n / pairs);
    on_threads(unsigned(pairs), [&](unsigned i) {
      const size_t to = size_t{i} * 2 * step, from = to + step;
      if (from >= n) return;
      FeatureMap& map = partials[from]->map;
      map = merge_vocabulary(partials[from]->vocabulary, partials[to]->vocabulary, each);
      for (size_t t = from + 1; t < std::min(n, from + step); ++t) through(partials[t]->map, map);
      partials[from]->vocabulary = Vocabulary(recipe_);
    });
  }
  vocabulary = std::move(partials[0]->vocabulary);
}

Counted Workers::finish(Task* task, Bags* bags) {
  const unsigned threads = size();
  on_threads(threads, [&](unsigned t) { workers_[t]->finish(); });
  Counted out{CountTable(recipe_), {}, 0, 0};
  CountTable& table = out.table;
  table.docs = docs_;
  table.tokens.assign(docs_.size(), 0);
  std::vector<Partial*> partials;
  for (const auto& worker : workers_) partials.push_back(&worker->partial());
  if (sharing_) {
    table.vocabulary.words = sharing_->words.take();
    table.vocabulary.chars = sharing_->chars.take();
  } else {
    merge(partials, table.vocabulary);
  }
  if (pairs_) pairs_->finish(table.vocabulary.grams, table.rows[kGrams], threads);
  for (int s = 0; s < kSpaces; ++s) {
    const u32 n = table.vocabulary.size(Space(s));
    if (!n || (pairs_ && s == kGrams)) continue;
    std::vector<Rows> parts(threads);
    on_threads(threads, [&](unsigned t) {
      const u32 begin = u32(u64{n} * t / threads), end = u32(u64{n} * (t + 1) / threads);
      parts[t] = rows_between(Space(s), begin, end, u32(docs_.size()), partials);
    });
    table.rows[size_t(s)] = threads == 1 ? std::move(parts[0]) : Rows(std::move(parts), threads);
  }
  for (const Partial* partial : partials) {
    for (size_t c = 0; c < partial->tokens.size(); ++c) table.tokens[c] += partial->tokens[c];
    out.missing += partial->missing;
    out.repaired += partial->repaired;
  }
  if (bags) {
    std::vector<FeatureMap> maps;
    for (Partial* partial : partials) maps.push_back(std::move(partial->map));
    *bags = Bags(table.vocabulary, task->order, std::move(task->bags), maps, threads);
  }
  if (task) out.fingerprints = std::move(task->fingerprints);
  return out;
}

}  // namespace nabi
