// Fuzz target: Arrow record batches that are joined and taken apart hold the same values, and the
// last owner frees them.
#include "fuzz/fuzz.h"
#include "interchange/arrow_rows.h"

using namespace nabi;

namespace {

Strings strings_of(const Texts& texts) {
  Strings out;
  for (const Text& text : texts) {
    const u8* const p = static_cast<const u8*>(text.data);
    out.add({p, text.kind == Text::kMissing ? 0 : text.size});
  }
  return out;
}

std::shared_ptr<ArrowRows> rows_of(const ArrowSchema* before,
                                   const std::shared_ptr<const ArrowRows>& rows,
                                   const std::vector<std::string>& names,
                                   std::vector<OwnColumn> columns) {
  auto schema = shared_schema(joined_schema(before, names, columns));
  return std::make_shared<ArrowRows>(schema, joined_rows(rows, std::move(columns)));
}

void check_column(const ArrowRows& rows, size_t i, const Texts& texts) {
  Texts read;
  rows.append_texts(i, read);
  CHECK(read.size() == texts.size());
  for (size_t row = 0; row < read.size(); ++row) {
    const u8* const p = static_cast<const u8*>(texts[row].data);
    const u8* const q = static_cast<const u8*>(read[row].data);
    const size_t size = texts[row].kind == Text::kMissing ? 0 : texts[row].size;
    CHECK(std::equal(q, q + read[row].size, p, p + size));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input given(data, size);
  const fuzz::AnyTexts any(given, {});
  const size_t n = any.texts.size();
  const u32 width = 1 + given.below(3);
  std::vector<std::string> names;
  std::vector<OwnColumn> columns;
  for (u32 i = 0; i < width; ++i) {
    names.push_back(std::string(given.below(4), 'n'));
    columns.push_back(strings_of(any.texts));
  }
  auto rows = rows_of(nullptr, nullptr, names, columns);
  CHECK(rows->size() == n && rows->columns() == width);
  for (u32 i = 0; i < width; ++i) check_column(*rows, i, any.texts);

  std::vector<OwnColumn> numbers{std::vector<int32_t>(n, 7), std::vector<double>(n, 0.5)};
  if (given.flag()) numbers[0] = std::vector<int32_t>(n + 1);
  try {
    auto joined = rows_of(&rows->schema(), rows, {"i", "p"}, numbers);
    CHECK(!std::holds_alternative<std::vector<int32_t>>(numbers[0]) ||
          std::get<0>(numbers[0]).size() == n);
    if (given.flag()) rows.reset();  // the columns keep what they lie in
    CHECK(joined->columns() == width + 2);
    check_column(*joined, width - 1, any.texts);
    ArrowArray child = joined->column(width);
    CHECK(n == 0 || static_cast<const int32_t*>(child.buffers[1])[n - 1] == 7);
    CHECK(joined->numbers(width + 1) == std::vector<double>(n, 0.5));
    bool refused = false;
    try {
      Texts texts;
      joined->append_texts(width + given.below(3), texts);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  } catch (const std::invalid_argument&) {
    CHECK(std::get<0>(numbers[0]).size() != n);
  }
  return 0;
}
