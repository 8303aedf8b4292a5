// SPDX-License-Identifier: Apache-2.0
#include "study/distribution.hpp"

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::study {

double normal_quantile(double u) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u); }
double normal_share(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double Distribution::quantile(double u) const {
  switch (law) {
    case Law::uniform:
      return from + u * (to - from);
    case Law::triangular: {
      const double split = (mode - from) / (to - from);
      if (u < split) return from + std::sqrt(u * (to - from) * (mode - from));
      return to - std::sqrt((1 - u) * (to - from) * (to - mode));
    }
    case Law::normal: {
      // Truncated: the share between the bounds is spread over (0, 1).
      const double a = normal_share((lower - mean) / standard_deviation),
                   b = normal_share((upper - mean) / standard_deviation);
      const double x = mean + standard_deviation * normal_quantile(a + u * (b - a));
      return std::clamp(x, lower, upper);
    }
    case Law::lognormal: {
      const double square = std::log1p(std::pow(standard_deviation / mean, 2));
      const double sigma = std::sqrt(square), mu = std::log(mean) - 0.5 * square;
      const auto share = [&](double x) {
        return x <= 0 ? 0.0 : std::isinf(x) ? 1.0 : normal_share((std::log(x) - mu) / sigma);
      };
      const double a = share(lower), b = share(upper);
      return std::clamp(std::exp(mu + sigma * normal_quantile(a + u * (b - a))), lower, upper);
    }
  }
  return 0;
}

}  // namespace freeplay::study
