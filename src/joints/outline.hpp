// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/profile.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <vector>

// The departure w(angle) of a surface from its circle, ready for use: pieces of fifth degree that
// agree with the profile in value, slope and bend at every knot (theory/gaps (G.27)). Twice
// differentiable throughout; looking one up takes no trigonometry.
namespace freeplay::joints {

class Outline {
 public:
  /// Departure and its derivatives by the angle; m, m/rad, m/rad^2.
  struct Local {
    double w = 0, slope = 0, bend = 0;
  };
  /// Largest sizes of the three.
  using Extent = Local;

  Outline() = default;  ///< round
  /// `harmonics`: undulations per turn beyond which there is nothing to see.
  /// `pieces`: how many there are; 0: as many as these waves need.
  Outline(const std::function<Local(double)>& departure, double harmonics, int pieces = 0);

  [[nodiscard]] bool round() const { return pieces_.empty(); }
  [[nodiscard]] Local at(double angle) const {
    double turn = angle * (0.5 / std::numbers::pi);
    turn -= std::floor(turn);
    const double x = turn * count_;
    const auto k = static_cast<std::size_t>(x);
    const std::array<double, 6>& a = pieces_[k];
    const double t = x - static_cast<double>(k);
    const double bend = 2 * a[2] + t * (6 * a[3] + t * (12 * a[4] + t * (20 * a[5])));
    const double slope = a[1] + t * (2 * a[2] + t * (3 * a[3] + t * (4 * a[4] + t * (5 * a[5]))));
    const double w = a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * (a[4] + t * a[5]))));
    return {w, slope * per_radian_, bend * per_radian_ * per_radian_};
  }
  [[nodiscard]] const Extent& extent() const { return extent_; }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double greatest() const { return greatest_; }
  [[nodiscard]] double harmonics() const { return harmonics_; }
  /// How sharply the surface bends at the places about an angle, at most; m/rad^2.
  [[nodiscard]] double steepest_bend(double angle) const {
    double turn = angle * (0.5 / std::numbers::pi);
    turn -= std::floor(turn);
    const auto k = static_cast<std::size_t>(turn * static_cast<double>(places_.size()));
    return places_[k < places_.size() ? k : 0].steepest;
  }

  /// A look all round, fine enough that between two of its places there is one rise or fall.
  struct Place {
    double cosine, sine, w, bend;
    double steepest;  ///< of the bends at this place, the one before and the two after; m/rad^2
  };
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] double spacing() const {
    return 2 * std::numbers::pi / static_cast<double>(places_.size());
  }

 private:
  std::vector<std::array<double, 6>> pieces_;  // one more than `count_`: the first again
  double count_ = 0, per_radian_ = 0;
  Extent extent_;
  double least_ = 0, greatest_ = 0, harmonics_ = 0;
  std::vector<Place> places_;
};

/// The profile of a surface of that mean radius (m); round without one.
[[nodiscard]] Outline outline_of(const Profile* profile, double radius);
/// The same of a surface that wears: `sense` 1, a bore, which grows by the depth worn away of each
/// sector; -1, a journal. theory/wear (W.9)
[[nodiscard]] Outline worn_outline(const Profile* profile, double radius,
                                   std::span<const double> depth, double sense);

}  // namespace freeplay::joints
