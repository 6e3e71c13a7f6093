// Names get their ids in the order of the file, so that its cells become rows as they lie.
#include "count/from_arrays.h"

#include <algorithm>
#include <stdexcept>

#include "platform/threads.h"
#include "unicode/utf8.h"
#include "vocabulary/name_order.h"

namespace nabi {
namespace {

constexpr size_t kLarge = limit(4096, 4);  // features that are worth a second thread
constexpr size_t kAhead = limit(32, 3);    // pairs whose slots are fetched before one is added

void check(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    throw std::invalid_argument(what);
}

// What comes before the first space.
std::span<const u8> first_word(std::span<const u8> name) {
  const void* const space = name.empty() ? nullptr : std::memchr(name.data(), ' ', name.size());
  return space ? name.first(size_t(static_cast<const u8*>(space) - name.data())) : name;
}

// Pairs whose words are not known yet, and their ids.
using Rest = std::vector<std::pair<std::span<const u8>, u32>>;

// Adds pairs of known words, some at a time, so that the cache misses of these overlap.
class Pairs {
 public:
  // `id`: of the first pair. `words` are all bytes that pairs lie in.
  Pairs(Vocabulary& vocabulary, std::span<const u8> words, u32 id)
      : words_(vocabulary.words),
        grams_(vocabulary.grams),
        end_(words.data() + words.size()),
        id_(id) {}

  // Returns the id of a pair.
  NABI_HOT u32 add(std::span<const u8> pair) {
    if (!begins_with_last(pair)) {  // most do
      first_ = first_word(pair);
      first_id_ = words_.find(first_);
    }
    if (n_ == kAhead) flush();
    waiting_[n_] = {pair, first_id_, key_of(pair.subspan(first_.size() + 1))};
    words_.prefetch(waiting_[n_++].last);
    return id_++;
  }
  void flush() {
    u64 keys[kAhead], hashes[kAhead];
    for (size_t i = 0; i < n_; ++i) {
      const Waiting& pair = waiting_[i];
      const u32 last = pair.last.size ? words_.find(pair.last) : kNone;
      const bool known = pair.first != kNone && last != kNone;
      keys[i] = known ? GramTable::key(pair.first, last) : 0;
      hashes[i] = GramTable::hash(keys[i]);
      grams_.prefetch(hashes[i]);
    }
    for (size_t i = 0; i < n_; ++i) {
      const u32 id = id_ - u32(n_ - i);
      if (keys[i])
        grams_.insert(keys[i], hashes[i], id);
      else
        rest.emplace_back(waiting_[i].pair, id);
    }
    n_ = 0;
  }

  Rest rest;

 private:
  struct Waiting {
    std::span<const u8> pair;
    u32 first;  // id of its first word
    WordKey last;
  };
  // Whether the first word is that of the pair before.
  bool begins_with_last(std::span<const u8> pair) const {
    const size_t n = first_.size();
    return n && n < pair.size() && pair[n] == ' ' && !std::memcmp(pair.data(), first_.data(), n);
  }
  // Sixteen bytes are readable but at the end of all words.
  WordKey key_of(std::span<const u8> word) const {
    if (word.size() <= UINT32_MAX && end_ - word.data() >= 16)
      return words_.key(word.data(), u32(word.size()));
    return words_.safe_key(word);
  }

  const WordTable& words_;
  GramTable& grams_;
  const u8* const end_;
  u32 id_;
  std::span<const u8> first_;
  u32 first_id_ = kNone;
  Waiting waiting_[kAhead];
  size_t n_ = 0;
};

class Loader {
 public:
  Loader(const Recipe& recipe, const StoredCounts& stored, std::span<const u64> docs,
         unsigned threads)
      : stored_(stored), n_(stored.word_offsets.size - 1), docs_(docs), table_(recipe) {
    check(n_ < kMostIds, "more than 2^31 features");
    shares_.resize(n_ < kLarge ? 1 : std::max(1u, threads));
    classes_.resize(stored.classes.size);
    counts_.resize(stored.counts.size);
  }

  Loaded load() {
    const Recipe& recipe = table_.vocabulary.recipe;
    pairs_ = recipe.word_hi == 2 && !recipe.buckets;  // worth a way of their own: they are many
    each_share([&](Share&, size_t begin, size_t end) { check_offsets(begin, end); });
    each_share([&](Share& share, size_t begin, size_t end) {
      check_names(share, begin, end);
      take_cells(share, begin, end);
    });
    add_up();
    const bool longer = std::any_of(shares_.begin(), shares_.end(),
                                    [](const Share& share) { return share.has_longer; });
    pairs_ && !longer ? intern_pairs() : intern_all();
    make_rows();
    return {std::move(table_), seen_};
  }

