// Scores by the model that never saw the document.
#include "../held_out.h"

#include <nanobind/stl/vector.h>

#include <mutex>

#include "batch.h"
#include "table.h"

namespace nabi {
namespace {

struct HeldOutHandle {
  HeldOutHandle(const Table& t, Weighing&& weighing)
      : table(t), reading(t.mutex), held_out(t.table, std::move(weighing)) {
    reading.unlock();
  }
  const Table& table;
  std::shared_lock<std::shared_mutex> reading;  // while it is made
  HeldOut held_out;

  Out<double> score(const Batch& batch, In<u32> classes, In<u64> units, In<u32> groups,
                    unsigned threads) const {
    const size_t n = batch.texts.size();
    const size_t alphas = held_out.alphas(), width = held_out.classes();
    auto* const out = new double[std::max<size_t>(1, n * alphas * width)];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    {
      nb::gil_scoped_release release;
      const std::shared_lock reading_now(table.mutex);
      held_out.score({batch.texts, span(classes), span(units), span(groups)}, threads, out);
    }
    return Out<double>(out, {n, alphas, width}, owner);
  }
};

}  // namespace

void bind_held_out(nb::module_& m) {
  nb::enum_<Event>(m, "Event")
      .value("multinomial", Event::kMultinomial)
      .value("bernoulli", Event::kBernoulli)
      .value("complement", Event::kComplement);
  nb::class_<HeldOutHandle>(m, "HeldOut")
      .def(
          "__init__",
          [](HeldOutHandle* self, const Table& table, Event event, u64 least, In<double> alphas) {
            new (self) HeldOutHandle(table, Weighing{event, least, copy(alphas)});
          },
          nb::keep_alive<1, 2>(), "table"_a, nb::kw_only(), "event"_a, "least"_a, "alphas"_a)
      .def("score", &HeldOutHandle::score, "batch"_a, "classes"_a, "units"_a, "groups"_a,
           "threads"_a);
}

}  // namespace nabi
