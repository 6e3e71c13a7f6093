// Exact sums of numbers and of their squares.
#include "../moments.h"

#include "python.h"

namespace nabi {
namespace {

template <class T, class Order>
using Matrix = nb::ndarray<const T, nb::ndim<2>, Order, nb::device::cpu>;

template <class T, class Order>
nb::tuple moments_of(Matrix<T, Order> x, In<u32> classes, u32 n_classes, In<u64> units,
                     unsigned threads) {
  const size_t rows = x.shape(0), columns = x.shape(1);
  const bool by_row = std::is_same_v<Order, nb::c_contig>;
  const Numbers<T> numbers{x.data(), rows, columns, by_row ? columns : 1, by_row ? 1 : rows};
  MomentEntries out;
  {
    nb::gil_scoped_release release;
    out = moments(numbers, span(classes), n_classes, span(units), threads);
  }
  return nb::make_tuple(give(std::move(out.classes)), give(std::move(out.columns)),
                        give(std::move(out.units)), give(std::move(out.lows)),
                        give(std::move(out.ends)), give(std::move(out.limbs)));
}

template <class T, class Order>
void bind(nb::module_& m) {
  m.def("moments", &moments_of<T, Order>, "X"_a.noconvert(), "classes"_a, "n_classes"_a, "units"_a,
        "threads"_a);
}

}  // namespace

void bind_moments(nb::module_& m) {
  bind<double, nb::c_contig>(m);
  bind<double, nb::f_contig>(m);
  bind<float, nb::c_contig>(m);
  bind<float, nb::f_contig>(m);
}

}  // namespace nabi
