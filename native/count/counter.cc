// Counting one batch on several threads.
#include "count/counter.h"

#include <algorithm>

#include "platform/threads.h"

namespace nabi {
namespace {

// Counts the texts, and fills `bags` unless it is null.
Counted counted(const Texts& texts, std::span<const u32> classes, u32 n_classes,
                std::span<const u64> units, const Recipe& recipe, unsigned threads, Bags* bags,
                Fingerprint kind) {
  Task task(texts, classes, n_classes, units, kind);
  const size_t pieces = task.pieces.ends.size();
  if (bags) task.bags.resize(pieces);
  const auto pairs =
      bags ? Workers::Pairs::kAtOnce : when_pairs(recipe, task.bytes, !units.empty());
  Workers workers(recipe, unsigned(std::max<size_t>(1, std::min<size_t>(threads, pieces))), pairs,
                  true, bags != nullptr);
  workers.admit(task);
  on_threads(workers.size(), [&](unsigned t) { workers.count(t, task); });
  return workers.finish(&task, bags);
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
