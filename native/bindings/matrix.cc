// Python functions that make document-term matrices.
#include "bindings/batch.h"
#include "matrix/count_matrix.h"
#include "matrix/hashed_matrix.h"

namespace nabi {
namespace {

// (indptr, indices, data), as scipy.sparse names them.
template <class Value>
nb::tuple give_rows(Csr<Value>&& rows) {
  return nb::make_tuple(give(std::move(rows.ends)), give(std::move(rows.columns)),
                        give(std::move(rows.values)));
}

nb::tuple learned(const Batch& batch, const Recipe& recipe, unsigned threads) {
  LearnedMatrix out;
  {
    const Unlocked unlocked;
    out = learn_matrix(batch.texts, recipe, threads);
  }
  return nb::make_tuple(give_rows(std::move(out.rows)), give(std::move(out.names.bytes)),
                        give(std::move(out.names.offsets)), out.repaired);
}

nb::tuple known(const Batch& batch, const Recipe& recipe, const Batch& names, In<u32> columns,
                unsigned threads) {
  if (columns.size() != names.texts.size())
    throw std::invalid_argument("columns that do not fit the names");
  Matrix out;
  {
    const Unlocked unlocked;
    const KnownFeatures features(recipe, names.texts, span(columns));
    out = known_matrix(batch.texts, features, threads);
  }
  return nb::make_tuple(give_rows(std::move(out.rows)), out.repaired);
}

nb::tuple hashed(const Batch& batch, const Recipe& recipe, u32 n_features, bool alternate_sign,
                 bool binary, int norm, unsigned threads) {
  if (!n_features || n_features > INT32_MAX || norm < 0 || norm > 2)
    throw std::invalid_argument("hashing out of range");
  HashedMatrix out;
  {
    const Unlocked unlocked;
    const Hashing hashing{n_features, alternate_sign, binary, Hashing::Norm(norm)};
    out = hashed_matrix(batch.texts, recipe, hashing, threads);
  }
  return nb::make_tuple(give_rows(std::move(out.rows)), out.repaired);
}

// Each name from begins[i] to ends[i] as a str.
nb::list strings(In<u8> names, In<u64> begins, In<u64> ends) {
  if (begins.size() != ends.size()) throw std::invalid_argument("ends that do not fit");
  const char* const bytes = reinterpret_cast<const char*>(names.data());
  nb::list out = nb::steal<nb::list>(PyList_New(Py_ssize_t(begins.size())));
  if (!out.is_valid()) throw nb::python_error();
  for (size_t i = 0; i < begins.size(); ++i) {
    const u64 begin = begins.data()[i], end = ends.data()[i];
    if (begin > end || end > names.size()) throw std::invalid_argument("broken name offsets");
    PyObject* const name = PyUnicode_DecodeUTF8(bytes + begin, Py_ssize_t(end - begin), "strict");
    if (!name) throw nb::python_error();
    PyList_SetItem(out.ptr(), Py_ssize_t(i), name);  // takes the name over
  }
  return out;
}

}  // namespace

void bind_matrix(nb::module_& m) {
  m.def("learned_matrix", &learned, "batch"_a, "recipe"_a, "threads"_a);
  m.def("known_matrix", &known, "batch"_a, "recipe"_a, "names"_a, "columns"_a, "threads"_a);
  m.def("hashed_matrix", &hashed, "batch"_a, "recipe"_a, "n_features"_a, "alternate_sign"_a,
        "binary"_a, "norm"_a, "threads"_a);
  m.def("strings", &strings, "names"_a, "begins"_a, "ends"_a);
}

}  // namespace nabi
