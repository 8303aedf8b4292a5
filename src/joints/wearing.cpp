// SPDX-License-Identifier: Apache-2.0
#include "joints/wearing.hpp"

#include "joints/choose_law.hpp"
#include "joints/quadrature.hpp"
#include "laws/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freeplay::joints {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// Share of the load of a Hertz line on one side of x/a = u, theory/wear (W.5).
double load_below(double u) {
  u = std::clamp(u, -1.0, 1.0);
  return 0.5 + (u * std::sqrt(1 - u * u) + std::asin(u)) / std::numbers::pi;
}

/// A line wider than this to either side is no line: the formula would press round the back of the
/// journal; rad. chosen
constexpr double kWidestLine = 0.5 * std::numbers::pi;

/// 1 over the radius of curvature of a surface with these derivatives; 1/m.
double curvature(const Flat<double>& d, const Flat<double>& dd) {
  const double square = d.dot(d);
  return d.cross(dd) / (square * std::sqrt(square));
}

}  // namespace

Wearing::Wearing(const Model& model, JointIndex index, const ImperfectJoint& part) {
  const Joint& joint = model.joints[index];
  const Clearance& c = *joint.clearance;
  const Wear& wear = *c.wear;
  const std::string path = "joints." + joint.name + ".clearance.wear";
  law_ = choose_law<laws::WearLaw>(joint, wear.law, path);
  std::visit(
      [&](const auto& law) {
        coefficient_ = {law.outer, law.inner};
        uses_shear_ = law.uses_shear;
        table_ = law.table;
      },
      law_);
  for (const laws::Fault& fault : laws::faults(law_))
    refuse(joint, path + (fault.key.empty() ? "" : "." + std::string(fault.key)), fault.message);
  const std::string_view key = laws::key_of(law_);
  if (uses_shear_ && !c.friction)
    refuse(joint, path + ".law",
           fmt::format("law '{}' wears by friction, and the joint has none; give it 'friction', or "
                       "take 'archard'",
                       key));
  if (uses_shear_ && part.states() > 0)
    refuse(joint, path + ".law",
           fmt::format("law '{}' is not available with bristles, whose friction is a state; take "
                       "friction that follows the slip, or 'archard'",
                       key));
  x_ = wear.x;
  factor_ = wear.factor;
  if (table_ == laws::WearTable::none && !x_.empty())
    refuse(joint, path + ".x", fmt::format("law '{}' has no table", key));
  if (table_ != laws::WearTable::none) {
    if (x_.size() < 2 || x_.size() != factor_.size())
      refuse(joint, path + ".x",
             fmt::format("law '{}' needs a table, 'x' and 'factor', of two points at least", key));
    for (std::size_t k = 1; k < x_.size(); ++k)
      if (!(x_[k] > x_[k - 1])) refuse(joint, path + ".x", "must increase");
    for (const double f : factor_)
      if (!(f >= 0)) refuse(joint, path + ".factor", "a factor is negative");
  }
  sectors_ = wear.sectors;
  start_ = {wear.outer_depth, wear.inner_depth};
  const laws::ContactSite site = site_of(model, joint);
  length_ = site.length;
  modulus_ = site.composite_modulus;
  if (!(length_ > 0))
    refuse(joint, path,
           "pressure needs an area: 'bearing_length' is missing in the clearance table");
  radius_ = {c.outer_radius, c.inner_radius};
  for (const int k : {0, 1}) area_[k] = radius_[k] * length_ * kTurn / sectors_;
  if (std::holds_alternative<BedGap>(part.geometry())) return;
  if (!(modulus_ > 0))
    refuse(joint, path,
           "the width of the pressed line follows from the materials; give a 'material', or take "
           "law = \"elastic-foundation\"");
  if (!(c.outer_radius > c.inner_radius) || c.external_curvature)
    refuse(joint, path,
           "the width of the pressed line needs a clearance and the curvature of a hollow; give "
           "both radii, without curvature = \"external\"");
  effective_radius_ = c.outer_radius * c.inner_radius / (c.outer_radius - c.inner_radius);
}

std::vector<MemoryField> Wearing::fields() const {
  const auto shared = Perturbation::shared;
  return {{"outer_depth", "m", shared, sectors_},
          {"inner_depth", "m", shared, sectors_},
          {"outer_volume", "m^3", shared},
          {"inner_volume", "m^3", shared},
          {"pressed", "N m", shared},
          {"carried", "N m", shared}};
}

