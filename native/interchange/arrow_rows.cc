// Ownership of Arrow schemas and arrays.
#include "interchange/arrow_rows.h"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace nabi {
namespace {

// ---- schemas ----

struct SchemaData {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  std::unique_ptr<ArrowSchema> dictionary;

  ~SchemaData() {
    for (ArrowSchema& child : children)
      if (child.release) child.release(&child);
    if (dictionary && dictionary->release) dictionary->release(dictionary.get());
  }
};

void release_schema(ArrowSchema* schema) {
  delete static_cast<SchemaData*>(schema->private_data);
  schema->release = nullptr;
}

ArrowSchema schema_of(std::unique_ptr<SchemaData> data, int64_t flags) {
  for (ArrowSchema& child : data->children) data->pointers.push_back(&child);
  ArrowSchema out{data->format.c_str(),
                  data->name.c_str(),
                  data->metadata.empty() ? nullptr : data->metadata.data(),
                  flags,
                  int64_t(data->children.size()),
                  data->pointers.data(),
                  data->dictionary.get(),
                  release_schema,
                  nullptr};
  out.private_data = data.release();
  return out;
}

// Metadata: a number of pairs, then for each the length and bytes of its key and of its value.
std::string copy_metadata(const char* metadata) {
  if (!metadata) return {};
  const char* p = metadata;
  const auto number = [&] {
    int32_t n;
    std::memcpy(&n, p, sizeof n);
    p += sizeof n;
    return n;
  };
  for (int32_t left = 2 * number(); left > 0; --left) p += number();
  return {metadata, p};
}

std::unique_ptr<SchemaData> named(const char* format, const char* name) {
  auto data = std::make_unique<SchemaData>();
  data->format = format;
  data->name = name ? name : "";
  return data;
}

struct Format {
  const char* operator()(const std::vector<int32_t>&) const { return "i"; }
  const char* operator()(const std::vector<double>&) const { return "g"; }
  const char* operator()(const Strings&) const { return "U"; }
};

// ---- arrays ----

struct ArrayData {
  std::shared_ptr<const ArrowRows> rows;  // where the children lie
  OwnColumn own;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;

  ~ArrayData() {
    for (ArrowArray& child : children)
      if (child.release) child.release(&child);
  }
};

void release_array(ArrowArray* array) {
  delete static_cast<ArrayData*>(array->private_data);
  array->release = nullptr;
}

ArrowArray array_of(std::unique_ptr<ArrayData> data, size_t length) {
  for (ArrowArray& child : data->children) data->pointers.push_back(&child);
  ArrowArray out{int64_t(length),
                 0,
                 0,
                 int64_t(data->buffers.size()),
                 int64_t(data->children.size()),
                 data->buffers.data(),
                 data->pointers.data(),
                 nullptr,
                 release_array,
                 nullptr};
  out.private_data = data.release();
  return out;
}

size_t length_of(const OwnColumn& column) {
  if (const auto* const strings = std::get_if<Strings>(&column)) return strings->offsets.size() - 1;
  if (const auto* const whole = std::get_if<std::vector<int32_t>>(&column)) return whole->size();
  return std::get<std::vector<double>>(column).size();
}

ArrowArray own_array(OwnColumn&& column) {
  auto data = std::make_unique<ArrayData>();
  const size_t length = length_of(column);
  data->own = std::move(column);
  data->buffers = {nullptr};
  if (const auto* const strings = std::get_if<Strings>(&data->own))
    data->buffers.insert(data->buffers.end(), {strings->offsets.data(), strings->bytes.data()});
  else if (const auto* const whole = std::get_if<std::vector<int32_t>>(&data->own))
    data->buffers.push_back(whole->data());
  else
    data->buffers.push_back(std::get<std::vector<double>>(data->own).data());
  return array_of(std::move(data), length);
}

// The column of a batch: as it is there, and the batch lives as long.
ArrowArray borrowed(const std::shared_ptr<const ArrowRows>& rows, size_t i) {
  auto data = std::make_unique<ArrayData>();
  data->rows = rows;
  ArrowArray out = rows->column(i);
  out.release = release_array;
  out.private_data = data.release();
  return out;
}

}  // namespace

