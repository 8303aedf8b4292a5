// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/study_file.hpp"
#include <freeplay/math.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Searches for the best design in the unit cube. Each is deterministic: the points it asks for
// follow from the answers it got, so a search is resumed by giving it the same answers again.
namespace freeplay::study {

/// Answer at one point.
struct Evaluation {
  bool ok = true;                   ///< false: the run failed there
  double goal = 0;                  ///< to be minimised
  std::vector<double> constraints;  ///< satisfied where <= 0
  VecX slope = {};                  ///< of the goal; where slopes are asked for
  std::vector<VecX> constraint_slopes = {};
};

struct Search {
  int variables = 1;
  int constraints = 0;
  Algorithm algorithm = Algorithm::cobyla;
  std::int64_t evaluations = 200;  ///< at most
  double precision = 1e-4;         ///< of the point, relative to the cube
  std::uint64_t seed = 0;
  /// `slopes` are asked for by the algorithms that need them, and not at every point.
  std::function<Evaluation(const VecX& x, bool slopes)> evaluate;
  /// Optional: several points that may be computed in any order, before they are asked for.
  std::function<void(const std::vector<VecX>& points)> prepare;
  std::function<bool()> stop;  ///< optional
};

struct SearchResult {
  bool found = false;  ///< some point satisfied all constraints
  VecX x;
  double goal = 0;
  std::int64_t evaluations = 0;
  std::string reason;  ///< why it ended
};

[[nodiscard]] SearchResult search(const Search& problem);

/// Ordinary Kriging with a Gaussian correlation and a nugget, which lets it smooth over noise,
/// theory/statistics (S.4) to (S.6):
///
///   y(x) = beta + Z(x),  R_ij = exp(-sum theta_k (x_ik - x_jk)^2) + nugget delta_ij
class Kriging {
 public:
  /// Fits theta and the nugget by maximum likelihood.
  Kriging(const std::vector<VecX>& points, const VecX& values, std::uint64_t seed);

  struct Prediction {
    double mean = 0, standard_deviation = 0;
  };
  [[nodiscard]] Prediction predict(const VecX& x) const;
  /// (y_min - y) Phi(z) + s phi(z), z = (y_min - y)/s; Jones, Schonlau & Welch 1998.
  [[nodiscard]] double expected_improvement(const VecX& x, double least) const;
  [[nodiscard]] double nugget() const { return nugget_; }
  [[nodiscard]] const VecX& theta() const { return theta_; }

 private:
  [[nodiscard]] double fit(const VecX& logarithms);

  std::vector<VecX> points_;
  VecX values_, theta_;
  double nugget_ = 0, offset_ = 0, scale_ = 1, beta_ = 0, variance_ = 1, ones_ = 1;
  Eigen::LLT<MatX> factor_;
  VecX weights_, solved_ones_;
};

}  // namespace freeplay::study
