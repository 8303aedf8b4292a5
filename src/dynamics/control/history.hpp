// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"

#include <array>
#include <functional>
#include <span>
#include <vector>

// What some numbers of a run were in the past, as exact as the run: on every step polynomials
// through its dense output, step by step for as long as somebody may ask for them. A delayed number
// is smooth in stretches, which begin where something happened; who reads it says which stretch it
// is on, so that a step that ends where a jump comes back sees the one side and the next step the
// other. theory/control (U.5)
namespace freeplay::dynamics {

class History {
 public:
  /// A stretch before everything.
  static constexpr double kNever = -1e300;

  /// `channels`: how many numbers; `keep`: for how long, s.
  History(int channels, double keep, double tolerance);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Begins anew, with nothing before.
  void clear();
  /// Something happens at t: from here on another stretch.
  void begin_stretch(double t) { stretch_ = t; }
  /// Takes down what the numbers were from t0 to t1. `look(t)` tells them at an instant, and is
  /// lent until the next call.
  void record(double t0, double t1, const std::function<std::span<const double>(double)>& look);
  /// A number as it was at t, seen from the stretch that began at `stretch`. False when that is
  /// before everything.
  [[nodiscard]] bool at(int channel, double t, double stretch, double& out) const;
  /// The latest time to which a step that reads from t on may go, so that it sees no more of the
  /// past than it can follow: as much as a few steps then took.
  [[nodiscard]] double latest(double t) const;

  void carry(Archive& archive);

 private:
  static constexpr int kNodes = 8;
  struct Piece {
    double begin = 0, end = 0, stretch = 0;
    double step_end = 0;  // of the step that it is a part of
  };

  using Look = std::function<std::span<const double>(double)>;
  void record_part(double t0, double t1, const Look& look, int depth);
  [[nodiscard]] bool follows(double t0, double t1, const Look& look);
  [[nodiscard]] static double sum(const double* a, double x);
  void push(double t0, double t1);
  void grow();
  void forget_before(double t);
  [[nodiscard]] const Piece& piece(int k) const { return pieces_[place(k)]; }
  [[nodiscard]] std::size_t place(int k) const {
    return (static_cast<std::size_t>(first_) + static_cast<std::size_t>(k)) % pieces_.size();
  }
  /// The last piece that begins at t or before; -1: none.
  [[nodiscard]] int find(double t) const;

  int channels_;
  double keep_, tolerance_, stretch_ = kNever, step_end_ = 0;
  std::vector<double> largest_;  // size of each number so far
  int first_ = 0, count_ = 0;    // of a ring
  std::vector<Piece> pieces_;
  std::vector<double> coefficients_;  // of Chebyshev's polynomials; kNodes for each channel
  std::vector<double> samples_, fit_;
};

}  // namespace freeplay::dynamics
