// Linear models of documents as sets of features: w and b that minimise
//     |w|^2 / 2 + b^2 / 2 + C sum over documents of loss(y (w.x + b)),
// one class against all others, by coordinate descent in the dual (Hsieh and others 2008, Yu and
// others 2011). A feature's value is a scale of its own, such as the log-count ratio of naive Bayes
// (Wang and Manning 2012), and a document may be divided by its length.
#pragma once

#include <span>
#include <vector>

#include "count/bags.h"

namespace nabi {

enum class Loss : u8 { kSquaredHinge, kLogistic };
enum class Scale : u8 {
  kOne,    // 1
  kIdf,    // 1 + log((1 + documents) / (1 + documents with it))
  kRatio,  // log of how much more probable it is in the class than elsewhere
};

struct LinearWay {
  Loss loss;
  Scale scale;
  double cost;      // C
  double alpha;     // added to the counts of the ratio
  double own;       // beta: share of the fitted weight; the rest is the mean magnitude of all
  bool normalised;  // whether documents are divided by their length
  double least;     // a feature of fewer documents is not known
};

// Throws std::invalid_argument where a number is out of its range.
void check(const LinearWay& way);

// Weights by feature, column by column; 0 of features that are not known.
struct LinearWeights {
  std::vector<float> weights;
  std::vector<double> bias;
  std::vector<float> scales;  // of each feature, for the length of a document; 0: not known
};

// Value of a feature that comes n times in a document: 1 + log n, or 1.
double counts_as(u32 n, bool logs);

// Documents as sets of features, and their classes. A column is a class against all others; of two
// classes there is one, the second.
class FeatureSets {
 public:
  // Features of fewer documents than `least` are left out. With `logs`, a feature that comes n
  // times has the value 1 + log n. A document counts `weights` times, and an error on it costs as
  // many times `class_costs` of its class. Throws std::invalid_argument where the sizes differ or a
  // class is unknown.
  FeatureSets(const Bags& bags, std::vector<u32> classes, u32 n_classes,
              std::vector<double> weights, std::vector<double> class_costs, double least,
              bool logs);

  size_t size() const { return classes_.size(); }
  u32 columns() const { return n_classes_ == 2 ? 1 : n_classes_; }
  // Fits the documents at these indices. The result depends on the documents and their order alone.
  LinearWeights solve(std::span<const u64> indices, const LinearWay& way, unsigned threads) const;
  // Cross-validation: w.x + b of each document, by the model of the documents in other folds,
  // column by column. Documents in the fold kNone are in every training set, and get the score 0.
  void left_out(std::span<const u64> indices, std::span<const u32> folds, const LinearWay& way,
                double* out, unsigned threads) const;

 private:
  template <int kLanes, bool kLogs>
  friend class LinearSolver;
  static constexpr u32 kMost = 255;  // largest n of a feature; more are counted as kMost
  // Calls take(column, value) for each feature of a document.
  template <bool kLogs, class Take>
  void each(u64 i, Take take) const {
    for (u64 k = begins_[i]; k < begins_[i + 1]; ++k)
      take(columns_of_[k], kLogs ? counts_as_[times_[k]] : 1.0F);
  }
  double weight(u64 i) const { return weights_.empty() ? 1 : weights_[i]; }
  double cost(u64 i) const {
    return weight(i) * (class_costs_.empty() ? 1 : class_costs_[classes_[i]]);
  }
  void check(std::span<const u64> indices) const;
  // Calls run<lanes, logs>() as the columns and the documents need it.
  template <class Run>
  void on_width(Run run) const;
  std::vector<float> scales(std::span<const u64> indices, const LinearWay& way) const;

  std::vector<u64> begins_;
  std::vector<u32> columns_of_;  // of each document's features, numbered by how often they come
  std::vector<u8> times_;        // how often each comes in the document; empty: not used
  std::vector<float> counts_as_;
  std::vector<u32> features_;  // id in the bags of each column
  std::vector<u32> classes_;
  u32 n_classes_;
  std::vector<double> weights_;      // empty: 1 each
  std::vector<double> class_costs_;  // empty: 1 each
  size_t width_ = 0;                 // of the bags: how many features there are
};

}  // namespace nabi