ArrowSchema copy_schema(const ArrowSchema& schema) {
  auto data = named(schema.format, schema.name);
  data->metadata = copy_metadata(schema.metadata);
  data->children.reserve(size_t(schema.n_children));
  for (int64_t i = 0; i < schema.n_children; ++i)
    data->children.push_back(copy_schema(*schema.children[i]));
  if (schema.dictionary)
    data->dictionary = std::make_unique<ArrowSchema>(copy_schema(*schema.dictionary));
  return schema_of(std::move(data), schema.flags);
}

std::shared_ptr<const ArrowSchema> shared_schema(ArrowSchema&& schema) {
  return {new ArrowSchema(schema), [](ArrowSchema* s) {
            if (s->release) s->release(s);
            delete s;
          }};
}

ArrowRows::ArrowRows(std::shared_ptr<const ArrowSchema> schema, const ArrowArray& array)
    : schema_(std::move(schema)), array_(array) {
  const bool rows = std::string(schema_->format) == "+s" && array.n_children == schema_->n_children;
  if (rows && array.length >= 0 && array.offset >= 0) return;
  if (array_.release) array_.release(&array_);
  throw std::invalid_argument("an Arrow array that is no batch of rows");
}

ArrowRows::~ArrowRows() {
  if (array_.release) array_.release(&array_);
}

ArrowArray ArrowRows::column(size_t i) const {
  ArrowArray out = *array_.children[i];
  out.offset += array_.offset;
  out.length = array_.length;
  if (array_.offset || out.length != array_.children[i]->length) out.null_count = -1;
  return out;
}

void ArrowRows::append_texts(size_t i, Texts& texts) const {
  if (i >= columns()) throw std::invalid_argument("a column that is not there");
  append_arrow(*schema_->children[i], column(i), texts);
}

std::vector<double> ArrowRows::numbers(size_t i) const {
  if (i >= columns()) throw std::invalid_argument("a column that is not there");
  const ArrowArray array = column(i);
  if (std::string(schema_->children[i]->format) != "g" || array.n_buffers != 2)
    throw std::invalid_argument("a column that is not of float64");
  const size_t begin = size_t(array.offset), n = size_t(array.length);
  std::vector<double> out(n);
  if (n) std::memcpy(out.data(), static_cast<const double*>(array.buffers[1]) + begin, 8 * n);
  const auto* const valid = static_cast<const u8*>(array.buffers[0]);
  for (size_t row = 0; valid && row < n; ++row)
    if (!(valid[(begin + row) >> 3] >> ((begin + row) & 7) & 1))
      out[row] = std::numeric_limits<double>::quiet_NaN();
  return out;
}

void Strings::add(std::span<const u8> value) {
  bytes.insert(bytes.end(), value.begin(), value.end());
  offsets.push_back(int64_t(bytes.size()));
}

ArrowSchema joined_schema(const ArrowSchema* rows, std::span<const std::string> names,
                          std::span<const OwnColumn> kinds) {
  auto data = named("+s", "");
  for (int64_t i = 0; rows && i < rows->n_children; ++i)
    data->children.push_back(copy_schema(*rows->children[i]));
  for (size_t i = 0; i < names.size(); ++i)
    data->children.push_back(schema_of(named(std::visit(Format{}, kinds[i]), names[i].c_str()), 0));
  return schema_of(std::move(data), 0);
}

ArrowArray joined_rows(const std::shared_ptr<const ArrowRows>& rows,
                       std::vector<OwnColumn>&& columns) {
  size_t length = rows ? rows->size() : columns.empty() ? 0 : length_of(columns[0]);
  for (const OwnColumn& column : columns)
    if (length_of(column) != length) throw std::invalid_argument("columns of different lengths");
  auto data = std::make_unique<ArrayData>();
  data->buffers = {nullptr};
  for (size_t i = 0; rows && i < rows->columns(); ++i) data->children.push_back(borrowed(rows, i));
  for (OwnColumn& column : columns) data->children.push_back(own_array(std::move(column)));
  return array_of(std::move(data), length);
}

}  // namespace nabi