 private:
  // What one thread has found.
  struct Share {
    std::vector<u32> singles;  // the features that are no pairs, where there may be pairs
    u32 first_pair = 0;        // id
    Rest rest;
    bool has_longer = false;
    std::vector<u64> tokens;
    u64 all = 0;  // tokens of all classes
    SeenNumbers seen;
  };

  template <class Work>
  void each_share(Work work) {
    const size_t n = shares_.size();
    on_threads(unsigned(n), [&](unsigned t) { work(shares_[t], n_ * t / n, n_ * (t + 1) / n); });
  }

  std::span<const u8> name(size_t f) const {
    const u64 begin = stored_.word_offsets[f];
    return stored_.words.subspan(begin, stored_.word_offsets[f + 1] - begin);
  }
  Rows::Row row(size_t f) const {
    const u64 at = stored_.cell_offsets[f];
    const u32 n = u32(stored_.cell_offsets[f + 1] - at);
    return {at, n, n};
  }

  // ---- checks ----

  void check_offsets(size_t begin, size_t end) const {
    for (size_t f = begin; f < end; ++f) {
      check(stored_.word_offsets[f] <= stored_.word_offsets[f + 1], "broken word offsets");
      check(stored_.cell_offsets[f] <= stored_.cell_offsets[f + 1], "broken cell offsets");
    }
  }

  void check_names(Share& share, size_t begin, size_t end) const {
    const u8* const words = stored_.words.data();
    const u8* const last = words + stored_.word_offsets[end];
    check(valid_until(words + stored_.word_offsets[begin], last) == last,
          "a word that is not UTF-8");
    std::span<const u8> before = begin ? name(begin - 1) : std::span<const u8>();
    for (size_t f = begin; f < end; ++f) {
      const std::span<const u8> own = name(f);
      check(f == 0 || compare(before, own) < 0, "words out of order");
      // All bytes together are UTF-8, so a name is, too, unless it begins within a letter.
      check(own.empty() || (own[0] & 0xC0) != 0x80, "a word that is not UTF-8");
      if (pairs_) note_kind(share, f, own);
      before = own;
    }
  }
  void note_kind(Share& share, size_t f, std::span<const u8> name) const {
    const size_t first = first_word(name).size();
    const bool is_chars = table_.vocabulary.marks_chars() && !name.empty() && name[0] == '\t';
    if (first == name.size() || is_chars)
      share.singles.push_back(u32(f));
    else
      share.has_longer |= first_word(name.subspan(first + 1)).size() + first + 1 < name.size();
  }

  void take_cells(Share& share, size_t begin, size_t end) {
    share.tokens.assign(docs_.size(), 0);
    const u64 most = ~u64{0} >> stored_.shift;
    for (size_t f = begin; f < end; ++f) {
      const u64 first = stored_.cell_offsets[f], last = stored_.cell_offsets[f + 1];
      check(first < last, "a word without a count");
      for (u64 i = first; i < last; ++i) {
        const u64 cls = stored_.classes[i], count = stored_.counts[i];
        check(cls < docs_.size(), "a class that is not there");
        check(i == first || classes_[i - 1] < cls, "classes out of order");
        check(count > 0, "a count of zero");
        check(
            count <= most && !__builtin_add_overflow(share.all, count << stored_.shift, &share.all),
            "counts that are too large");
        share.seen.see(count, cls);
        share.tokens[cls] += count << stored_.shift;
        classes_[i] = u32(cls);
        counts_[i] = count << stored_.shift;
      }
    }
  }

  void add_up() {
    u64 all = 0;
    table_.docs.assign(docs_.begin(), docs_.end());
    table_.tokens.assign(docs_.size(), 0);
    for (const Share& share : shares_) {
      check(!__builtin_add_overflow(all, share.all, &all), "counts that are too large");
      for (size_t c = 0; c < docs_.size(); ++c) table_.tokens[c] += share.tokens[c];
      seen_.add(share.seen);
    }
  }

  // ---- ids ----

  void intern_all() {
    for (size_t f = 0; f < n_; ++f) intern(f);
  }
  void intern(size_t f) {
    const auto [space, id] = table_.vocabulary.intern(name(f));
    check(id != kNone, "a word that the recipe cannot make");
    RawVector<Rows::Row>& rows = rows_[space];
    if (id >= rows.size()) rows.resize(size_t{id} + 1, {});
    rows[id] = row(f);
    ++full_[space];
  }

