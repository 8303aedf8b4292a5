// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joints/imperfect_joint.hpp"
#include "joints/worn_surface.hpp"
#include "laws/wear_laws.hpp"

#include <array>
#include <span>
#include <vector>

// How the two surfaces of a joint wear (theory/wear): rates of depth at an instant, cell by cell of
// each part. What is worn away so far is a record in the memory of the state,
//
//   outer depth | inner depth | outer volume | inner volume | pressed | carried
//
// and so are the rates, number by number. The shape that touches is that of the model, which a
// record does not change while a run lasts.
//
//   wearing.cpp          laws and tables, what is refused, a bed in the plane
//   wearing_lines.cpp    pressed lines: across a journal or pin, along a guide
//   wearing_spots.cpp    the pressed spot of a ball
namespace freeplay::joints {

class Wearing {
 public:
  /// Throws ModelError where wear cannot be followed.
  Wearing(const Model& model, JointIndex joint, const ImperfectJoint& part);

  /// Cells of a part, 0: outer, 1: inner.
  [[nodiscard]] int cells(int part) const { return surface_[part].cells(); }
  /// Numbers of a record, and what they are.
  [[nodiscard]] int numbers() const { return cells(0) + cells(1) + 4; }
  [[nodiscard]] std::vector<MemoryField> fields() const;
  /// Where the depths of a part and its volume stand in a record, and the two integrals of load and
  /// slip: of the sum of pressures, and of the resultant.
  [[nodiscard]] int depths(int part) const { return part == 0 ? 0 : cells(0); }
  [[nodiscard]] int volume(int part) const { return cells(0) + cells(1) + part; }
  [[nodiscard]] int pressed() const { return cells(0) + cells(1) + 2; }
  [[nodiscard]] int carried() const { return cells(0) + cells(1) + 3; }
  /// Area of one cell of a part; m^2.
  [[nodiscard]] double cell_area(int part) const { return surface_[part].cell_area(); }
  /// The record of the part as the model has it.
  void begin(double* record) const;

  /// The shape that touches, where it follows what is worn away within a run: depths of both parts,
  /// in the memory of the state beside the record. Empty where a run keeps its shape.
  [[nodiscard]] bool follows() const { return update_ > 0; }
  [[nodiscard]] std::vector<MemoryField> shape_fields() const;
  /// Has a cell lost so much that the shape is to follow?
  [[nodiscard]] bool is_due(const double* record, const double* shape) const;
  /// The most that a cell has lost beyond the shape; m.
  [[nodiscard]] double beyond(const double* record, const double* shape) const;

  /// Rates of the whole record; `contacts` is the memory of the contacts of the joint.
  void rates(const ImperfectJoint& part, const Pose<double>& p1, const Pose<double>& p2,
             const double* contacts, const double* record, double* out) const;

 private:
  /// One look at a joint.
  struct Look {
    const ImperfectJoint& part;
    const Pose<double>&p1, &p2;
    const double *contacts, *record;
    double* out;
  };
  /// How a place is rubbed.
  struct Place {
    double slip, shear_ratio;
  };
  [[nodiscard]] double coefficient(int part) const { return coefficient_[part]; }
  void read_law(const Joint& joint, const ImperfectJoint& part, const std::string& path);
  void need_lines(const Joint& joint, const std::string& path);
  /// Rate of depth under a pressure; m/s.
  [[nodiscard]] double depth_rate(int part, double pressure, const Place& place,
                                  double depth) const;
  /// A cell of a part loses depth at `rate` on `area` of it; m/s, m^2.
  void wear_off(int part, int cell, double rate, double area, double* out) const {
    out[depths(part) + cell] += rate * area / cell_area(part);
    out[volume(part)] += rate * area;
  }
  /// Friction over load in a contact as a whole.
  [[nodiscard]] double friction_ratio(const Look& look, int contact) const;

  void bed_rates(const BedGap& gap, const Look& look) const;

  /// What is pressed across a row of both parts.
  struct Strip {
    std::array<const WornSurface::Row*, 2> row;
    std::array<double, 2> middle;       ///< in u
    std::array<double, 2> share{1, 1};  ///< of the breadth of the row
    double half_width = 0;              ///< of the line of Hertz; m
    double arc = 0;  ///< of an elastic bed: the angle to which it is pressed; 0: a line of Hertz
    double load = 0, carried = 0;  ///< sum of the pressures, and resultant; N
    Place place;
  };
  void add_strip(const Strip& strip, const double* record, double* out) const;
  /// Half the width of a line of Hertz under a load per length.
  [[nodiscard]] double line_half_width(double load_per_length, double effective_radius) const;
  void line_rates(const Look& look) const;
  void bore_rates(const BoreGap& gap, const Look& look) const;
  void guide_rates(const GuideGap& gap, const Look& look) const;

  /// A pressed cap round a place of a ball.
  struct Spot {
    double angle;      ///< at which the pressure ends, seen from the centre; rad
    double load;       ///< resultant; N
    Vec3 middle;       ///< direction of its middle, global
    Vec3 slip_middle;  ///< velocity there, of inner less outer material; m/s
    Vec3 spin;         ///< relative angular velocity; rad/s
    double shear_ratio;
  };
  void ball_rates(const Look& look) const;
  void ball_bed_rates(const BallBedGap& gap, const Look& look) const;
  void add_spot(int part, const Spot& spot, const Mat3& axes, const double* record,
                double* out) const;

  laws::WearLaw law_;
  bool uses_shear_ = false;
  laws::WearTable table_ = laws::WearTable::none;
  std::vector<double> x_, factor_;
  std::array<double, 2> coefficient_{}, radius_{};
  std::array<WornSurface, 2> surface_;
  std::array<double, 2> per_u_{1, 1}, widest_{};  // metres to the unit of u; of a line, to a side
  std::array<std::vector<double>, 2> start_;
  double length_ = 0, modulus_ = 0, effective_radius_ = 0;
  Frame first_, second_;
  double update_ = 0;                               // m
  std::array<std::vector<SpherePlace>, 2> places_;  // of a ball on a bed
  bool bed_ = false;                                // in space
};

}  // namespace freeplay::joints
