// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json.hpp"
#include <freeplay/result.hpp>
#include <freeplay/run.hpp>

#include <string>
#include <vector>

// How far runs of one model agree: where every body is and how it is turned, on the uniform grid,
// which they share.
namespace freeplay::cli {

/// Places and turns of the bodies on the uniform grid, of a run as it goes by or of a stored one.
class Track : public Observer {
 public:
  Track() = default;
  explicit Track(const Result& result);
  bool wants_peaks() const override { return false; }
  void begin(const RunHeader& header) override;
  void uniform(double time, std::span<const double> row) override;

  [[nodiscard]] std::size_t bodies() const { return bodies_.size(); }
  [[nodiscard]] const std::string& name(std::size_t b) const { return bodies_[b].name; }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// How far body `b` of another run is from this one at grid point i; m and rad.
  struct Apart {
    double distance = 0, turn = 0;
  };
  [[nodiscard]] Apart apart(const Track& other, std::size_t b, std::size_t i) const;

 private:
  struct Body {
    std::string name;
    Channel position, turn;  // an angle, or a quaternion
    std::vector<double> places, turns;
  };
  void choose(const std::vector<Channel>& channels);

  std::vector<Body> bodies_;
  std::vector<double> times_;
};

/// Settled: within this share of the characteristic length, and of a radian.
inline constexpr double kSettled = 1e-6;

/// How far a run agrees with a finer one on one body.
[[nodiscard]] Settled compare(const Track& run, const Track& finer, std::size_t body,
                              double length);

/// The same of all bodies together: what is noted in a result.
[[nodiscard]] Trust trust_of(const Track& run, const Track& finer, double length);

/// What makes a run of this model finer: its tolerance, or the step of a fixed-step method.
struct Knob {
  std::string name;
  double* value = nullptr;
  double finer = 0.1;  ///< factor of one step towards the truth
};
[[nodiscard]] Knob knob_of(Model& model);

/// "converged to the end: within 1e-9 m and 2e-9 rad of a run at tolerance 1e-9".
[[nodiscard]] std::string text_of(const Trust& trust);

}  // namespace freeplay::cli
