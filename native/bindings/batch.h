// Batch: texts of Python strings or Arrow columns, read in place without a copy.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bindings/python.h"
#include "interchange/arrow_rows.h"
#include "platform/threads.h"
#include "vocabulary/fingerprints.h"
#include "vocabulary/hash.h"
#include "vocabulary/stems.h"

namespace nabi {

class Batch {
 public:
  Texts texts;
  // The texts as they were given, where others are counted in place of some; null: none are.
  std::shared_ptr<const Texts> given;
  // Fingerprints of the texts as given that were asked for last, so that they are computed once;
  // under the interpreter's lock.
  std::shared_ptr<const std::vector<u64>> prints;
  Fingerprint prints_kind = Fingerprint::kFirst;

  Batch() = default;
  Batch(const Batch&) = delete;
  ~Batch() {
    for (ArrowArray& array : arrays_)
      if (array.release) array.release(&array);
    for (size_t i = 0; i < held_.size(); ++i) {
      if (i + kAhead < held_.size()) __builtin_prefetch(held_[i + kAhead], 1);
      Py_DECREF(held_[i]);
    }
  }

  static std::unique_ptr<Batch> from_sequence(nb::sequence given) {
    auto batch = std::make_unique<Batch>();
    const nb::object items = PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())
                                 ? nb::borrow(given)
                                 : nb::steal(PySequence_Tuple(given.ptr()));
    if (!items.is_valid()) throw nb::python_error();
    // References of its own: nobody can take a string away while the lock is released. All are
    // taken before anything else runs, as a list may change then.
    batch->hold(items.ptr());
    const std::vector<PyObject*>& held = batch->held_;
    batch->texts.reserve(held.size());
    for (size_t i = 0; i < held.size(); ++i)
      batch->texts.push_back(batch->text(held[i], Py_ssize_t(i)));
    return batch;
  }

  static std::unique_ptr<Batch> from_arrow(nb::object given) {
    auto batch = std::make_unique<Batch>();
    if (nb::hasattr(given, "__arrow_c_stream__"))
      batch->read_stream(nb::object(given.attr("__arrow_c_stream__")()));
    else
      batch->read_array(nb::tuple(given.attr("__arrow_c_array__")()));
    return batch;
  }

  // A column of rows.
  static std::unique_ptr<Batch> from_rows(std::shared_ptr<const ArrowRows> rows, size_t column) {
    auto batch = std::make_unique<Batch>();
    rows->append_texts(column, batch->texts);
    batch->rows_ = std::move(rows);
    return batch;
  }

  // Batch over texts in memory of a Python object, which it keeps alive.
  static std::unique_ptr<Batch> borrowed(nb::object owner, Texts texts,
                                         std::shared_ptr<const Texts> given = nullptr) {
    auto batch = std::make_unique<Batch>();
    batch->texts = std::move(texts);
    batch->given = std::move(given);
    batch->owner_ = std::move(owner);
    return batch;
  }

  // Batch of the texts of several batches, which it keeps alive.
  static std::unique_ptr<Batch> joined(nb::list batches) {
    auto batch = std::make_unique<Batch>();
    Texts given;
    bool replaces = false;
    for (const nb::handle each : batches) {
      const Batch& part = nb::cast<const Batch&>(each);
      batch->texts.insert(batch->texts.end(), part.texts.begin(), part.texts.end());
      replaces |= part.given != nullptr;
    }
    if (replaces) {
      for (const nb::handle each : batches) {
        const Texts& own = nb::cast<const Batch&>(each).as_given();
        given.insert(given.end(), own.begin(), own.end());
      }
      batch->given = std::make_shared<const Texts>(std::move(given));
    }
    batch->owner_ = nb::tuple(batches);
    return batch;
  }

  // Batch of the texts at some indices of a batch, which it keeps alive.
  static std::unique_ptr<Batch> taken(nb::object self, In<u64> indices) {
    const Batch& all = nb::cast<const Batch&>(self);
    const auto some_of = [&](const Texts& texts) {
      Texts some;
      some.stems = texts.stems;
      some.reserve(indices.size());
      for (const u64 index : span(indices)) {
        if (index >= texts.size()) throw std::invalid_argument("a text that is not there");
        some.push_back(texts[index]);
      }
      return some;
    };
    const auto given = all.given ? std::make_shared<const Texts>(some_of(*all.given)) : nullptr;
    return borrowed(self, some_of(all.texts), given);
  }

