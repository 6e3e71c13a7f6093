// Dual coordinate descent for up to kLanes classes at once.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>

#include "linear/feature_sets.h"

namespace nabi {

// Xorshift random numbers and a shuffle, equal on every machine, unlike std::shuffle.
class Xorshift {
 public:
  // Fisher-Yates shuffle.
  void shuffle(std::span<u32> order) {
    for (size_t i = 0; i + 1 < order.size(); ++i)
      std::swap(order[i], order[i + below(u32(order.size() - i))]);
  }

 private:
  u32 below(u32 n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return u32((u64{u32(state_ >> 32)} * n) >> 32);
  }
  u64 state_ = 0x9e3779b97f4a7c15;
};

// The root t of q (c g(t) - z) + m + t, where g(t) = 1 / (1 + e^-t): by Newton's method, within
// bounds that close in.
inline double logistic_root(double q, double m, double c, double z, double t) {
  double low = -m - q * (c - z), high = -m + q * z;
  t = std::min(std::max(t, low), high);
  for (int i = 0; i < 50; ++i) {
    const double g = 1 / (1 + std::exp(-t)), value = q * (c * g - z) + m + t;
    if (std::abs(value) < 1e-6) break;
    (value > 0 ? high : low) = t;
    const double next = t - value / (1 + q * c * g * (1 - g));
    t = next > low && next < high ? next : low + (high - low) / 2;
  }
  return t;
}

// Solver for up to kLanes classes, each against all others. Most of the time goes into fetching the
// cells of a document's features, which the classes share.
template <int kLanes, bool kLogs>
class LinearSolver {
 public:
  static constexpr double kTolerance = 0.1;  // of the gradient: a finer one changes no decision
  static constexpr int kMostPasses = 300;

  LinearSolver(const FeatureSets& sets, std::span<const u64> indices, const LinearWay& way,
               std::span<const float> scales)
      : sets_(sets), indices_(indices), way_(way), scales_(scales), cells_(scales.size()) {}

  // Fits the classes `first` to `first` + `lanes` - 1.
  void fit(u32 first, int lanes);
  float weight(size_t column, int lane) const { return cells_[column].weight[lane]; }
  double bias(int lane) const { return bias_[lane]; }
  // w.x + b of a document for each lane.
  void score(u64 document, double* out) const;

 private:
  using Lanes = double[kLanes];
  struct alignas(kLanes * 8) Cell {
    float weight[kLanes];  // of the feature: its scale times its coordinate of w
    float square[kLanes];  // of the scale
  };
  struct Document {
    u64 index;
    double scale, cost;
    u32 aside;      // shrinking: a bit for each lane in which the document is set aside
    Lanes q, dual;  // |x|^2, and the dual variable
  };

  double y(const Document& document, int lane) const {
    return sets_.classes_[document.index] == first_ + u32(lane) ? 1 : -1;
  }
  template <class Take>
  void each(u64 document, Take take) const {
    sets_.template each<kLogs>(document, take);
  }
  double scale_of(u64 document) const {
    double length = 0;
    each(document, [&](u32 f, float x) { length += double(x * scales_[f]) * (x * scales_[f]); });
    return way_.normalised && length > 0 ? 1 / std::sqrt(length) : 1;
  }
  void sums(u64 document, float* out) const {
    float sum[kLanes] = {};
    each(document, [&](u32 f, float x) {
      for (int l = 0; l < kLanes; ++l) sum[l] += x * cells_[f].weight[l];
    });
    std::copy_n(sum, kLanes, out);
  }
  // Adds step[lane] times the document to w and b.
  void move(const Document& document, const double* step) {
    float scaled[kLanes];
    for (int l = 0; l < kLanes; ++l) scaled[l] = float(step[l] * document.scale);
    each(document.index, [&](u32 f, float x) {
      for (int l = 0; l < kLanes; ++l) cells_[f].weight[l] += x * scaled[l] * cells_[f].square[l];
    });
    for (int l = 0; l < kLanes; ++l) bias_[l] += step[l];
  }
  void set_ratios(bool keep);
  void set_scales();
  void set_documents();
  void squared_hinge();
  void logistic();
  void share();

