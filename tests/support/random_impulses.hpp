// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/nonsmooth/impulse_problem.hpp"
#include <freeplay/math.hpp>

#include <random>
#include <string>
#include <vector>

// Random impulse problems, kept in numbers of their own besides: so that answers can be judged, and
// found by others, without a word of how ImpulseProblem goes about it.
namespace freeplay::testing {

enum class Family { regular, redundant, unequal, wedge, oblique };
inline constexpr int kFamilies = 5;
[[nodiscard]] const char* name_of(Family family);

/// Bodies of three velocities each in a row, with contacts between neighbours and to the ground.
class RandomImpulses {
 public:
  struct Draw {
    Family family = Family::regular;
    int bodies = 1, tangents = 0;
    double friction = 0;
    double restitution = -1;  ///< negative: drawn
    double load = 0.1;        ///< forces over the step, as speeds; at most
  };
  RandomImpulses(std::mt19937& random, const Draw& draw);

  [[nodiscard]] bool solve() { return problem_.solve(f_.data(), g_.data()); }
  [[nodiscard]] dynamics::ImpulseProblem& problem() { return problem_; }
  [[nodiscard]] VecX change() const {
    return Eigen::Map<const VecX>(problem_.change(), problem_.dofs());
  }

  // ---- the same problem: u = W P + b, along the rows of the contacts, normal first
  [[nodiscard]] int contacts() const { return static_cast<int>(restitution_.size()); }
  [[nodiscard]] int tangents() const { return draw_.tangents; }
  [[nodiscard]] double friction() const { return draw_.friction; }
  [[nodiscard]] double load() const { return draw_.load; }
  [[nodiscard]] const MatX& W() const { return W_; }
  /// Without contacts; of the normals less the speed of bounce, where `bounce` times it is asked.
  [[nodiscard]] VecX b(double bounce) const;
  [[nodiscard]] const VecX& before() const { return before_; }
  [[nodiscard]] double restitution(int contact) const {
    return restitution_[static_cast<std::size_t>(contact)];
  }
  /// What the answer is off the laws and the balance of impulses, over the largest impulse at play.
  [[nodiscard]] double off(double bounce) const;
  /// Kinetic energy that the step adds, less the work of the forces in it.
  [[nodiscard]] double gain() const;
  [[nodiscard]] double energy() const { return 0.5 * v_.dot(mass_.cwiseProduct(v_)); }

 private:
  void lay_out();
  void draw_motion(std::mt19937& random);
  void draw_contacts(std::mt19937& random);
  void condense();

  Draw draw_;
  dynamics::ImpulseProblem problem_;
  MatX H_, J_, W_;
  VecX v_, mass_, f_, g_, free_, before_;
  std::vector<double> restitution_;
};

}  // namespace freeplay::testing
