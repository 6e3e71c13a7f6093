// Strings through the Arrow C data interface. The two structs are the interface's ABI.
#pragma once

#include <cstdint>
#include <string>

#include "unicode/texts.h"

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

namespace nabi {

// Appends the strings of an array: utf8, large_utf8, string_view, null, a dictionary of them, or a
// table of one such column. They stay where they are: the array must outlive them.
// Throws std::invalid_argument where the array holds something else.
void append_arrow(const ArrowSchema& schema, const ArrowArray& array, Texts& texts);

}  // namespace nabi