void Wearing::begin(double* record) const {
  std::fill_n(record, numbers(), 0.0);
  for (const int part : {0, 1})
    for (std::size_t k = 0; k < start_[part].size(); ++k) {
      record[part * sectors_ + static_cast<int>(k)] = start_[part][k];
      record[volume(part)] += start_[part][k] * area_[part];
    }
}

double Wearing::depth_rate(int part, double pressure, const Place& place, double depth) const {
  laws::Rubbing at{pressure, place.slip, pressure * place.shear_ratio, depth, 1};
  if (table_ != laws::WearTable::none) {
    const double x = table_ == laws::WearTable::pressure ? pressure : place.slip;
    const auto above = std::upper_bound(x_.begin(), x_.end(), x) - x_.begin();
    const auto k = static_cast<std::size_t>(above);
    if (k == 0) {
      at.factor = factor_.front();
    } else if (k == x_.size()) {
      at.factor = factor_.back();
    } else {
      const double t = (x - x_[k - 1]) / (x_[k] - x_[k - 1]);
      at.factor = factor_[k - 1] + t * (factor_[k] - factor_[k - 1]);
    }
  }
  return std::visit([&](const auto& law) { return law.rate(coefficient_[part], at); }, law_);
}

double Wearing::friction_ratio(const ImperfectJoint& part, int contact, const Pose<double>& p1,
                               const Pose<double>& p2, const double* contacts) const {
  if (!uses_shear_) return 0;
  ContactForces<double> forces;
  part.evaluate<double>(contact, p1, p2, contacts, nullptr, {}, forces);
  // Its power over load times slip, place by place.
  const Remembered past = recall(contacts + contact * part.contact_memory());
  double path = 0;
  std::visit(
      [&](const auto& geometry) {
        geometry.points(contact, p1, p2, [&](const ContactPoint<double>& point) {
          const ContactMotion<double> motion = motion_at(point, p1, p2);
          path += std::max(0.0, part.forces_at(point, motion, past).normal) * motion.slip.norm();
        });
      },
      part.geometry());
  return path > 0 ? std::abs(forces.friction_power) / path : 0;
}

void Wearing::rates(const ImperfectJoint& part, const Pose<double>& p1, const Pose<double>& p2,
                    const double* contacts, const double* record, double* out) const {
  std::fill_n(out, numbers(), 0.0);
  if (const auto* bed = std::get_if<BedGap>(&part.geometry()))
    return bed_rates(*bed, part, p1, p2, contacts, record, out);
  for (int k = 0; k < part.contacts(); ++k) {
    const Remembered past = recall(contacts + k * part.contact_memory());
    ContactPoint<double> point;
    if (past.touching == 0 || !part.leading(k, p1, p2, point) || !(point.depth > 0)) continue;
    const ContactMotion<double> motion = motion_at(point, p1, p2);
    Line line;
    line.load = part.forces_at(point, motion, past).normal;
    if (!(line.load > 0)) continue;
    line.slip = motion.slip.norm();
    line.shear_ratio = friction_ratio(part, k, p1, p2, contacts);
    if (const auto* gap = std::get_if<ProfileGap>(&part.geometry())) {
      const FlatView<double> view = flat_view(gap->first, gap->second, p1, p2);
      const ProfileGap::Spot spot = gap->nearest(k, view);
      if (!spot.inside) continue;
      const double turn = std::atan2(view.turn.y, view.turn.x);
      line.angle = {std::atan2(spot.b.y, spot.b.x), std::atan2(spot.j.y, spot.j.x) - turn};
      // (W.4) with the curvatures of both surfaces where they touch.
      const double relative = curvature(spot.dj, spot.ddj) - curvature(spot.db, spot.ddb);
      line.effective_radius = relative > 0 ? 1 / relative : INFINITY;
    } else if (const auto* round = std::get_if<RadialGap>(&part.geometry())) {
      const FlatView<double> view = flat_view(round->first, round->second, p1, p2);
      const double angle = std::atan2(view.centre.y, view.centre.x);
      line.angle = {angle, angle - std::atan2(view.turn.y, view.turn.x)};
      line.effective_radius = effective_radius_;
    } else {
      continue;
    }
    add_line(line, record, out);
  }
}

