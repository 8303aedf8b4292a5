// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

// What scattered inputs do to outputs (theory/statistics): moments and quantiles, shares of
// variance, bounds.
namespace freeplay::study {

struct Moments {
  double mean = 0, standard_error = 0;
  double mean_low = 0, mean_high = 0;  ///< confidence interval of the mean
  double standard_deviation = 0;
  double least = 0, median = 0, greatest = 0;
  double low = 0, high = 0;  ///< quantiles between which `confidence` of the samples lie
};
[[nodiscard]] Moments moments(std::vector<double> values, double confidence);

/// A share counted in independent samples, with its interval (Clopper & Pearson 1934), which is
/// never too narrow.
struct Share {
  double value = 0, low = 0, high = 1;
};
[[nodiscard]] Share share(std::int64_t hits, std::int64_t samples, double confidence);

/// Shares of the variance of an output: by one variable alone (first), and with all its
/// interactions (total). Estimators of Saltelli et al. 2010 and Jansen 1999.
struct SobolIndices {
  std::vector<double> first, total;              ///< one per variable
  std::vector<double> first_error, total_error;  ///< half widths at the given confidence
};
/// `outputs` as RowPlan orders the rows of a sensitivity study: for each base point A, B, AB_1 ...
/// AB_d. Base points for which any row failed are left out by passing `good` (one per base point).
[[nodiscard]] SobolIndices sobol_indices(std::span<const double> outputs, int variables,
                                         std::span<const char> good, double confidence,
                                         std::uint64_t seed);

/// Chebyshev polynomial through values at the tensor of nodes (Wu et al. 2013).
class ChebyshevSurrogate {
 public:
  /// `values` with the last variable fastest, as RowPlan orders an interval study.
  ChebyshevSurrogate(std::span<const double> values, int variables, int nodes);

  /// At a point of [-1, 1]^d.
  [[nodiscard]] double operator()(std::span<const double> x) const;

  struct Bounds {
    double lower = 0, upper = 0;              ///< of the polynomial, by search
    double outer_lower = 0, outer_upper = 0;  ///< of the polynomial, never too narrow
    double tail = 0;  ///< size of the terms of highest order: how far the polynomial may be off
    std::vector<double> lower_at, upper_at;  ///< in [-1, 1]^d
  };
  [[nodiscard]] Bounds bounds() const;

 private:
  int d_, m_;
  std::vector<double> coefficients_;
};

}  // namespace freeplay::study