  // One thread adds what is no pair. Then each adds the pairs of its share.
  void intern_pairs() {
    size_t singles = 0;
    for (Share& share : shares_) {
      share.first_pair = u32(size_t(&share - shares_.data()) * n_ / shares_.size() - singles);
      singles += share.singles.size();
      for (const u32 f : share.singles) intern(f);
    }
    full_[kGrams] = n_ - singles;
    table_.vocabulary.grams = GramTable::with_room(u32(full_[kGrams]), unsigned(shares_.size()));
    rows_[kGrams].resize(full_[kGrams]);
    each_share([&](Share& share, size_t begin, size_t end) { add_pairs(share, begin, end); });
    for (const Share& share : shares_)
      for (const auto& [pair, id] : share.rest) intern_pair(pair, id);
  }
  void add_pairs(Share& share, size_t begin, size_t end) {
    Pairs pairs(table_.vocabulary, stored_.words, share.first_pair);
    auto single = share.singles.begin();
    for (size_t f = begin; f < end; ++f) {
      if (single != share.singles.end() && *single == f)
        ++single;
      else
        rows_[kGrams][pairs.add(name(f))] = row(f);
    }
    pairs.flush();
    share.rest = std::move(pairs.rest);
  }

  // A pair with a word that is no feature itself.
  void intern_pair(std::span<const u8> pair, u32 id) {
    const size_t at = first_word(pair).size();
    const u32 prefix = intern_word(pair.first(at)), last = intern_word(pair.subspan(at + 1));
    const u64 key = GramTable::key(prefix, last);
    table_.vocabulary.grams.insert(key, GramTable::hash(key), id);
  }

  u32 intern_word(std::span<const u8> word) {
    check(!word.empty() && word.size() <= UINT32_MAX, "a word that the recipe cannot make");
    return table_.vocabulary.words.intern(word);
  }

  // ---- rows ----

  // The largest space takes the cells as they lie, the others take copies of their own.
  void make_rows() {
    const Vocabulary& v = table_.vocabulary;
    for (size_t s = 0; s < kSpaces; ++s) rows_[s].resize(v.size(Space(s)), {});
    const size_t largest = size_t(std::max_element(full_.begin(), full_.end()) - full_.begin());
    for (size_t s = 0; s < kSpaces; ++s)
      if (s != largest && full_[s]) table_.rows[s] = copied(s);
    table_.rows[largest] =
        Rows(std::move(rows_[largest]), full_[largest], std::move(classes_), std::move(counts_));
  }
  Rows copied(size_t s) {
    RawVector<u32> classes;
    RawVector<u64> counts;
    for (Rows::Row& row : rows_[s]) {
      const auto at = ptrdiff_t(row.at);
      row.at = classes.size();
      classes.insert(classes.end(), classes_.begin() + at, classes_.begin() + at + row.n);
      counts.insert(counts.end(), counts_.begin() + at, counts_.begin() + at + row.n);
    }
    return Rows(std::move(rows_[s]), full_[s], std::move(classes), std::move(counts));
  }

  const StoredCounts& stored_;
  const size_t n_;
  const std::span<const u64> docs_;
  CountTable table_;
  bool pairs_ = false;
  std::vector<Share> shares_;
  SeenNumbers seen_;
  RawVector<u32> classes_;
  RawVector<u64> counts_;  // in fixed point
  std::array<RawVector<Rows::Row>, kSpaces> rows_;
  std::array<u64, kSpaces> full_ = {};
};

}  // namespace

Loaded from_arrays(const Recipe& recipe, const StoredCounts& stored, std::span<const u64> docs,
                   unsigned threads) {
  check(stored.word_offsets.size && stored.word_offsets.size == stored.cell_offsets.size &&
            stored.classes.size == stored.counts.size,
        "arrays of different lengths");
  const auto spans = [](const Numbers& offsets, u64 end) {
    return offsets[0] == 0 && offsets[offsets.size - 1] == end;
  };
  check(spans(stored.word_offsets, stored.words.size()), "broken word offsets");
  check(spans(stored.cell_offsets, stored.classes.size), "broken cell offsets");
  check(stored.shift <= 24, "a shift that is too large");
  return Loader(recipe, stored, docs, threads).load();
}

}  // namespace nabi