  const FeatureSets& sets_;
  std::span<const u64> indices_;
  const LinearWay& way_;
  std::span<const float> scales_;  // of each column (1 for kRatio); 0: not known
  std::vector<Cell> cells_;
  std::vector<Document> documents_;
  Lanes bias_;
  u32 first_ = 0;
  int lanes_ = 0;
};

template <int kLanes, bool kLogs>
void LinearSolver<kLanes, kLogs>::fit(u32 first, int lanes) {
  first_ = first;
  lanes_ = lanes;
  std::fill_n(bias_, kLanes, 0.0);
  way_.scale == Scale::kRatio ? set_ratios(false) : set_scales();
  set_documents();
  way_.loss == Loss::kLogistic ? logistic() : squared_hinge();
  if (way_.scale == Scale::kRatio && way_.own < 1) share();
}

template <int kLanes, bool kLogs>
void LinearSolver<kLanes, kLogs>::set_scales() {
  for (size_t f = 0; f < cells_.size(); ++f) {
    cells_[f] = {};
    std::fill_n(cells_[f].square, kLanes, scales_[f] * scales_[f]);
  }
}

// Computes the log-count ratios of all features for each class; with `keep`, writes them to the
// weights.
template <int kLanes, bool kLogs>
void LinearSolver<kLanes, kLogs>::set_ratios(bool keep) {
  std::vector<Lanes> own(cells_.size());
  std::vector<double> all(cells_.size());
  for (const u64 i : indices_) {
    const double weight = sets_.weight(i);
    const u32 lane = sets_.classes_[i] - first_;
    each(i, [&](u32 f, float x) {
      all[f] += weight * x;
      if (lane < u32(kLanes)) own[f][lane] += weight * x;
    });
  }
  double total = 0, smoothing = 0;
  Lanes totals = {};
  for (size_t f = 0; f < cells_.size(); ++f) {
    if (scales_[f] == 0) continue;
    total += all[f];
    smoothing += way_.alpha;
    for (int l = 0; l < kLanes; ++l) totals[l] += own[f][l];
  }
  for (size_t f = 0; f < cells_.size(); ++f) {
    cells_[f] = {};
    for (int l = 0; scales_[f] != 0 && l < kLanes; ++l) {
      const double here = (own[f][l] + way_.alpha) / (totals[l] + smoothing);
      const double there = (all[f] - own[f][l] + way_.alpha) / (total - totals[l] + smoothing);
      const float ratio = float(std::log(here / there));
      cells_[f].square[l] = ratio * ratio;
      if (keep) cells_[f].weight[l] = ratio;
    }
  }
}

template <int kLanes, bool kLogs>
void LinearSolver<kLanes, kLogs>::set_documents() {
  documents_.clear();
  documents_.reserve(indices_.size());
  for (const u64 i : indices_) {
    if (!(sets_.weight(i) > 0)) continue;
    Document document{i, scale_of(i), way_.cost * sets_.cost(i), 0, {}, {}};
    float squares[kLanes] = {};
    each(i, [&](u32 f, float x) {
      for (int l = 0; l < kLanes; ++l) squares[l] += x * x * cells_[f].square[l];
    });
    for (int l = 0; l < kLanes; ++l)
      document.q[l] = document.scale * document.scale * squares[l] + 1;
    documents_.push_back(document);
  }
}

// The dual: min over z >= 0 of z'Qz / 2 - sum z + sum z^2 / 4C. A document whose z is 0 and stays
// so in a class is set aside there, until the others are done.
template <int kLanes, bool kLogs>
void LinearSolver<kLanes, kLogs>::squared_hinge() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<u32> order(documents_.size());
  std::iota(order.begin(), order.end(), 0);
  Xorshift random;
  Lanes limit;
  std::fill_n(limit, kLanes, kInfinity);
  u32 open = (u32{1} << lanes_) - 1;  // the lanes that are not done
  u32 whole = open;                   // those in which no document was set aside
  size_t active = order.size();
  for (int pass = 0; pass < kMostPasses && open; ++pass) {
    Lanes most, least;
    std::fill_n(most, kLanes, -kInfinity);
    std::fill_n(least, kLanes, kInfinity);
    const u32 complete = whole;
    random.shuffle(std::span(order).first(active));
    for (size_t i = 0; i < active;) {
      Document& document = documents_[order[i]];
      float sum[kLanes];
      sums(document.index, sum);
      const double ridge = 0.5 / document.cost;
      Lanes step = {};
      bool moves = false;
      for (int l = 0; l < lanes_; ++l) {
        const u32 bit = u32{1} << l;
        if (!(open & bit) || (document.aside & bit)) continue;
        const double side = y(document, l);
        const double gradient =
            side * (document.scale * sum[l] + bias_[l]) - 1 + ridge * document.dual[l];
        double projected = gradient;
        if (document.dual[l] == 0) {
          if (gradient > limit[l]) {
            document.aside |= bit;
            whole &= ~bit;
            continue;
          }
          projected = std::min(gradient, 0.0);
        }
        most[l] = std::max(most[l], projected);
        least[l] = std::min(least[l], projected);
        if (std::abs(projected) < 1e-12) continue;
        const double z = std::max(0.0, document.dual[l] - gradient / (document.q[l] + ridge));
        step[l] = side * (z - document.dual[l]);
        document.dual[l] = z;
        moves = true;
      }
      if (moves) move(document, step);
      if ((document.aside & open) == open)
        std::swap(order[i], order[--active]);
      else
        ++i;
    }
    for (int l = 0; l < lanes_; ++l) {
      const u32 bit = u32{1} << l;
      if (!(open & bit)) continue;
      limit[l] = most[l] > 0 ? most[l] : kInfinity;
      if (most[l] - least[l] > kTolerance) continue;
      if (complete & bit) {
        open &= ~bit;
      } else {
        limit[l] = kInfinity;
        whole |= bit;
        active = order.size();
        for (Document& document : documents_) document.aside &= ~bit;
      }
    }
  }
}

