// Fuzz target: counts are equal on any number of threads, in any order, in one batch or text by
// text.
#include <memory>

#include "count/counter.h"
#include "count/stream.h"
#include "fuzz/tables.h"

using namespace nabi;

namespace {

struct Batch {
  Texts texts;
  std::vector<u32> classes;
  std::vector<u64> units;  // empty: 1 each
  u32 n_classes;

  Counted counted(const Recipe& recipe, unsigned threads, Fingerprint kind) const {
    return count(texts, classes, n_classes, units, recipe, threads, kind);
  }
};

// Some streams are left before their end.
bool given_up(const Batch& batch) { return batch.texts.size() % 8 == 7; }

void check_sums(const CountTable& table, const Batch& batch) {
  const Cells cells = table.cells();
  std::vector<u64> tokens(batch.n_classes), docs(batch.n_classes);
  for (size_t i = 0; i < cells.classes.size(); ++i) {
    CHECK(cells.counts[i] > 0);
    tokens[cells.classes[i]] += cells.counts[i];
  }
  for (size_t i = 0; i < batch.texts.size(); ++i)
    docs[batch.classes[i]] += batch.units.empty() ? kUnit : batch.units[i];
  CHECK(tokens == table.tokens && docs == table.docs);
}

// A few texts at a time, while earlier ones are being counted.
void check_stream(const Batch& batch, const Recipe& recipe, unsigned threads, Fingerprint kind,
                  u32 few, const Counted& whole) {
  std::vector<Texts> texts;
  std::vector<std::unique_ptr<Task>> tasks;
  for (size_t i = 0; i < batch.texts.size(); i += few)
    texts.emplace_back(batch.texts.begin() + ptrdiff_t(i),
                       batch.texts.begin() + ptrdiff_t(std::min(i + few, batch.texts.size())));
  CountStream stream(recipe, threads);
  size_t at = 0;
  for (const Texts& some : texts) {
    const auto classes = std::span(batch.classes).subspan(at, some.size());
    tasks.push_back(std::make_unique<Task>(some, classes, batch.n_classes, std::span<u64>(), kind));
    stream.push(*tasks.back());
    at += some.size();
  }
  if (given_up(batch)) return;
  const Counted streamed = stream.finish();
  std::vector<u64> fingerprints;
  for (const auto& task : tasks)
    fingerprints.insert(fingerprints.end(), task->fingerprints.begin(), task->fingerprints.end());
  CHECK(fuzz::same(streamed.table, whole.table) && fingerprints == whole.fingerprints);
  CHECK(streamed.missing == whole.missing && streamed.repaired == whole.repaired);
}

// Last text first, each counted on its own.
CountTable one_by_one(const Batch& batch, const Recipe& recipe, Fingerprint kind,
                      std::vector<u64>& fingerprints) {
  CountTable sum(recipe);
  sum.docs.resize(batch.n_classes);
  sum.tokens.resize(batch.n_classes);
  for (size_t i = batch.texts.size(); i-- > 0;) {
    const u32 cls[] = {0};
    const std::vector<u64> units = batch.units.empty() ? batch.units : std::vector{batch.units[i]};
    const Counted one = count({batch.texts[i]}, cls, 1, units, recipe, 1, kind);
    fingerprints.insert(fingerprints.begin(), one.fingerprints.begin(), one.fingerprints.end());
    sum.add(one.table, std::span(&batch.classes[i], 1));
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const Recipe recipe = fuzz::any_recipe(given);
  const bool weighted = given.flag();
  Batch batch;
  batch.n_classes = 1 + given.below(5);
  const u32 threads = 2 + given.below(2);
  const auto kind = Fingerprint(given.below(3));
  const fuzz::AnyTexts any(given, recipe);
  for (const Text& text : any.texts) {
    batch.texts.push_back(text);
    if (given.below(4) == 0) batch.texts.push_back(fuzz::AnyTexts::large(given.below(16) == 0));
  }
  for (size_t i = 0; i < batch.texts.size(); ++i) {
    batch.classes.push_back(given.below(batch.n_classes));
    // From nothing to 256 times the usual.
    if (weighted) batch.units.push_back(given.number() >> (32 + given.below(32)));
  }

  const Counted one = batch.counted(recipe, 1, kind),
                several = batch.counted(recipe, threads, kind);
  check_sums(one.table, batch);
  CHECK(fuzz::same(one.table, several.table));
  CHECK(one.fingerprints == several.fingerprints);
  CHECK(one.missing == several.missing && one.repaired == several.repaired);
  if (!weighted && !batch.texts.empty())
    check_stream(batch, recipe, threads, kind, 1 + given.below(4), one);
  Bags bags;
  const Counted kept = count_and_keep(batch.texts, batch.classes, batch.n_classes, batch.units,
                                      recipe, threads, bags, kind);
  CHECK(fuzz::same(one.table, kept.table) && one.fingerprints == kept.fingerprints);
  CHECK(bags.size() == batch.texts.size());
  std::vector<u64> fingerprints;
  CHECK(fuzz::same(one.table, one_by_one(batch, recipe, kind, fingerprints)));
  CHECK(one.fingerprints == fingerprints);
  return 0;
}
