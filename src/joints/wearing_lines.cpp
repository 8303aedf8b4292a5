// SPDX-License-Identifier: Apache-2.0
#include "joints/quadrature.hpp"
#include "joints/wearing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// Pressed lines, theory/wear (W.4), (W.5), (W.16) to (W.18).
namespace freeplay::joints {
namespace {

/// Share of the load of a Hertz line on one side of x/a = u, theory/wear (W.5).
double load_below(double u) {
  u = std::clamp(u, -1.0, 1.0);
  return 0.5 + (u * std::sqrt(1 - u * u) + std::asin(u)) / std::numbers::pi;
}

/// The same of a bed that is pressed as cos(t) - cos(arc), at t = u arc, theory/wear (W.16).
double bed_load_below(double u, double arc) {
  const double t = std::clamp(u, -1.0, 1.0) * arc, c = std::cos(arc);
  return 0.5 + 0.5 * (std::sin(t) - t * c) / (std::sin(arc) - arc * c);
}

/// 1 over the radius of curvature of a surface with these derivatives; 1/m.
double curvature(const Flat<double>& d, const Flat<double>& dd) {
  const double square = d.dot(d);
  return d.cross(dd) / (square * std::sqrt(square));
}

/// Where a contact point lies in the frame of a part.
Vec3 own_place(const Frame& frame, const Pose<double>& pose, const Vec3& arm) {
  return frame.axes.transpose() * (pose.R.transpose() * arm - frame.point);
}
double angle_of(const Vec3& at) { return std::atan2(at[1], at[0]); }

/// How a stretch along a line passes the cells of a part: x = at_low + slope (s - low) cells from
/// their first border.
struct Ruler {
  double at_low, slope;
};

/// visit(from, to) for the pieces of a stretch between the borders of cells of both parts.
template <class Visit>
void each_piece(double low, double high, const std::array<Ruler, 2>& rulers, Visit&& visit) {
  std::array<double, 2> next;  // border
  const auto border = [&](std::size_t k) {
    return low + (next[k] - rulers[k].at_low) / rulers[k].slope;
  };
  for (const std::size_t k : {0UL, 1UL})
    next[k] =
        rulers[k].slope > 0 ? std::floor(rulers[k].at_low) + 1 : std::ceil(rulers[k].at_low) - 1;
  double from = low;
  while (from < high) {
    double to = high;
    for (const std::size_t k : {0UL, 1UL}) {
      while (rulers[k].slope != 0 && border(k) <= from) next[k] += rulers[k].slope > 0 ? 1 : -1;
      if (rulers[k].slope != 0) to = std::min(to, border(k));
    }
    visit(from, to);
    from = to;
  }
}

}  // namespace

double Wearing::line_half_width(double load_per_length, double effective_radius) const {
  return std::sqrt(4 * load_per_length * effective_radius / (std::numbers::pi * modulus_));
}

void Wearing::add_strip(const Strip& strip, const double* record, double* out) const {
  for (const int part : {0, 1}) {
    if (!(coefficient_[part] > 0)) continue;
    const WornSurface::Row& row = *strip.row[part];
    const double reach =
        strip.arc > 0 ? strip.arc : std::min(strip.half_width / per_u_[part], widest_[part]);
    const double low = (strip.middle[part] - reach) / row.width + row.shift,
                 high = (strip.middle[part] + reach) / row.width + row.shift;
    const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
    const auto below = [&](double x) {
      const double u = (x - middle) / half;
      return strip.arc > 0 ? bed_load_below(u, strip.arc) : load_below(u);
    };
    for (double k = std::floor(low); k < high; ++k) {
      const double from = std::max(low, k), to = std::min(high, k + 1);
      if (!(to > from) || !(half > 0)) continue;
      const double load = strip.load * (below(to) - below(from));
      const int m = WornSurface::cell_of(row, k);
      const double covered = (to - from) * cell_area(part) * strip.share[part];
      const double depth = record[depths(part) + m];
      const double rate = depth_rate(part, load / covered, strip.place, depth) * covered;
      out[depths(part) + m] += rate / cell_area(part);
      out[volume(part)] += rate;
    }
  }
  out[pressed()] += strip.load * strip.place.slip;
  out[carried()] += strip.carried * strip.place.slip;
}

/// Point contacts of the plane: one line along the whole length.
void Wearing::line_rates(const Look& look) const {
  const ImperfectJoint& part = look.part;
  for (int k = 0; k < part.contacts(); ++k) {
    const Remembered past = recall(look.contacts + k * part.contact_memory());
    ContactPoint<double> point;
    if (past.touching == 0 || !part.leading(k, look.p1, look.p2, point) || !(point.depth > 0))
      continue;
    const ContactMotion<double> motion = motion_at(point, look.p1, look.p2);
    Strip line;
    line.load = line.carried = part.forces_at(point, motion, past).normal;
    if (!(line.load > 0)) continue;
    line.place = {motion.slip.norm(), friction_ratio(look, k)};
    line.row = {&surface_[0].rows()[0], &surface_[1].rows()[0]};
    double effective_radius = effective_radius_;
    if (const auto* gap = std::get_if<ProfileGap>(&part.geometry())) {
      const FlatView<double> view = flat_view(gap->first, gap->second, look.p1, look.p2);
      const ProfileGap::Spot spot = gap->nearest(k, view);
      if (!spot.inside) continue;
      const double turn = std::atan2(view.turn.y, view.turn.x);
      line.middle = {std::atan2(spot.b.y, spot.b.x), std::atan2(spot.j.y, spot.j.x) - turn};
      // (W.4) with the curvatures of both surfaces where they touch.
      const double relative = curvature(spot.dj, spot.ddj) - curvature(spot.db, spot.ddb);
      effective_radius = relative > 0 ? 1 / relative : INFINITY;
    } else if (const auto* round = std::get_if<RadialGap>(&part.geometry())) {
      const FlatView<double> view = flat_view(round->first, round->second, look.p1, look.p2);
      const double angle = std::atan2(view.centre.y, view.centre.x);
      line.middle = {angle, angle - std::atan2(view.turn.y, view.turn.x)};
    } else if (const auto* slot = std::get_if<SlotGap>(&part.geometry())) {
      const SlotGap::Place place = slot->place(look.p1, look.p2);
      const Vec3 on_pin = look.p2.R.transpose() * point.arm2 - second_.point;
      line.middle = {place.along, angle_of(on_pin)};
      effective_radius = 1 / place.curvature;
    } else {
      continue;
    }
    line.half_width =
        std::sqrt(4 * line.load * effective_radius / (std::numbers::pi * modulus_ * length_));
    add_strip(line, look.record, look.out);
  }
}

/// A journal in space: a line for every station that it is pressed in, under the load there.
void Wearing::bore_rates(const BoreGap& gap, const Look& look) const {
  static constexpr auto kRule = gauss_on_unit<3>();
  const ImperfectJoint& part = look.part;
  const auto places = [&](const ContactPoint<double>& point) {
    return std::array{own_place(first_, look.p1, point.arm1),
                      own_place(second_, look.p2, point.arm2)};
  };
  for (int k = 0; k < 2; ++k) {  // end faces have no cells
    const Remembered past = recall(look.contacts + k * part.contact_memory());
    if (past.touching == 0) continue;
    const double shear_ratio = friction_ratio(look, k);
    gap.pressed(k, look.p1, look.p2, [&](double shallow, double deep) {
      const double low = std::min(shallow, deep), high = std::max(shallow, deep);
      if (!(high > low)) return;
      const auto at_low = places(gap.section_at(low, look.p1, look.p2)),
                 at_high = places(gap.section_at(high, look.p1, look.p2));
      std::array<Ruler, 2> rulers;
      std::array<double, 2> station;
      for (const std::size_t p : {0UL, 1UL}) {
        const auto& rows = surface_[p].rows();
        station[p] = rows[0].high - rows[0].low;
        rulers[p] = {(at_low[p][2] - rows[0].low) / station[p],
                     (at_high[p][2] - at_low[p][2]) / station[p] / (high - low)};
      }
      each_piece(low, high, rulers, [&](double from, double to) {
        Strip line;
        const double middle = 0.5 * (from + to) - low;
        for (const std::size_t p : {0UL, 1UL}) {
          const double x = rulers[p].at_low + rulers[p].slope * middle;
          const auto last = static_cast<double>(surface_[p].rows().size() - 1);
          line.row[p] = &surface_[p].rows()[static_cast<std::size_t>(std::clamp(x, 0.0, last))];
        }
        for (const Node1& node : kRule) {
          const double ds = node.w * (to - from);
          ContactPoint<double> point =
              gap.section_at(from + node.x * (to - from), look.p1, look.p2);
          if (!(point.depth > 0)) continue;
          point.weight = ds / gap.contact_length();
          const ContactMotion<double> motion = motion_at(point, look.p1, look.p2);
          line.load = line.carried = part.forces_at(point, motion, past).normal;
          if (!(line.load > 0)) continue;
          line.place = {motion.slip.norm(), shear_ratio};
          const auto at = places(point);
          for (const std::size_t p : {0UL, 1UL}) {
            line.middle[p] = angle_of(at[p]);
            line.share[p] = ds / station[p];
          }
          if (bed_) {
            const double c = gap.clearance();
            line.arc = std::acos(c / (c + point.depth));
            const double sine = std::sin(line.arc), cosine = std::cos(line.arc);
            line.load *= 2 * (sine - line.arc * cosine) / (line.arc - sine * cosine);  // (W.16)
          } else {
            line.half_width = line_half_width(line.load / ds, effective_radius_);
          }
          add_strip(line, look.record, look.out);
        }
      });
    });
  }
}

/// Faces of a slider in its guide: pressed place by place along them.
void Wearing::guide_rates(const GuideGap& gap, const Look& look) const {
  static constexpr auto kRule = gauss_on_unit<3>();
  const ImperfectJoint& part = look.part;
  const auto places = [&](const ContactPoint<double>& point) {
    return std::array{own_place(first_, look.p1, point.arm1)[2],
                      own_place(second_, look.p2, point.arm2)[2]};
  };
  for (int k = 0; k < part.contacts(); ++k) {
    const Remembered past = recall(look.contacts + k * part.contact_memory());
    if (past.touching == 0) continue;
    const double shear_ratio = friction_ratio(look, k);
    const std::size_t face = GuideGap::is_upper(k) ? 0 : 1;
    gap.pressed(k, look.p1, look.p2, [&](double shallow, double deep) {
      const double low = std::min(shallow, deep), high = std::max(shallow, deep);
      if (!(high > low)) return;
      const auto at_low = places(gap.section_at(k, low, look.p1, look.p2)),
                 at_high = places(gap.section_at(k, high, look.p1, look.p2));
      std::array<Ruler, 2> rulers;
      for (const std::size_t p : {0UL, 1UL}) {
        const WornSurface::Row& row = surface_[p].rows()[face];
        rulers[p] = {at_low[p] / row.width + row.shift,
                     (at_high[p] - at_low[p]) / row.width / (high - low)};
      }
      each_piece(low, high, rulers, [&](double from, double to) {
        for (const Node1& node : kRule) {
          const double s = from + node.x * (to - from), ds = node.w * (to - from);
          ContactPoint<double> point = gap.section_at(k, s, look.p1, look.p2);
          if (!(point.depth > 0)) continue;
          point.weight = ds / gap.contact_length();
          const ContactMotion<double> motion = motion_at(point, look.p1, look.p2);
          const double load = part.forces_at(point, motion, past).normal;
          if (!(load > 0)) continue;
          const Place place{motion.slip.norm(), shear_ratio};
          const double area = ds * length_;
          for (const int p : {0, 1}) {
            if (!(coefficient_[p] > 0)) continue;
            const auto at = static_cast<std::size_t>(p);
            const double x = rulers[at].at_low + rulers[at].slope * (0.5 * (from + to) - low);
            const int m = WornSurface::cell_of(surface_[at].rows()[face], x);
            wear_off(p, m, depth_rate(p, load / area, place, look.record[depths(p) + m]), area,
                     look.out);
          }
          look.out[pressed()] += load * place.slip;
          look.out[carried()] += load * place.slip;
        }
      });
    });
  }
}

}  // namespace freeplay::joints