// The dual: min over 0 < z < C of z'Qz / 2 + sum z log z + (C - z) log(C - z). `dual` holds the
// log-odds of z / C, which is as exact at both ends.
template <int kLanes, bool kLogs>
void LinearSolver<kLanes, kLogs>::logistic() {
  constexpr double kStart = -7;
  std::vector<u32> order(documents_.size());
  std::iota(order.begin(), order.end(), 0);
  Xorshift random;
  for (Document& document : documents_) {
    Lanes step = {};
    for (int l = 0; l < lanes_; ++l) {
      document.dual[l] = kStart;
      step[l] = y(document, l) * document.cost / (1 + std::exp(-kStart));
    }
    move(document, step);
  }
  u32 open = (u32{1} << lanes_) - 1;
  for (int pass = 0; pass < kMostPasses && open; ++pass) {
    Lanes most = {};
    random.shuffle(order);
    for (const u32 i : order) {
      Document& document = documents_[i];
      float sum[kLanes];
      sums(document.index, sum);
      Lanes step = {};
      bool moves = false;
      for (int l = 0; l < lanes_; ++l) {
        if (!(open >> l & 1)) continue;
        const double side = y(document, l), c = document.cost;
        const double margin = side * (document.scale * sum[l] + bias_[l]);
        const double gradient = margin + document.dual[l];
        most[l] = std::max(most[l], std::abs(gradient));
        if (std::abs(gradient) < 1e-3) continue;
        const double z = c / (1 + std::exp(-document.dual[l]));
        document.dual[l] = logistic_root(document.q[l], margin, c, z, document.dual[l]);
        step[l] = side * (c / (1 + std::exp(-document.dual[l])) - z);
        moves = true;
      }
      if (moves) move(document, step);
    }
    for (int l = 0; l < lanes_; ++l)
      if (most[l] <= kTolerance) open &= ~(u32{1} << l);
  }
}

// Interpolates between each weight and the mean magnitude of all, as in Wang and Manning (beta).
template <int kLanes, bool kLogs>
void LinearSolver<kLanes, kLogs>::share() {
  const std::vector<Cell> fitted = cells_;
  set_ratios(true);
  for (int l = 0; l < lanes_; ++l) {
    double sizes = 0, known = 0;
    for (size_t f = 0; f < fitted.size(); ++f) {
      known += scales_[f] != 0;
      if (cells_[f].weight[l] != 0) sizes += std::abs(fitted[f].weight[l] / cells_[f].weight[l]);
    }
    const double mean = known > 0 ? sizes / known : 0;
    for (size_t f = 0; f < fitted.size(); ++f)
      cells_[f].weight[l] =
          float((1 - way_.own) * mean * cells_[f].weight[l] + way_.own * fitted[f].weight[l]);
  }
}

template <int kLanes, bool kLogs>
void LinearSolver<kLanes, kLogs>::score(u64 document, double* out) const {
  const double scale = scale_of(document);
  Lanes sum = {};
  each(document, [&](u32 f, float x) {
    for (int l = 0; l < kLanes; ++l) sum[l] += double(x) * cells_[f].weight[l];
  });
  for (int l = 0; l < lanes_; ++l) out[l] = scale * sum[l] + bias_[l];
}

}  // namespace nabi
