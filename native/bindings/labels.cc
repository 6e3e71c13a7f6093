// Python function name_codes: labels as codes.
#include "bindings/python.h"
#include "platform/types.h"

namespace nabi {
namespace {

// The different labels of a list or tuple in the order of coming, and the code of each label; None
// where one is something else than a str. Most labels are the same few objects: these are known by
// their address.
class NameCodes {
 public:
  nb::object of(nb::handle labels) {
    const bool list = PyList_Check(labels.ptr());
    const size_t n = size_t(list ? PyList_Size(labels.ptr()) : PyTuple_Size(labels.ptr()));
    std::vector<u32> codes(n);
    for (size_t i = 0; i < n; ++i) {
      PyObject* const label = list ? PyList_GetItem(labels.ptr(), Py_ssize_t(i))
                                   : PyTuple_GetItem(labels.ptr(), Py_ssize_t(i));
      if (!label) throw nb::python_error();
      Kept& kept = kept_[(uintptr_t(label) >> 4) % kKept];
      if (kept.label != label) {
        if (!PyUnicode_CheckExact(label)) return nb::none();
        kept = {label, code(label)};
      }
      codes[i] = kept.code;
    }
    return nb::make_tuple(names_, give(std::move(codes)));
  }

 private:
  static constexpr size_t kKept = 256;
  struct Kept {
    PyObject* label;
    u32 code;
  };

  u32 code(PyObject* label) {
    if (PyObject* const known = PyDict_GetItemWithError(index_.ptr(), label))
      return u32(PyLong_AsUnsignedLong(known));
    if (PyErr_Occurred()) throw nb::python_error();
    const u32 next = u32(nb::len(names_));
    index_[nb::handle(label)] = nb::int_(next);
    names_.append(nb::handle(label));
    return next;
  }

  nb::list names_;
  nb::dict index_;
  Kept kept_[kKept] = {};
};

}  // namespace

void bind_labels(nb::module_& m) {
  m.def(
      "name_codes",
      [](nb::object labels) -> nb::object {
        if (!PyList_Check(labels.ptr()) && !PyTuple_Check(labels.ptr())) return nb::none();
        return NameCodes().of(labels);
      },
      "labels"_a);
}

}  // namespace nabi
