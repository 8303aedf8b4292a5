// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/imperfect_joint.hpp"
#include "laws/wear_laws.hpp"

#include <array>
#include <span>
#include <vector>

// How the two surfaces of a joint wear (theory/wear): rates of depth at an instant, sector by
// sector round each part. What is worn away so far is a record in the memory of the state,
//
//   outer depth | inner depth | outer volume | inner volume | pressed | carried
//
// and so are the rates, number by number. The shape that touches is that of the model, which a
// record does not change while a run lasts.
namespace freeplay::joints {

class Wearing {
 public:
  /// Throws ModelError where wear cannot be followed.
  Wearing(const Model& model, JointIndex joint, const ImperfectJoint& part);

  [[nodiscard]] int sectors() const { return sectors_; }
  /// Numbers of a record, and what they are.
  [[nodiscard]] int numbers() const { return 2 * sectors_ + 4; }
  [[nodiscard]] std::vector<MemoryField> fields() const;
  /// Where the volume of a part (0: outer, 1: inner) stands in a record, and the two integrals of
  /// load and slip: of the sum of pressures, and of the resultant.
  [[nodiscard]] int volume(int part) const { return 2 * sectors_ + part; }
  [[nodiscard]] int pressed() const { return 2 * sectors_ + 2; }
  [[nodiscard]] int carried() const { return 2 * sectors_ + 3; }
  /// Area of one sector of a part; m^2.
  [[nodiscard]] double sector_area(int part) const { return area_[part]; }
  /// The record of the part as the model has it.
  void begin(double* record) const;

  /// Rates of the whole record; `contacts` is the memory of the contacts of the joint.
  void rates(const ImperfectJoint& part, const Pose<double>& p1, const Pose<double>& p2,
             const double* contacts, const double* record, double* out) const;

 private:
  /// A place that is pressed: force per angle of the bearing, N/rad, and what goes with it.
  struct Place {
    double load, slip, shear_ratio;
  };
  [[nodiscard]] double coefficient(int part) const { return coefficient_[part]; }
  /// Rate of depth where `share` (rad) of a sector of a part is under a pressure; m/s.
  [[nodiscard]] double depth_rate(int part, double pressure, const Place& place,
                                  double depth) const;
  void bed_rates(const BedGap& gap, const ImperfectJoint& part, const Pose<double>& p1,
                 const Pose<double>& p2, const double* contacts, const double* record,
                 double* out) const;
  /// A line under the pressure of Hertz.
  struct Line {
    std::array<double, 2> angle;  ///< of its middle on both parts; rad
    double load, slip, shear_ratio;
    double effective_radius;  ///< m
  };
  void add_line(const Line& line, const double* record, double* out) const;
  /// Friction over load in a contact as a whole.
  [[nodiscard]] double friction_ratio(const ImperfectJoint& part, int contact,
                                      const Pose<double>& p1, const Pose<double>& p2,
                                      const double* contacts) const;

  laws::WearLaw law_;
  bool uses_shear_ = false;
  laws::WearTable table_ = laws::WearTable::none;
  std::vector<double> x_, factor_;
  std::array<double, 2> coefficient_{}, radius_{}, area_{};
  std::array<std::vector<double>, 2> start_;
  int sectors_ = 360;
  double length_ = 0, modulus_ = 0, effective_radius_ = 0;
};

}  // namespace freeplay::joints
