// Arrow record batches: split into columns, and joined with columns of our own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "interchange/arrow_strings.h"

namespace nabi {

// A copy that owns all it points to.
ArrowSchema copy_schema(const ArrowSchema& schema);

// A schema that is released with its last owner.
std::shared_ptr<const ArrowSchema> shared_schema(ArrowSchema&& schema);

// Record batch. A user of one of its columns keeps the batch alive.
class ArrowRows {
 public:
  // Takes the array over. Throws std::invalid_argument where it is no batch of rows.
  ArrowRows(std::shared_ptr<const ArrowSchema> schema, const ArrowArray& array);
  ~ArrowRows();
  ArrowRows(const ArrowRows&) = delete;

  size_t size() const { return size_t(array_.length); }
  size_t columns() const { return size_t(array_.n_children); }
  const ArrowSchema& schema() const { return *schema_; }
  void append_texts(size_t column, Texts& texts) const;
  // A column of float64; NaN where there is no value.
  std::vector<double> numbers(size_t column) const;
  // A column as an array with the offset and length of the rows.
  ArrowArray column(size_t i) const;

 private:
  std::shared_ptr<const ArrowSchema> schema_;
  ArrowArray array_;
};

// A column of our own: numbers, or strings end to end with their offsets.
struct Strings {
  std::vector<int64_t> offsets{0};
  std::vector<u8> bytes;
  void add(std::span<const u8> value);
};
using OwnColumn = std::variant<std::vector<int32_t>, std::vector<double>, Strings>;

// The schema of rows (null: none) joined with our own columns; `kinds` has one for each name.
ArrowSchema joined_schema(const ArrowSchema* rows, std::span<const std::string> names,
                          std::span<const OwnColumn> kinds);
// The batch of those columns, all of the same length.
ArrowArray joined_rows(const std::shared_ptr<const ArrowRows>& rows,
                       std::vector<OwnColumn>&& columns);

}  // namespace nabi
