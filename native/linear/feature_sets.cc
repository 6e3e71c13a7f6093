// Documents as sparse rows; fitting and cross-validation on several threads.
#include "linear/feature_sets.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "linear/linear_solver.h"
#include "platform/threads.h"

namespace nabi {
namespace {

constexpr int kLanes = 8;  // classes at a time: their weights of a feature are a cache line

}  // namespace

void check(const LinearWay& way) {
  const auto within = [](double x, double low, double high) { return x >= low && x <= high; };
  if (!within(way.cost, 1e-12, 1e12)) throw std::invalid_argument("C is out of range");
  if (!within(way.alpha, 1e-12, 1e12)) throw std::invalid_argument("alpha is out of range");
  if (!within(way.own, 0, 1)) throw std::invalid_argument("beta is out of range");
}

double counts_as(u32 n, bool logs) { return logs ? 1 + std::log(double(n)) : 1; }

FeatureSets::FeatureSets(const Bags& bags, std::vector<u32> classes, u32 n_classes,
                         std::vector<double> weights, std::vector<double> class_costs, double least,
                         bool logs)
    : classes_(std::move(classes)),
      n_classes_(n_classes),
      weights_(std::move(weights)),
      class_costs_(std::move(class_costs)) {
  if (classes_.size() != bags.size() || (!weights_.empty() && weights_.size() != bags.size()))
    throw std::invalid_argument("documents, classes and weights do not pair up");
  if (!class_costs_.empty() && class_costs_.size() != n_classes_)
    throw std::invalid_argument("classes and their costs do not pair up");
  if (n_classes_ < 2) throw std::invalid_argument("fewer than two classes");
  for (const u32 c : classes_)
    if (c >= n_classes_) throw std::invalid_argument("a class that is not there");
  for (const u32 n : bags.spaces()) width_ += n;
  std::vector<double> often(width_);
  for (size_t i = 0; i < bags.size(); ++i)
    for (const Times& times : bags[i]) often[times.feature] += weight(i);
  for (size_t f = 0; f < width_; ++f)
    if (often[f] > 0 && often[f] >= least) features_.push_back(u32(f));
  // Those that come often lie side by side, and stay in the cache.
  std::sort(features_.begin(), features_.end(),
            [&](u32 a, u32 b) { return often[a] != often[b] ? often[a] > often[b] : a < b; });
  std::vector<u32> column(width_, kNone);
  for (size_t c = 0; c < features_.size(); ++c) column[features_[c]] = u32(c);
  begins_.reserve(bags.size() + 1);
  begins_.push_back(0);
  for (size_t i = 0; i < bags.size(); ++i) {
    for (const Times& times : bags[i]) {
      if (column[times.feature] == kNone) continue;
      columns_of_.push_back(column[times.feature]);
      if (logs) times_.push_back(u8(std::min(times.n, kMost)));
    }
    begins_.push_back(columns_of_.size());
  }
  for (u32 n = 0; logs && n <= kMost; ++n) counts_as_.push_back(float(counts_as(n, true)));
}

template <class Run>
void FeatureSets::on_width(Run run) const {
  const bool logs = !counts_as_.empty();
  if (columns() == 1)
    logs ? run.template operator()<1, true>() : run.template operator()<1, false>();
  else
    logs ? run.template operator()<kLanes, true>() : run.template operator()<kLanes, false>();
}

void FeatureSets::check(std::span<const u64> indices) const {
  for (const u64 index : indices)
    if (index >= size()) throw std::invalid_argument("a document that is not there");
}

std::vector<float> FeatureSets::scales(std::span<const u64> indices, const LinearWay& way) const {
  std::vector<double> seen(features_.size());
  double n = 0;
  for (const u64 i : indices) {
    each<false>(i, [&](u32 f, float) { seen[f] += weight(i); });
    n += weight(i);
  }
  std::vector<float> out(seen.size());
  for (size_t f = 0; f < seen.size(); ++f)
    if (seen[f] > 0 && seen[f] >= way.least)
      out[f] = way.scale == Scale::kIdf ? float(1 + std::log((1 + n) / (1 + seen[f]))) : 1;
  return out;
}

LinearWeights FeatureSets::solve(std::span<const u64> indices, const LinearWay& way,
                                 unsigned threads) const {
  nabi::check(way);
  check(indices);
  const std::vector<float> scales = this->scales(indices, way);
  LinearWeights out;
  out.weights.resize(columns() * width_);
  out.bias.resize(columns());
  out.scales.resize(width_);
  for (size_t f = 0; f < scales.size(); ++f) out.scales[features_[f]] = scales[f];
  const auto give = [&](const auto& solver, u32 first, int lanes) {
    for (size_t f = 0; f < scales.size(); ++f)
      for (int l = 0; l < lanes; ++l)
        out.weights[u64{features_[f]} * columns() + first + l] = solver.weight(f, l);
    for (int l = 0; l < lanes; ++l) out.bias[first + l] = solver.bias(l);
  };
  const size_t blocks = (columns() + kLanes - 1) / kLanes;
  std::atomic<size_t> next = 0;
  const auto run = [&]<int kWide, bool kLogs>() {
    LinearSolver<kWide, kLogs> solver(*this, indices, way, scales);
    for (size_t block; (block = next++) < blocks;) {
      const u32 first = u32(block * kLanes);
      const int lanes = int(std::min<u32>(kWide, columns() - first));
      solver.fit(columns() == 1 ? 1 : first, lanes);
      give(solver, first, lanes);
    }
  };
  on_threads(unsigned(std::min<size_t>(threads, blocks)), [&](unsigned) { on_width(run); });
  return out;
}

void FeatureSets::left_out(std::span<const u64> indices, std::span<const u32> folds,
                           const LinearWay& way, double* out, unsigned threads) const {
  nabi::check(way);
  check(indices);
  if (folds.size() != indices.size()) throw std::invalid_argument("a fold for each document");
  u32 n_folds = 0;
  for (const u32 fold : folds)
    if (fold != kNone) n_folds = std::max(n_folds, fold + 1);
  if (n_folds > indices.size()) throw std::invalid_argument("more folds than documents");
  const size_t width = columns(), blocks = (width + kLanes - 1) / kLanes;
  struct Fold {
    std::vector<u64> learned;
    std::vector<size_t> asked;  // by their number among the indices
    std::vector<float> scales;
  };
  std::vector<Fold> parts(n_folds);
  for (size_t i = 0; i < indices.size(); ++i)
    for (u32 k = 0; k < n_folds; ++k)
      if (folds[i] == k)
        parts[k].asked.push_back(i);
      else
        parts[k].learned.push_back(indices[i]);
  std::fill_n(out, indices.size() * width, 0.0);
  for (Fold& part : parts) part.scales = scales(part.learned, way);
  std::atomic<size_t> next = 0;
  const auto run = [&]<int kWide, bool kLogs>() {
    for (size_t task; (task = next++) < n_folds * blocks;) {
      const Fold& part = parts[task / blocks];
      const u32 first = u32(task % blocks * kLanes);
      LinearSolver<kWide, kLogs> solver(*this, part.learned, way, part.scales);
      solver.fit(width == 1 ? 1 : first, int(std::min<size_t>(kWide, width - first)));
      for (const size_t i : part.asked) solver.score(indices[i], out + i * width + first);
    }
  };
  const size_t tasks = std::max<size_t>(1, n_folds * blocks);
  on_threads(unsigned(std::min<size_t>(threads, tasks)), [&](unsigned) { on_width(run); });
}

}  // namespace nabi
