// Bounds: the best of many classes by upper bounds of all scores and the exact scores of a few.
//
// Cells are rounded up to whole steps, 255 of them in the largest. A text adds up the steps of its
// features for every class: features of many classes as rows of bytes, by vector instructions,
// others cell by cell. A class whose bound is below what the best class has for certain cannot win;
// where several are left, they are scored as the scorer does it. Hence the class is that of the
// scorer, ties included.
#pragma once

#include <memory>
#include <span>

#include "score/bound_rows.h"
#include "score/weights.h"

namespace nabi {

class Bounds {
 public:
  static constexpr size_t kMany = 128;   // classes from which on bounds are worth their memory
  static constexpr size_t kFlush = 128;  // features whose steps fit into 16 bits beside the start

  // Null where weights cannot be bounded: impossible classes, infinite numbers, twofold cells.
  static std::unique_ptr<const Bounds> of(const Weights& weights);

  // The biases of a call, with its prior.
  struct Base {
    std::vector<double> bias, slope;  // padded
    double size = 0;                  // the largest |bias|
    bool possible = false;            // some class is
    bool bounded = true;              // no bias is infinite
  };
  Base base(std::span<const double> bias) const;

  // Finds the best classes of texts, one text at a time; each thread has its own.
  class Search {
   public:
    Search(const Bounds& bounds, const Base& base, const BoundRows& loops = BoundRows::here());
    // The best class of a text with these features, kNone where none is possible. False where too
    // many classes may be the best: then to score all takes less time.
    bool best(std::span<const u32> features, double shared, u32* out);

   private:
    struct Start {
      std::vector<u16> steps;
      double top;  // the greatest bias(c) + n slope(c)
    };

    void start(size_t n);
    void add(std::span<const u32> features);
    double start_of(u32 c, double n) const { return base_.bias[c] + n * base_.slope[c]; }
    u32 top(u32 greatest) const;
    void gather(double least);
    bool choose(std::span<const u32> features, double shared, double margin, u32* out);
    double exact(std::span<const u32> features, double shared, u32 c) const;
    size_t most_candidates(std::span<const u32> features) const;
    u32 bound(u32 c) const { return long_ ? sums_[c] : steps_[c]; }

    const Bounds& b_;
    const Base& base_;
    const BoundRows& loops_;
    std::vector<Start> starts_;  // of short texts, by n
    std::vector<u16> steps_;     // by class
    std::vector<u32> sums_;      // the same for a long text
    bool long_ = false;
    double top_ = 0;         // of the start
    std::vector<u32> tops_;  // the greatest bound of each block
    std::vector<u32> candidates_;
  };

  bool known(size_t feature) const { return lists_[feature].row != kUnknown; }
  // For a feature that comes soon: where its cells are, and then its cells.
  void prefetch_list(size_t feature) const { prefetch(lists_.data(), feature); }
  void prefetch_cells(size_t feature) const;

 private:
  static constexpr u32 kNoRow = UINT32_MAX, kUnknown = UINT32_MAX - 1;
  struct List {
    u64 begin;
    u32 size, row;
  };

  explicit Bounds(const Weights& weights);
  bool sort_cells();
  void make_rows();
  double margin(double n, const Base& base) const;
  double cell(u32 feature, u32 c) const;

  const Weights& w_;
  size_t width_;                                             // classes, padded
  double scale_ = 1;                                         // steps in 1
  double cell_size_ = 0, slope_size_ = 0, shared_size_ = 0;  // the largest of each, without sign
  bool negative_ = false;                                    // some cell is
  std::vector<List> lists_;                                  // by feature
  std::vector<u32> entries_;  // of each cell class << 8 | steps, ascending in each list
  std::vector<double> cells_;
  std::vector<u8> rows_;  // steps by class, of the features with many
};

}  // namespace nabi
