// Fuzz target: Arrow arrays of every string type, with nulls and offsets. Pointers and lengths are
// trusted; broken offsets, views and indices must be detected.
#include <memory>
#include <optional>
#include <stdexcept>

#include "fuzz/fuzz.h"
#include "interchange/arrow_strings.h"

using namespace nabi;

namespace {

using Values = std::vector<std::optional<std::vector<u8>>>;

template <class T>
void append(std::vector<u8>& buffer, T value) {
  const u8* const p = reinterpret_cast<const u8*>(&value);
  buffer.insert(buffer.end(), p, p + sizeof value);
}
template <class T>
void put(std::vector<u8>& buffer, size_t i, T value) {
  std::memcpy(&buffer[i * sizeof value], &value, sizeof value);
}

// An array that owns what the interface's structs point to. Slots before `offset` hold values too,
// which must not be seen.
class Column {
 public:
  ArrowSchema schema{};
  ArrowArray array{};

  Column(const char* format, const Values& values, int64_t offset) : values_(values) {
    schema.format = format;
    array.offset = offset;
    array.length = int64_t(values.size()) - offset;
    for (const auto& value : values) array.null_count += !value;
    std::vector<u8> bits((values.size() + 7) / 8);
    for (size_t i = 0; i < values.size(); ++i) bits[i / 8] |= u8(bool(values[i]) << i % 8);
    buffers.push_back(bits);
  }
  Column(const Column&) = delete;

  std::vector<std::vector<u8>> buffers;
  std::unique_ptr<Column> child, dictionary;

  void finish() {
    for (std::vector<u8>& buffer : buffers) {
      buffer.shrink_to_fit();  // so that a byte too far is seen
      pointers_.push_back(buffer.empty() ? nullptr : buffer.data());
    }
    if (!array.null_count && !pointers_.empty()) pointers_[0] = nullptr;
    array.n_buffers = int64_t(pointers_.size());
    array.buffers = pointers_.data();
    if (child) {
      child->finish();
      schema.n_children = array.n_children = 1;
      schemas_[0] = &child->schema;
      arrays_[0] = &child->array;
      schema.children = schemas_;
      array.children = arrays_;
    }
    if (dictionary) {
      dictionary->finish();
      schema.dictionary = &dictionary->schema;
      array.dictionary = &dictionary->array;
    }
  }