  // Indices of the texts that may hold an HTML entity.
  std::vector<u64> entities(unsigned threads) const {
    const Unlocked unlocked;
    const Pieces pieces = cut(texts.size(), [&](size_t i) -> const Text& { return texts[i]; });
    const size_t n = pieces.ends.size();
    std::vector<std::vector<u64>> found(n);
    on_pieces(
        n, unsigned(std::min<size_t>(threads, n)), [](unsigned) { return 0; },
        [&](int, size_t piece, unsigned) {
          for (size_t i = piece ? pieces.ends[piece - 1] : 0; i < pieces.ends[piece]; ++i)
            if (may_hold_entity(texts[i])) found[piece].push_back(i);
        });
    std::vector<u64> out;
    for (const std::vector<u64>& some : found) out.insert(out.end(), some.begin(), some.end());
    return out;
  }

  // Batch of the same texts, but for those at some indices, in place of which others are counted.
  // It keeps both alive, and knows documents by the texts as they were given.
  static std::unique_ptr<Batch> replaced(nb::object self, In<u64> indices, nb::object others) {
    const Batch& own = nb::cast<const Batch&>(self);
    Texts texts = own.texts;
    const Texts& counted = nb::cast<const Batch&>(others).texts;
    if (indices.size() != counted.size()) throw std::invalid_argument("a text for each index");
    for (size_t i = 0; i < counted.size(); ++i) {
      if (span(indices)[i] >= texts.size()) throw std::invalid_argument("a text that is not there");
      texts[span(indices)[i]] = counted[i];
    }
    const auto given = own.given ? own.given : std::make_shared<const Texts>(own.texts);
    auto batch = borrowed(nb::make_tuple(self, std::move(others)), texts, given);
    batch->prints = own.prints;
    batch->prints_kind = own.prints_kind;
    return batch;
  }

  const Texts& as_given() const { return given ? *given : texts; }
  // Makes fingerprints of the texts as they are counted those of the texts as they were given.
  void restore(Fingerprint kind, std::vector<u64>& fingerprints) const {
    if (!given) return;
    std::vector<u32> changed;
    for (size_t i = 0; i < texts.size(); ++i)
      if (texts[i].data != (*given)[i].data) changed.push_back(u32(i));
    Fingerprints(kind).of_texts(*given, changed, fingerprints.data());
  }

  // Batch of the same texts with stems: pieces of each word, with kCustomSeparator between them.
  static std::unique_ptr<Batch> stemmed(nb::object self, const Batch& words, const Batch& stems) {
    const Batch& own = nb::cast<const Batch&>(self);
    Texts texts = own.texts;
    texts.stems = std::make_shared<const Stems>(words.texts, stems.texts);
    return borrowed(self, std::move(texts), own.given);
  }

  // The texts as str, None where missing.
  nb::list to_list() const {
    nb::list out;
    TextReader reader;
    for (const Text& text : texts) {
      const Utf8 utf8 = reader.read(text);
      if (text.kind == Text::kMissing)
        out.append(nb::none());
      else
        out.append(nb::str(reinterpret_cast<const char*>(utf8.data), utf8.size));
    }
    return out;
  }

  // The different texts as str (None: missing) in the order of coming, and the code of each text.
  nb::tuple codes() const {
    struct Hash {
      using is_transparent = void;
      size_t operator()(std::string_view s) const {
        return hash64(reinterpret_cast<const u8*>(s.data()), s.size(), table_seed.a);
      }
    };
    std::unordered_map<std::string, u32, Hash, std::equal_to<>> known;
    constexpr u32 kNone = UINT32_MAX;
    u32 missing = kNone;
    nb::list names;
    std::vector<u32> out;
    out.reserve(texts.size());
    TextReader reader;
    for (const Text& text : texts) {
      const Utf8 utf8 = reader.read(text);
      const u32 next = u32(nb::len(names));
      if (text.kind == Text::kMissing) {
        if (missing == kNone) names.append(nb::none());
        out.push_back(missing = std::min(missing, next));
        continue;
      }
      const std::string_view name(reinterpret_cast<const char*>(utf8.data), utf8.size);
      auto found = known.find(name);
      if (found == known.end()) {
        found = known.emplace(name, next).first;
        names.append(nb::str(name.data(), name.size()));
      }
      out.push_back(found->second);
    }
    return nb::make_tuple(names, give(std::move(out)));
  }

  u64 bytes() const {
    u64 sum = 0;
    for (const Text& text : texts) sum += text.bytes();
    return sum;
  }
  // Bytes of the texts that may have letters beyond Latin-1.
  u64 wide_bytes() const {
    u64 sum = 0;
    for (const Text& text : texts) sum += text.kind >= Text::kUcs2 ? text.bytes() : 0;
    return sum;
  }

