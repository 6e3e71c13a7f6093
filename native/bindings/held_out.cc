// Python classes Bags and HeldOut: held-out scores for cross-validation.
#include "held_out/held_out.h"

#include <nanobind/stl/unique_ptr.h>

#include <mutex>

#include "bindings/batch.h"
#include "bindings/table.h"
#include "count/counter.h"

namespace nabi {
namespace {

// Builds a held-out model under the read lock; it copies the counts that it needs.
HeldOut made(const Table& table, Event event, u64 least, In<double> alphas, In<u32> order) {
  const std::shared_lock reading(table.mutex);
  return HeldOut(table.table, Weighing{event, least, copy(alphas)}, copy(order));
}

nb::tuple count_and_keep_batch(const Batch& batch, In<u32> classes, u32 n_classes, In<u64> units,
                               const Recipe& recipe, unsigned threads, Fingerprint kind) {
  check_countable(batch, classes, n_classes, units);
  std::unique_ptr<Counted> counted;
  std::unique_ptr<Table> table;
  auto bags = std::make_unique<Bags>();
  {
    const Unlocked unlocked;
    counted = std::make_unique<Counted>(count_and_keep(batch.texts, span(classes), n_classes,
                                                       span(units), recipe, threads, *bags, kind));
    batch.restore(kind, counted->fingerprints);
    table = std::make_unique<Table>(std::move(counted->table));
  }
  return nb::make_tuple(nb::cast(std::move(table)), give(std::move(counted->fingerprints)),
                        counted->missing, counted->repaired, nb::cast(std::move(bags)));
}

std::unique_ptr<Bags> read(const Batch& batch, const Table& table, unsigned threads) {
  if (batch.texts.size() >= kNone) throw std::invalid_argument("more than 2^32 texts");
  const Unlocked unlocked;
  const std::shared_lock reading(table.mutex);
  return std::make_unique<Bags>(read_bags(batch.texts, table.table.vocabulary, threads));
}

nb::tuple score(const HeldOut& held_out, const Bags& bags, In<u32> classes, In<u64> units,
                In<u32> groups, In<double> prior, bool sums_to_one, unsigned threads) {
  const size_t n = bags.size(), alphas = held_out.alphas(), width = held_out.classes();
  std::vector<double> lengths(n);
  auto* const out = new double[std::max<size_t>(1, n * alphas * width)];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  {
    const Unlocked unlocked;
    held_out.score({bags, span(classes), span(units), span(groups)}, {copy(prior), sums_to_one},
                   threads, out, lengths.data());
  }
  return nb::make_tuple(Out<double>(out, {n, alphas, width}, owner), give(std::move(lengths)));
}

nb::tuple score_chosen(const HeldOut& held_out, const Bags& bags, In<u32> classes, In<u64> units,
                       In<u32> groups, In<double> prior, bool sums_to_one, unsigned threads) {
  const size_t n = bags.size(), width = held_out.classes();
  std::vector<double> lengths(n);
  std::vector<u32> chosen(n);
  auto* const out = new double[std::max<size_t>(1, n * width)];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  {
    const Unlocked unlocked;
    held_out.score_chosen({bags, span(classes), span(units), span(groups)},
                          {copy(prior), sums_to_one}, threads, out, lengths.data(), chosen.data());
  }
  return nb::make_tuple(Out<double>(out, {n, width}, owner), give(std::move(lengths)),
                        give(std::move(chosen)));
}

nb::tuple losses(const HeldOut& held_out, const Bags& bags, In<u32> classes, In<u64> units,
                 In<u32> groups, In<double> prior, bool sums_to_one, unsigned threads) {
  Losses found;
  {
    const Unlocked unlocked;
    found = held_out.losses({bags, span(classes), span(units), span(groups)},
                            {copy(prior), sums_to_one}, threads);
  }
  return nb::make_tuple(give(std::move(found.means)), give(std::move(found.right)));
}

}  // namespace

void bind_held_out(nb::module_& m) {
  nb::enum_<Event>(m, "Event")
      .value("multinomial", Event::kMultinomial)
      .value("bernoulli", Event::kBernoulli)
      .value("complement", Event::kComplement);
  nb::class_<Bags>(m, "Bags")
      .def_static("read", &read, "batch"_a, "table"_a, "threads"_a)
      .def(
          "taken", [](const Bags& own, In<u64> indices) { return own.taken(span(indices)); },
          "places"_a)
      .def("__len__", &Bags::size);
  m.def("count_and_keep", &count_and_keep_batch, "batch"_a, "classes"_a, "n_classes"_a, "units"_a,
        "recipe"_a, "threads"_a, "fingerprint"_a = Fingerprint::kFirst);
  nb::class_<HeldOut>(m, "HeldOut")
      .def(
          "__init__",
          [](HeldOut* self, const Table& table, Event event, u64 least, In<double> alphas,
             In<u32> order) { new (self) HeldOut(made(table, event, least, alphas, order)); },
          "table"_a, nb::kw_only(), "event"_a, "least"_a, "alphas"_a, "order"_a)
      .def("score", &score, "bags"_a, "classes"_a, "units"_a, "groups"_a, "prior"_a,
           "sums_to_one"_a, "threads"_a)
      .def("score_chosen", &score_chosen, "bags"_a, "classes"_a, "units"_a, "groups"_a, "prior"_a,
           "sums_to_one"_a, "threads"_a)
      .def("losses", &losses, "bags"_a, "classes"_a, "units"_a, "groups"_a, "prior"_a,
           "sums_to_one"_a, "threads"_a);
}

}  // namespace nabi
