// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/deforming_body.hpp"

#include <array>
#include <memory>
#include <vector>

// A slender beam that bends and stretches as far as it likes, in the plane: cubic elements in
// absolute nodal coordinates (theory/beams). Node k has four coordinates, its place r and the slope
// r' of the axis by its undeformed length; the mass that goes with their rates is constant.
namespace freeplay::dynamics {

using Vec2 = Eigen::Vector2d;

/// Positions: x, y, x', y' of each node, then the angle of the body's own frame, which says how
/// often it has turned round. Velocities: the rates of all but the last. The body's own frame is
/// fixed to the section of the axis that is nearest to its origin.
class PlanarBeam final : public DeformingBody {
 public:
  PlanarBeam(const Body& body, const Vec3& gravity, const Flexible& beam);

  void declare(const std::string& path, const Scales& scales, Layout& layout) const override;
  [[nodiscard]] bool floats() const override { return false; }
  /// Slopes are turned and stretched: their rates have the unit of a spin.
  [[nodiscard]] bool turns(int velocity) const override { return velocity % 4 >= 2; }
  /// Straight and unstretched, moving as one piece, as the rigid body would.
  void start(double* q, double* v) const override;

  int attach(const Vec3& point) override;
  [[nodiscard]] int attached() const override { return static_cast<int>(stations_.size()) - 1; }
  [[nodiscard]] Reach reach(int frame) const override;

  void place(const double* q, const double* v, Pose<double>& own,
             Pose<double>* attached) const override;
  void accelerate(const double* q, const double* v, const double* a, const Pose<double>& own,
                  FrameAcceleration& out, FrameAcceleration* attached) const override;
  void position_rates(const double* q, const double* v, double* q_dot) const override;
  void position_rates_derivative(const double* q, const double* v, const Sink& sink) const override;
  void displace(double* q, const double* change) const override;
  void displacement(const double* from, const double* to, double* change) const override;
  void normalise(double* q) const override;

  [[nodiscard]] bool couples(int i, int j) const override {
    return i % 2 == j % 2 && i / 4 - j / 4 <= 1 && j / 4 - i / 4 <= 1;
  }
  void mass(const double* q, MatX& block) const override;
  void mass_times(const double* q, const double* a, double* out) const override;
  void forces(const double* q, const double* v, double* out) const override;
  void momentum_derivative(const double* q, const double* v, const double* a,
                           const Sink& sink) const override;
  [[nodiscard]] Energies energies(const double* q, const double* v,
                                  const Pose<double>& own) const override;
  [[nodiscard]] bool dissipates() const override { return beam_.damping_time > 0; }
  [[nodiscard]] double dissipated_power(const double* q, const double* v) const override;
  void dissipated_power_derivative(const double* q, const double* v,
                                   const Sink& sink) const override;

  void spread(const double* q, int frame, const Wrench<double>& wrench, double* out) const override;
  void spread_derivative(const double* q, int frame, const Wrench<double>& wrench,
                         const Sink& sink) const override;
  void frame_derivative(const double* q, const double* v, int frame, MatX& out) const override;
  void acceleration_derivative(const double* q, const double* v, const double* a, int frame,
                               const Vec3& row_v, const Vec3& row_w,
                               const Sink& sink) const override;

  [[nodiscard]] int sections() const override;
  void observe(const double* q, const double* v, std::span<SectionState> out) const override;

  /// Of the section at a share of the length from 0 to 1.
  struct Section {
    Vec2 place, slope;
    double stretch = 0, curvature = 0;  ///< as the strain measure has them; 1, 1/m
    double force = 0, moment = 0;       ///< axial force and bending moment, with damping; N, N m
  };
  [[nodiscard]] Section section(const double* q, const double* v, double share) const;

 private:
  using Weights = std::array<double, 4>;  // of r, r' of the two nodes of an element
  /// A section with something fixed to it.
  struct Station {
    int element = 0, nodes = 2;  // 1: it is the first node of the element
    Weights place, slope;
    Vec2 offset = Vec2::Zero();  // of the frame from the axis, body axes; m
  };
  /// A point of numerical integration.
  struct Point {
    double weight = 0;  // m
    Weights slope, bend;
  };
  [[nodiscard]] const Station& station(int frame) const {
    return stations_[static_cast<std::size_t>(frame + 1)];
  }
  [[nodiscard]] Station station_at(const Vec3& point) const;
  [[nodiscard]] Weights place_weights(double xi) const;
  [[nodiscard]] Weights slope_weights(double xi) const;
  [[nodiscard]] Weights bend_weights(double xi) const;
  /// Of the axis at a station, from the body's axes; without whole turns. rad
  [[nodiscard]] double wrapped(const Vec2& slope) const;
  /// Whole turns of the slope at a station since node 0, seen from where atan2 jumps.
  [[nodiscard]] int winding(const double* q, const Station& at) const;
  /// The angle of the body's own frame that is nearest to this one.
  [[nodiscard]] double own_angle(const double* q, double near) const;

  const Body& body_;
  Vec2 gravity_;
  Flexible beam_;
  int nodes_;
  double length_, l_;              // of the beam, of an element; m
  double axis_angle_;              // of the axis in the body; rad
  Vec2 axis_;                      // its direction there
  std::vector<Station> stations_;  // the body's own, then those attached
  std::array<Point, 5> axial_;
  std::array<Point, 3> bending_;
  std::array<Weights, 4> mass_;  // of an element, for each direction; kg, kg m, kg m^2
};

}  // namespace freeplay::dynamics