 private:
  static constexpr size_t kAhead = 16;  // objects that are fetched before they are needed

  void hold(PyObject* items) {
    const bool list = PyList_Check(items);
    const auto at = [&](size_t i) {
      return list ? PyList_GetItem(items, Py_ssize_t(i)) : PyTuple_GetItem(items, Py_ssize_t(i));
    };
    const size_t n = size_t(list ? PyList_Size(items) : PyTuple_Size(items));
    held_.reserve(n);
    for (size_t i = 0; i < n; ++i) {
      if (i + kAhead < n) __builtin_prefetch(at(i + kAhead), 1);
      held_.push_back(Py_NewRef(at(i)));
    }
  }

  Text text(PyObject* object, Py_ssize_t i) {
    if (PyUnicode_Check(object)) return of_string(object);
    const bool nan = PyFloat_Check(object) && std::isnan(PyFloat_AsDouble(object));
    const nb::str type = nb::steal<nb::str>(PyType_GetQualName(Py_TYPE(object)));
    if (!type.is_valid()) throw nb::python_error();
    if (object == Py_None || nan || std::string_view(type.c_str()) == "NAType") return {};
    PyErr_Format(PyExc_TypeError, "texts[%zd] is of type %U, expected str or None", i, type.ptr());
    throw nb::python_error();
  }

#ifdef Py_LIMITED_API
  // Only the UTF-8 of a string can be read in place; a lone surrogate has none.
  Text of_string(PyObject* object) {
    Py_ssize_t size = 0;
    const Py_ssize_t length = PyUnicode_GetLength(object);
    if (const char* const utf8 = PyUnicode_AsUTF8AndSize(object, &size))
      return {utf8, size_t(size), size == length ? Text::kAscii : Text::kUtf8};
    PyErr_Clear();
    copies_.emplace_back(PyUnicode_AsUCS4Copy(object), PyMem_Free);
    if (!copies_.back()) throw nb::python_error();
    return {copies_.back().get(), size_t(length), Text::kUcs4};
  }
#else
  static Text of_string(PyObject* object) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(object) < 0) throw nb::python_error();
#endif
    const size_t size = size_t(PyUnicode_GET_LENGTH(object));
    const void* const data = PyUnicode_DATA(object);
    if (PyUnicode_IS_ASCII(object)) return {data, size, Text::kAscii};
    switch (PyUnicode_KIND(object)) {
      case PyUnicode_1BYTE_KIND:
        return {data, size, Text::kLatin1};
      case PyUnicode_2BYTE_KIND:
        return {data, size, Text::kUcs2};
      default:
        return {data, size, Text::kUcs4};
    }
  }
#endif

  void read_stream(nb::object capsule) {
    auto* const stream =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    if (!stream->release) throw std::invalid_argument("an Arrow stream that was read already");
    ArrowSchema schema{};
    fail_if(stream->get_schema(stream, &schema), stream);
    const std::unique_ptr<ArrowSchema, void (*)(ArrowSchema*)> guard(&schema, [](ArrowSchema* s) {
      if (s->release) s->release(s);
    });
    for (;;) {
      ArrowArray array{};
      fail_if(stream->get_next(stream, &array), stream);
      if (!array.release) return;
      arrays_.push_back(array);
      append_arrow(schema, array, texts);
    }
  }

  void read_array(nb::tuple capsules) {
    auto* const schema = static_cast<ArrowSchema*>(
        PyCapsule_GetPointer(nb::object(capsules[0]).ptr(), "arrow_schema"));
    auto* const array = static_cast<ArrowArray*>(
        PyCapsule_GetPointer(nb::object(capsules[1]).ptr(), "arrow_array"));
    if (!schema || !array) throw nb::python_error();
    if (!schema->release || !array->release)
      throw std::invalid_argument("an Arrow array that was read already");
    arrays_.push_back(*array);
    array->release = nullptr;  // ours now
    append_arrow(*schema, arrays_.back(), texts);
  }

  static void fail_if(int error, ArrowArrayStream* stream) {
    if (!error) return;
    const char* const why = stream->get_last_error(stream);
    throw std::invalid_argument(std::string("the Arrow stream failed: ") + (why ? why : "?"));
  }

  nb::object owner_;
  std::vector<PyObject*> held_;  // strings of Python
  std::vector<ArrowArray> arrays_;
#ifdef Py_LIMITED_API
  std::vector<std::unique_ptr<Py_UCS4, void (*)(void*)>> copies_;
#endif
  std::shared_ptr<const ArrowRows> rows_;
};

}  // namespace nabi
