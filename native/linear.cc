#include "linear.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "linear_solver.h"
#include "threads.h"

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

FeatureSets::FeatureSets(const Bags& bags, std::vector<u32> classes, u32 n_classes,
                         std::vector<double> weights, double least)
    : classes_(std::move(classes)), n_classes_(n_classes), weights_(std::move(weights)) {
  if (classes_.size() != bags.size() || (!weights_.empty() && weights_.size() != bags.size()))
    throw std::invalid_argument("documents, classes and weights do not pair up");
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
    for (const Times& times : bags[i])
      if (column[times.feature] != kNone) columns_of_.push_back(column[times.feature]);
    begins_.push_back(columns_of_.size());
  }
}

void FeatureSets::check(std::span<const u64> places) const {
  for (const u64 place : places)
    if (place >= size()) throw std::invalid_argument("a document that is not there");
}

std::vector<float> FeatureSets::scales(std::span<const u64> places, const LinearWay& way) const {
  std::vector<double> seen(features_.size());
  double n = 0;
  for (const u64 i : places) {
    for (const u32 f : (*this)[i]) seen[f] += weight(i);
    n += weight(i);
  }
  std::vector<float> out(seen.size());
  for (size_t f = 0; f < seen.size(); ++f)
    if (seen[f] > 0 && seen[f] >= way.least)
      out[f] = way.scale == Scale::kIdf ? float(1 + std::log((1 + n) / (1 + seen[f]))) : 1;
  return out;
}

LinearWeights FeatureSets::solve(std::span<const u64> places, const LinearWay& way,
                                 unsigned threads) const {
  nabi::check(way);
  check(places);
  const std::vector<float> scales = this->scales(places, way);
  LinearWeights out;
  out.weights.resize(columns() * width_);
  out.bias.resize(columns());
  out.scales.resize(width_);
  for (size_t f = 0; f < scales.size(); ++f) out.scales[features_[f]] = scales[f];
  const auto give = [&](const auto& solver, u32 first, int lanes) {
    for (int l = 0; l < lanes; ++l) {
      for (size_t f = 0; f < scales.size(); ++f)
        out.weights[(first + l) * width_ + features_[f]] = solver.weight(f, l);
      out.bias[first + l] = solver.bias(l);
    }
  };
  if (columns() == 1) {
    LinearSolver<1> solver(*this, places, way, scales);
    solver.fit(1, 1);
    give(solver, 0, 1);
    return out;
  }
  const size_t blocks = (columns() + kLanes - 1) / kLanes;
  std::atomic<size_t> next = 0;
  on_threads(unsigned(std::min<size_t>(threads, blocks)), [&](unsigned) {
    LinearSolver<kLanes> solver(*this, places, way, scales);
    for (size_t block; (block = next++) < blocks;) {
      const u32 first = u32(block * kLanes);
      const int lanes = int(std::min<u32>(kLanes, columns() - first));
      solver.fit(first, lanes);
      give(solver, first, lanes);
    }
  });
  return out;
}

void FeatureSets::left_out(std::span<const u64> places, std::span<const u32> folds,
                           const LinearWay& way, double* out, unsigned threads) const {
  nabi::check(way);
  check(places);
  if (folds.size() != places.size()) throw std::invalid_argument("a fold for each document");
  const u32 n_folds = folds.empty() ? 0 : *std::max_element(folds.begin(), folds.end()) + 1;
  if (n_folds > places.size()) throw std::invalid_argument("more folds than documents");
  const size_t width = columns(), blocks = width == 1 ? 1 : (width + kLanes - 1) / kLanes;
  struct Fold {
    std::vector<u64> learned;
    std::vector<size_t> asked;  // by their number among the places
    std::vector<float> scales;
  };
  std::vector<Fold> parts(n_folds);
  for (size_t i = 0; i < places.size(); ++i)
    for (u32 k = 0; k < n_folds; ++k)
      if (folds[i] == k)
        parts[k].asked.push_back(i);
      else
        parts[k].learned.push_back(places[i]);
  for (Fold& part : parts) part.scales = scales(part.learned, way);
  std::atomic<size_t> next = 0;
  const auto run = [&]<int kWide>() {
    for (size_t task; (task = next++) < n_folds * blocks;) {
      const Fold& part = parts[task / blocks];
      const u32 first = width == 1 ? 1 : u32(task % blocks * kLanes);
      const int lanes = width == 1 ? 1 : int(std::min<size_t>(kLanes, width - first));
      LinearSolver<kWide> solver(*this, part.learned, way, part.scales);
      solver.fit(first, lanes);
      for (const size_t i : part.asked)
        solver.score(places[i], out + i * width + (width == 1 ? 0 : first));
    }
  };
  on_threads(unsigned(std::max<size_t>(1, std::min<size_t>(threads, n_folds * blocks))),
             [&](unsigned) {
               if (width == 1)
                 run.template operator()<1>();
               else
                 run.template operator()<kLanes>();
             });
}

}  // namespace nabi
