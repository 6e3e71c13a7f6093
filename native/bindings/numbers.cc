// Python functions moments and gaussian_scores: exact sums of numbers, and Gaussian scores.
#include "bindings/python.h"
#include "numbers/gaussian.h"
#include "numbers/moments.h"

namespace nabi {
namespace {

template <class T, class Order>
using Matrix = nb::ndarray<const T, nb::ndim<2>, Order, nb::device::cpu>;

template <class T, class Order>
NumberTable<T> numbers_of(const Matrix<T, Order>& x) {
  const size_t rows = x.shape(0), columns = x.shape(1);
  const bool by_row = std::is_same_v<Order, nb::c_contig>;
  return {x.data(), rows, columns, by_row ? columns : 1, by_row ? 1 : rows};
}

template <class T, class Order>
nb::tuple moments_of(Matrix<T, Order> x, In<u32> classes, u32 n_classes, In<u64> units,
                     unsigned threads) {
  const NumberTable<T> numbers = numbers_of<T, Order>(x);
  MomentEntries out;
  {
    const Unlocked unlocked;
    out = moments(numbers, span(classes), n_classes, span(units), threads);
  }
  return nb::make_tuple(give(std::move(out.classes)), give(std::move(out.columns)),
                        give(std::move(out.units)), give(std::move(out.lows)),
                        give(std::move(out.ends)), give(std::move(out.limbs)));
}

template <class T, class Order>
Out<T> gaussian_scores(Matrix<T, Order> x, In<double> mean, In<double> variance,
                       In<double> log_prior, Score what, unsigned threads) {
  const NumberTable<T> numbers = numbers_of<T, Order>(x);
  const size_t width = log_prior.size();
  auto* const out = new T[std::max<size_t>(1, numbers.rows * width)];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  {
    const Unlocked unlocked;
    const Gaussians gaussians(span(mean), span(variance), span(log_prior));
    gaussians.score(numbers, what, threads, out);
  }
  return Out<T>(out, {numbers.rows, width}, owner);
}

template <class T, class Order>
void bind(nb::module_& m) {
  m.def("moments", &moments_of<T, Order>, "X"_a.noconvert(), "classes"_a, "n_classes"_a, "units"_a,
        "threads"_a);
  m.def("gaussian_scores", &gaussian_scores<T, Order>, "X"_a.noconvert(), "mean"_a, "variance"_a,
        "log_prior"_a, "what"_a, "threads"_a);
}

}  // namespace

void bind_numbers(nb::module_& m) {
  nb::enum_<Score>(m, "Score")
      .value("joint", Score::kJoint)
      .value("log_probability", Score::kLogProbability)
      .value("probability", Score::kProbability);
  bind<double, nb::c_contig>(m);
  bind<double, nb::f_contig>(m);
  bind<float, nb::c_contig>(m);
  bind<float, nb::f_contig>(m);
}

}  // namespace nabi
