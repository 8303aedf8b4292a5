// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace freeplay::study {

/// How a variable scatters. All laws are sampled through their quantile function, so that Latin
/// hypercubes, Sobol points and correlations serve every one of them.
struct Distribution {
  enum class Law { uniform, normal, lognormal, triangular };
  Law law = Law::uniform;
  double from = 0, to = 1;                  ///< uniform, triangular
  double mode = 0.5;                        ///< triangular
  double mean = 0, standard_deviation = 1;  ///< normal; of the variable itself for lognormal too
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();  ///< truncation of normal and lognormal

  /// Value below which a share u of the samples lies, 0 < u < 1.
  [[nodiscard]] double quantile(double u) const;
};

/// Quantile and distribution function of the standard normal law.
[[nodiscard]] double normal_quantile(double u);
[[nodiscard]] double normal_share(double z);

}  // namespace freeplay::study