 protected:
  Values values_;
  std::vector<const void*> pointers_;
  ArrowSchema* schemas_[1];
  ArrowArray* arrays_[1];
};

using Columns = std::unique_ptr<Column>;

template <class Offset>
Columns offset_column(fuzz::Input& given, const Values& values, int64_t offset, bool broken) {
  auto column = std::make_unique<Column>(sizeof(Offset) == 4 ? "u" : "U", values, offset);
  std::vector<u8> offsets, bytes;
  append(offsets, Offset{0});
  for (const auto& value : values) {
    if (value) bytes.insert(bytes.end(), value->begin(), value->end());
    append(offsets, Offset(bytes.size()));
  }
  // The last offset alone says how many bytes there are: it has to be right.
  if (broken && !values.empty()) {
    const Offset wrong =
        given.flag() ? Offset(given.number()) : Offset(given.below(u32(bytes.size()) + 9));
    put(offsets, given.below(u32(values.size())), wrong);
  }
  if (!values.empty()) column->buffers.push_back(offsets);
  column->buffers.resize(2);  // an empty array may come without offsets
  column->buffers.push_back(bytes);
  return column;
}

Columns view_column(fuzz::Input& given, const Values& values, int64_t offset, bool broken) {
  auto column = std::make_unique<Column>("vu", values, offset);
  std::vector<u8> views, data[2], sizes;
  for (const auto& value : values) {
    if (!value) {  // may hold anything
      append(views, given.number());
      append(views, given.number());
      continue;
    }
    std::vector<u8> view;
    append(view, int32_t(value->size()));
    if (value->size() <= 12) {
      view.insert(view.end(), value->begin(), value->end());
    } else {
      const int32_t buffer = given.flag();
      view.insert(view.end(), value->begin(), value->begin() + 4);
      append(view, buffer);
      append(view, int32_t(data[buffer].size()));
      data[buffer].insert(data[buffer].end(), value->begin(), value->end());
    }
    view.resize(16);
    views.insert(views.end(), view.begin(), view.end());
  }
  if (broken && !values.empty()) {
    const int32_t wrong = given.flag() ? int32_t(given.number()) : int32_t(given.below(40)) - 4;
    put(views, given.below(u32(views.size()) / 4), wrong);
  }
  for (const auto& d : data) append(sizes, int64_t(d.size()));
  column->buffers.insert(column->buffers.end(), {views, data[0], data[1], sizes});
  return column;
}

template <class Index>
std::vector<u8> indices(fuzz::Input& given, const std::vector<int>& at, bool broken) {
  std::vector<u8> out;
  for (const int i : at) append(out, i < 0 ? Index(given.number()) : Index(i));
  if (broken && !at.empty()) put(out, given.below(u32(at.size())), Index(given.number()));
  return out;
}

Columns strings(fuzz::Input& given, const Values& values, int64_t offset, bool broken) {
  switch (given.below(3)) {
    case 0:
      return offset_column<int32_t>(given, values, offset, broken);
    case 1:
      return offset_column<int64_t>(given, values, offset, broken);
    default:
      return view_column(given, values, offset, broken);
  }
}

Columns dictionary_column(fuzz::Input& given, const Values& values, int64_t offset, bool broken) {
  static constexpr const char* kFormats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
  const u32 kind = given.below(8);
  auto column = std::make_unique<Column>(kFormats[kind], values, offset);
  Values distinct;
  std::vector<int> at;
  for (const auto& value : values) {
    const auto found = std::find(distinct.begin(), distinct.end(), value);
    // A null is one in the indices, or a null in the dictionary.
    if (!value && given.flag()) {
      at.push_back(-1);
      continue;
    }
    at.push_back(int(found - distinct.begin()));
    if (found == distinct.end()) distinct.push_back(value);
  }
  std::vector<u8>& bits = column->buffers[0];
  for (size_t i = 0; i < at.size(); ++i)
    if (at[i] >= 0) bits[i / 8] |= u8(1 << i % 8);
  const bool broken_index = broken && given.flag();
  const auto make = [&](auto index) { return indices<decltype(index)>(given, at, broken_index); };
  const auto of_width = [&] {
    return kind < 2   ? make(int8_t{})
           : kind < 4 ? make(int16_t{})
           : kind < 6 ? make(int32_t{})
                      : make(int64_t{});
  };
  column->buffers.push_back(of_width());
  column->dictionary = strings(given, distinct, 0, broken && !broken_index);
  return column;
}

Columns any_column(fuzz::Input& given, const Values& values, int64_t offset, bool broken) {
  const u32 kind = given.below(8);
  const bool nulls = std::all_of(values.begin(), values.end(), [](auto& v) { return !v; });
  if (kind == 0 && nulls) {
    auto column = std::make_unique<Column>("n", values, offset);
    column->buffers.clear();
    return column;
  }
  if (kind < 3 && values.size() < 128) return dictionary_column(given, values, offset, broken);
  return strings(given, values, offset, broken);
}

// A table of one column; both it and the column may be slices.
Columns table_of(Columns child, int64_t offset) {
  Values rows(size_t(child->array.length), std::vector<u8>{});
  auto column = std::make_unique<Column>("+s", rows, offset);
  column->child = std::move(child);
  return column;
}

void check_texts(const Texts& texts, const Values& values, size_t skipped) {
  CHECK(texts.size() == values.size() - skipped);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& value = values[skipped + i];
    CHECK((texts[i].kind == Text::kMissing) == !value);
    if (!value) continue;
    const u8* const p = static_cast<const u8*>(texts[i].data);
    CHECK(std::equal(value->begin(), value->end(), p, p + texts[i].size));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const bool broken = given.flag(), table = given.flag();
  const fuzz::AnyTexts any(given, {});
  Values values;
  for (const Text& text : any.texts) {
    const bool null = text.kind == Text::kMissing || given.below(8) == 0;
    const u8* const p = static_cast<const u8*>(text.data);
    values.push_back(null ? std::nullopt : std::optional(std::vector<u8>(p, p + text.size)));
  }
  size_t skipped = given.flag() ? given.below(u32(values.size()) + 1) : 0;
  Columns column = any_column(given, values, int64_t(skipped), broken);
  if (table) {
    const u32 more = given.below(u32(values.size() - skipped) + 1);
    column = table_of(std::move(column), more);
    skipped += more;
  }
  column->finish();

  Texts texts;
  try {
    append_arrow(column->schema, column->array, texts);
  } catch (const std::invalid_argument&) {
    CHECK(broken);
    return 0;
  }
  if (!broken) check_texts(texts, values, skipped);
  TextReader reader;
  for (const Text& text : texts) reader.read(text);
  return 0;
}