void Wearing::add_line(const Line& line, const double* record, double* out) const {
  const double half_width =
      std::sqrt(4 * line.load * line.effective_radius / (std::numbers::pi * modulus_ * length_));
  const double sector = kTurn / sectors_;
  for (const int part : {0, 1}) {
    if (!(coefficient_[part] > 0)) continue;
    const double reach = std::min(half_width / radius_[part], kWidestLine);
    // Sector k reaches from (k - 1/2) to (k + 1/2) of its width.
    const double low = (line.angle[part] - reach) / sector + 0.5,
                 high = (line.angle[part] + reach) / sector + 0.5;
    for (double k = std::floor(low); k < high; ++k) {
      const double from = std::max(low, k), to = std::min(high, k + 1);
      const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
      if (!(to > from) || !(half > 0)) continue;
      const double load =
          line.load * (load_below((to - middle) / half) - load_below((from - middle) / half));
      const double turn = k - sectors_ * std::floor(k / sectors_);
      const int m = std::min(static_cast<int>(turn), sectors_ - 1);
      const double covered = (to - from) * area_[part];
      const double depth = record[part * sectors_ + m];
      const double rate =
          depth_rate(part, load / covered, {load, line.slip, line.shear_ratio}, depth) * covered;
      out[part * sectors_ + m] += rate / area_[part];
      out[volume(part)] += rate;
    }
  }
  out[pressed()] += line.load * line.slip;
  out[carried()] += line.load * line.slip;
}

void Wearing::bed_rates(const BedGap& gap, const ImperfectJoint& part, const Pose<double>& p1,
                        const Pose<double>& p2, const double* contacts, const double* record,
                        double* out) const {
  const Remembered past = recall(contacts);
  if (past.touching == 0) return;
  const double shear_ratio = friction_ratio(part, 0, p1, p2, contacts);
  const FlatView<double> view = flat_view(gap.first, gap.second, p1, p2);
  const BedGap::View now = gap.view_of(view);
  // The turn of a round journal is not in there.
  const double turn = std::atan2(view.turn.y, view.turn.x);
  static constexpr auto kRule = gauss_on_unit<2>();
  const double sector = kTurn / sectors_;
  const Flat<double> step{std::cos(sector), std::sin(sector)};
  ContactPoint<double> point;
  point.surface = kFaceSurface;
  Flat<double> push{0, 0};
  double sum = 0, path = 0;
  gap.each_stretch(view, [&](double begin, double end) {
    for (const int side : {0, 1}) {
      const bool wears = coefficient_[side] > 0;
      if (!wears && side == 1) continue;  // the loads are summed with the outer part
      const double shift = side == 0 ? 0 : turn;
      // From border to border of its sectors, so that none is counted in part.
      const double last = (end - shift) / sector + 0.5;
      double from = (begin - shift) / sector + 0.5;
      // Directions of the nodes of whole sectors follow from those of the sector before.
      std::array<Flat<double>, kRule.size()> along;
      bool follows = false;
      for (double k = std::floor(from); from < last; ++k) {
        const double to = std::min(last, k + 1);
        if (!(to > from)) continue;
        const bool whole = from == k && to == k + 1;
        const double wrapped = k - sectors_ * std::floor(k / sectors_);
        const int m = std::min(static_cast<int>(wrapped), sectors_ - 1);
        const double depth = record[side * sectors_ + m];
        double rate = 0;
        for (std::size_t i = 0; i < kRule.size(); ++i) {
          const double angle = (from + kRule[i].x * (to - from) - 0.5) * sector + shift,
                       width = kRule[i].w * (to - from) * sector;
          along[i] = whole && follows ? Flat<double>{along[i].x * step.x - along[i].y * step.y,
                                                     along[i].x * step.y + along[i].y * step.x}
                                      : Flat<double>{std::cos(angle), std::sin(angle)};
          BedGap::Ray ray{angle, along[i].x, along[i].y, {}};
          if (!gap.bearing.round()) ray.wall = gap.bearing.at(angle);
          gap.place(view, now, ray, point);
          if (!(point.depth > 0)) continue;
          const ContactMotion<double> motion = motion_at(point, p1, p2);
          const double load = part.forces_at(point, motion, past).normal;  // N/rad
          if (!(load > 0)) continue;
          const double slip = motion.slip.norm();
          if (side == 0) {
            sum += load * width;
            path += load * width * slip;
            push = push + along[i] * (load * width);
          }
          if (!wears) continue;
          const double pressure = load / (radius_[side] * length_);
          rate += depth_rate(side, pressure, {load, slip, shear_ratio}, depth) * width;
        }
        follows = whole;
        out[side * sectors_ + m] += rate / sector;
        out[volume(side)] += rate * radius_[side] * length_;
        from = to;
      }
    }
  });
  out[pressed()] += path;
  if (sum > 0) out[carried()] += path * std::sqrt(push.dot(push)) / sum;
}

}  // namespace freeplay::joints
