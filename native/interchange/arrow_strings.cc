// Strings by Arrow type: utf8, large_utf8, string_view, dictionaries, one-column tables.
#include "interchange/arrow_strings.h"

#include <stdexcept>
#include <string>

namespace nabi {
namespace {

bool is_valid(const ArrowArray& array, int64_t i) {
  const u8* const bits = array.n_buffers ? static_cast<const u8*>(array.buffers[0]) : nullptr;
  return !bits || bits[i >> 3] >> (i & 7) & 1;
}

template <class Offset>
Text offset_text(const ArrowArray& array, int64_t i) {
  const Offset* const offsets = static_cast<const Offset*>(array.buffers[1]);
  const char* const bytes = static_cast<const char*>(array.buffers[2]);
  const Offset begin = offsets[i], end = offsets[i + 1];
  if (begin < 0 || end < begin) throw std::invalid_argument("an Arrow array with broken offsets");
  return {bytes + begin, size_t(end - begin), Text::kUtf8};
}

Text view_text(const ArrowArray& array, int64_t i) {
  const u8* const view = static_cast<const u8*>(array.buffers[1]) + 16 * i;
  int32_t size, buffer, offset;
  std::memcpy(&size, view, 4);
  if (size < 0) throw std::invalid_argument("an Arrow array with a broken string view");
  if (size <= 12) return {view + 4, size_t(size), Text::kUtf8};
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  // Buffers: validity, views, data ..., sizes of the data.
  if (buffer < 0 || buffer >= array.n_buffers - 3 || offset < 0)
    throw std::invalid_argument("an Arrow array with a broken string view");
  const auto* const sizes = static_cast<const int64_t*>(array.buffers[array.n_buffers - 1]);
  if (int64_t{offset} + size > sizes[buffer])
    throw std::invalid_argument("an Arrow array with a broken string view");
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset, size_t(size), Text::kUtf8};
}

using Getter = Text (*)(const ArrowArray&, int64_t);

Getter getter(const std::string& format) {
  if (format == "u") return offset_text<int32_t>;
  if (format == "U") return offset_text<int64_t>;
  if (format == "vu") return view_text;
  return nullptr;
}

std::string type_name(const std::string& format) {
  switch (format.empty() ? 0 : format[0]) {
    case 'b':
      return "booleans";
    case 'c':
    case 'C':
    case 's':
    case 'S':
    case 'i':
    case 'I':
    case 'l':
    case 'L':
      return "whole numbers";
    case 'e':
    case 'f':
    case 'g':
      return "numbers";
    case 'z':
    case 'Z':
      return "bytes";
    case 't':
      return "dates or times";
    default:
      return "Arrow type '" + format + "'";
  }
}

template <class Index>
int64_t index_as(const ArrowArray& array, int64_t i) {
  return int64_t(static_cast<const Index*>(array.buffers[1])[i]);
}

int64_t index_at(const char* format, const ArrowArray& array, int64_t i) {
  switch (format[0]) {
    case 'c':
      return index_as<int8_t>(array, i);
    case 'C':
      return index_as<uint8_t>(array, i);
    case 's':
      return index_as<int16_t>(array, i);
    case 'S':
      return index_as<uint16_t>(array, i);
    case 'i':
      return index_as<int32_t>(array, i);
    case 'I':
      return index_as<uint32_t>(array, i);
    case 'l':
      return index_as<int64_t>(array, i);
    case 'L':
      return index_as<int64_t>(array, i);
    default:
      throw std::invalid_argument("an Arrow dictionary with strange indices");
  }
}

void append_dictionary(const ArrowSchema& schema, const ArrowArray& array, Texts& texts) {
  Texts values;
  append_arrow(*schema.dictionary, *array.dictionary, values);
  for (int64_t i = array.offset; i < array.offset + array.length; ++i) {
    if (!is_valid(array, i)) {
      texts.push_back({});
      continue;
    }
    const int64_t at = index_at(schema.format, array, i);
    if (at < 0 || size_t(at) >= values.size())
      throw std::invalid_argument("an Arrow dictionary index out of range");
    texts.push_back(values[size_t(at)]);
  }
}

void append_struct(const ArrowSchema& schema, const ArrowArray& array, Texts& texts) {
  if (schema.n_children != 1)
    throw std::invalid_argument("a table of " + std::to_string(schema.n_children) +
                                " columns, expected one column of strings; pick one");
  ArrowArray child = *array.children[0];  // a view; the original is released
  child.offset += array.offset;
  child.length = array.length;
  const size_t first = texts.size();
  append_arrow(*schema.children[0], child, texts);
  for (int64_t i = 0; i < array.length; ++i)
    if (!is_valid(array, array.offset + i)) texts[first + size_t(i)] = {};
}

}  // namespace

void append_arrow(const ArrowSchema& schema, const ArrowArray& array, Texts& texts) {
  const std::string format = schema.format;
  if (schema.dictionary) return append_dictionary(schema, array, texts);
  if (format == "+s") return append_struct(schema, array, texts);
  if (format == "n") {
    texts.resize(texts.size() + size_t(array.length));
    return;
  }
  const Getter get = getter(format);
  if (!get) throw std::invalid_argument("a column of " + type_name(format) + ", expected strings");
  texts.reserve(texts.size() + size_t(array.length));
  // Offsets ascend behind nulls as well: with all of them checked, none is beyond the last. A view
  // behind a null may hold anything.
  const bool always = format != "vu";
  for (int64_t i = array.offset; i < array.offset + array.length; ++i) {
    const bool valid = is_valid(array, i);
    const Text text = valid || always ? get(array, i) : Text{};
    texts.push_back(valid ? text : Text{});
  }
}

}  // namespace nabi
