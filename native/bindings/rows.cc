// Python classes Stream, Rows and Joined: Arrow record batches in and out.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cerrno>

#include "bindings/batch.h"

namespace nabi {
namespace {

// An Arrow stream, read batch by batch.
class Stream {
 public:
  explicit Stream(nb::object given) {
    nb::object capsule = given.attr("__arrow_c_stream__")();
    auto* const stream =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    if (!stream->release) throw std::invalid_argument("an Arrow stream that was read already");
    stream_.reset(new ArrowArrayStream(*stream));
    stream->release = nullptr;  // ours now
    ArrowSchema schema{};
    check(stream_->get_schema(stream_.get(), &schema));
    schema_ = shared_schema(std::move(schema));
  }
  Stream(const Stream&) = delete;

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (int64_t i = 0; i < schema_->n_children; ++i) {
      const char* const name = schema_->children[i]->name;
      out.emplace_back(name ? name : "");
    }
    return out;
  }

  // The next batch; null at the end.
  std::shared_ptr<ArrowRows> next() {
    ArrowArray array{};
    int error;
    {
      const Unlocked unlocked;
      error = stream_->get_next(stream_.get(), &array);
    }
    check(error);
    if (!array.release) return nullptr;
    return std::make_shared<ArrowRows>(schema_, array);
  }

 private:
  void check(int error) {
    if (!error) return;
    const char* const why = stream_->get_last_error(stream_.get());
    throw std::runtime_error(why ? why : "the Arrow stream failed");
  }
  struct Release {
    void operator()(ArrowArrayStream* stream) const {
      if (stream->release) stream->release(stream);
      delete stream;
    }
  };
  std::unique_ptr<ArrowArrayStream, Release> stream_;
  std::shared_ptr<const ArrowSchema> schema_;
};

// Batches that Python makes, as an Arrow stream: `next` gives (rows or None, columns) or None at
// the end; names are those of the columns beside the rows.
class Joined {
 public:
  Joined(std::vector<std::string> names, nb::object next)
      : names_(std::move(names)), next_(std::move(next)) {
    advance();  // the first batch tells the schema
    if (done_) throw std::invalid_argument("no rows at all, hence no columns");
  }

  static void export_to(nb::object self, ArrowArrayStream* out) {
    *out = {get_schema, get_next, get_last_error, release, new nb::object(std::move(self))};
  }

 private:
  static Joined& of(ArrowArrayStream* stream) {
    return nb::cast<Joined&>(*static_cast<nb::object*>(stream->private_data));
  }
  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    const Locked locked;
    Joined& self = of(stream);
    *out = joined_schema(self.rows_ ? &self.rows_->schema() : nullptr, self.names_, self.columns_);
    return 0;
  }
  static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    const Locked locked;
    Joined& self = of(stream);
    *out = ArrowArray{};
    try {
      if (self.started_) self.advance();
      self.started_ = true;
      if (!self.done_) *out = joined_rows(self.rows_, std::move(self.columns_));
      return 0;
    } catch (const std::exception& error) {
      self.error_ = error.what();
      return EIO;
    }
  }
  static const char* get_last_error(ArrowArrayStream* stream) {
    const Locked locked;
    return of(stream).error_.c_str();
  }
  static void release(ArrowArrayStream* stream) {
    const Locked locked;
    delete static_cast<nb::object*>(stream->private_data);
    stream->release = nullptr;
  }

  void advance() {
    const nb::object given = next_();
    done_ = given.is_none();
    if (done_) return;
    const nb::tuple pair = nb::cast<nb::tuple>(given);
    rows_ = nb::object(pair[0]).is_none() ? nullptr : nb::cast<std::shared_ptr<ArrowRows>>(pair[0]);
    columns_.clear();
    for (const nb::handle column : nb::cast<nb::list>(pair[1])) columns_.push_back(own(column));
    if (columns_.size() != names_.size())
      throw std::invalid_argument("columns that do not fit their names");
  }

  static OwnColumn own(nb::handle given) {
    In<int32_t> whole;
    if (nb::try_cast(given, whole, false)) return copy(whole);
    In<double> real;
    if (nb::try_cast(given, real, false)) return copy(real);
    Strings strings;
    TextReader reader;
    for (const Text& text : nb::cast<const Batch&>(given).texts) {
      const Utf8 utf8 = reader.read(text);
      strings.add({utf8.data, utf8.size});
    }
    return strings;
  }

  std::vector<std::string> names_;
  nb::object next_;
  std::shared_ptr<const ArrowRows> rows_;
  std::vector<OwnColumn> columns_;
  bool started_ = false, done_ = false;
  std::string error_;
};

nb::object export_joined(nb::object self, nb::object) {
  auto* const stream = new ArrowArrayStream{};
  Joined::export_to(std::move(self), stream);
  PyObject* const capsule = PyCapsule_New(stream, "arrow_array_stream", [](PyObject* c) {
    auto* const s = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(c, "arrow_array_stream"));
    if (s->release) s->release(s);
    delete s;
  });
  if (!capsule) throw nb::python_error();
  return nb::steal(capsule);
}

}  // namespace

void bind_rows(nb::module_& m) {
  nb::class_<ArrowRows>(m, "Rows")
      .def("__len__", &ArrowRows::size)
      .def(
          "column",
          [](std::shared_ptr<ArrowRows> rows, size_t i) { return Batch::from_rows(rows, i); },
          "i"_a)
      .def("numbers", [](const ArrowRows& rows, size_t i) { return give(rows.numbers(i)); }, "i"_a);
  nb::class_<Stream>(m, "Stream")
      .def(nb::init<nb::object>(), "source"_a)
      .def_prop_ro("names", &Stream::names)
      .def("next", &Stream::next);
  nb::class_<Joined>(m, "Joined")
      .def(nb::init<std::vector<std::string>, nb::object>(), "names"_a, "next"_a)
      .def("__arrow_c_stream__", &export_joined, "requested_schema"_a = nb::none());
}

}  // namespace nabi
