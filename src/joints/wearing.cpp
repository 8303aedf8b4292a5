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

/// A line or spot wider than this to either side is none: the formula would press round the back of
/// the journal; rad. chosen
constexpr double kWidest = 0.5 * std::numbers::pi;

}  // namespace

Wearing::Wearing(const Model& model, JointIndex index, const ImperfectJoint& part) {
  const Joint& joint = model.joints[index];
  const Clearance& c = *joint.clearance;
  const std::string path = "joints." + joint.name + ".clearance.wear";
  read_law(joint, part, path);
  first_ = joint.first;
  second_ = joint.second;
  start_ = {c.wear->outer_depth, c.wear->inner_depth};
  surface_ = worn_surfaces(joint, model.planar);
  radius_ = {c.outer_radius, c.inner_radius};
  per_u_ = radius_;
  widest_ = {kWidest, kWidest};
  const laws::ContactSite site = site_of(model, joint);
  length_ = site.length;
  modulus_ = site.composite_modulus;
  bed_ = c.contact.key == laws::ElasticFoundation::key;
  update_ = c.wear->update;
  const auto& geometry = part.geometry();
  if (std::holds_alternative<BallBedGap>(geometry)) {
    for (const std::size_t k : {0UL, 1UL}) places_[k] = places_on(surface_[k]);
    return;
  }
  if (std::holds_alternative<GuideGap>(geometry)) {
    length_ = c.inner_height > 0 ? c.inner_height : c.inner_length;
    return;
  }
  if (const auto* slot = std::get_if<SlotGap>(&geometry)) {
    length_ = c.inner_length;
    per_u_[0] = 1;
    widest_[0] = 0.25 * slot->perimeter();
  }
  if (!site.spherical && !(length_ > 0))
    refuse(
        joint, path,
        fmt::format("pressure needs an area: '{}' is missing in the clearance table",
                    std::holds_alternative<SlotGap>(geometry) ? "pin_length" : "bearing_length"));
  const bool pressed_by_depth = std::holds_alternative<BedGap>(geometry) ||
                                (bed_ && std::holds_alternative<BoreGap>(geometry));
  if (!pressed_by_depth) need_lines(joint, path);
}

/// What Hertz's pressure follows from.
void Wearing::need_lines(const Joint& joint, const std::string& path) {
  const Clearance& c = *joint.clearance;
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

void Wearing::read_law(const Joint& joint, const ImperfectJoint& part, const std::string& path) {
  const Clearance& c = *joint.clearance;
  const Wear& wear = *c.wear;
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
  if (table_ == laws::WearTable::none) return;
  if (x_.size() < 2 || x_.size() != factor_.size())
    refuse(joint, path + ".x",
           fmt::format("law '{}' needs a table, 'x' and 'factor', of two points at least", key));
  for (std::size_t k = 1; k < x_.size(); ++k)
    if (!(x_[k] > x_[k - 1])) refuse(joint, path + ".x", "must increase");
  for (const double f : factor_)
    if (!(f >= 0)) refuse(joint, path + ".factor", "a factor is negative");
}

std::vector<MemoryField> Wearing::fields() const {
  const auto shared = Perturbation::shared;
  return {{"outer_depth", "m", shared, cells(0)},
          {"inner_depth", "m", shared, cells(1)},
          {"outer_volume", "m^3", shared},
          {"inner_volume", "m^3", shared},
          {"pressed", "N m", shared},
          {"carried", "N m", shared}};
}

std::vector<MemoryField> Wearing::shape_fields() const {
  const auto shared = Perturbation::shared;
  return {{"outer_shape", "m", shared, cells(0)}, {"inner_shape", "m", shared, cells(1)}};
}

double Wearing::beyond(const double* record, const double* shape) const {
  double most = 0;
  for (int k = 0; k < cells(0) + cells(1); ++k) most = std::max(most, record[k] - shape[k]);
  return most;
}

bool Wearing::is_due(const double* record, const double* shape) const {
  return beyond(record, shape) >= update_;
}

void Wearing::begin(double* record) const {
  std::fill_n(record, numbers(), 0.0);
  for (const int part : {0, 1})
    for (std::size_t k = 0; k < start_[part].size(); ++k) {
      record[depths(part) + static_cast<int>(k)] = start_[part][k];
      record[volume(part)] += start_[part][k] * cell_area(part);
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

double Wearing::friction_ratio(const Look& look, int contact) const {
  if (!uses_shear_) return 0;
  const ImperfectJoint& part = look.part;
  ContactForces<double> forces;
  part.evaluate<double>(contact, look.p1, look.p2, look.contacts, nullptr, {}, forces);
  // Its power over load times slip, place by place.
  const Remembered past = recall(look.contacts + contact * part.contact_memory());
  double path = 0;
  std::visit(
      [&](const auto& geometry) {
        geometry.points(contact, look.p1, look.p2, [&](const ContactPoint<double>& point) {
          const ContactMotion<double> motion = motion_at(point, look.p1, look.p2);
          path += std::max(0.0, part.forces_at(point, motion, past).normal) * motion.slip.norm();
        });
      },
      part.geometry());
  return path > 0 ? std::abs(forces.friction_power) / path : 0;
}

void Wearing::rates(const ImperfectJoint& part, const Pose<double>& p1, const Pose<double>& p2,
                    const double* contacts, const double* record, double* out) const {
  std::fill_n(out, numbers(), 0.0);
  const Look look{part, p1, p2, contacts, record, out};
  const Geometry& geometry = part.geometry();
  if (const auto* bed = std::get_if<BedGap>(&geometry)) return bed_rates(*bed, look);
  if (const auto* ball = std::get_if<BallBedGap>(&geometry)) return ball_bed_rates(*ball, look);
  if (const auto* bore = std::get_if<BoreGap>(&geometry)) return bore_rates(*bore, look);
  if (const auto* guide = std::get_if<GuideGap>(&geometry)) return guide_rates(*guide, look);
  if (std::holds_alternative<RadialGap>(geometry) && surface_[0].rows().size() > 1)
    return ball_rates(look);
  line_rates(look);
}

void Wearing::bed_rates(const BedGap& gap, const Look& look) const {
  const Pose<double>&p1 = look.p1, &p2 = look.p2;
  double* const out = look.out;
  const Remembered past = recall(look.contacts);
  if (past.touching == 0) return;
  const double shear_ratio = friction_ratio(look, 0);
  const WornSurface::Row& row = surface_[0].rows()[0];  // the journal has the same sectors
  const FlatView<double> view = flat_view(gap.first, gap.second, p1, p2);
  const BedGap::View now = gap.view_of(view);
  // The turn of a round journal is not in there.
  const double turn = std::atan2(view.turn.y, view.turn.x);
  static constexpr auto kRule = gauss_on_unit<2>();
  const double sector = row.width;
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
        const int m = WornSurface::cell_of(row, k);
        const double depth = look.record[depths(side) + m];
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
          const double load = look.part.forces_at(point, motion, past).normal;  // N/rad
          if (!(load > 0)) continue;
          const double slip = motion.slip.norm();
          if (side == 0) {
            sum += load * width;
            path += load * width * slip;
            push = push + along[i] * (load * width);
          }
          if (!wears) continue;
          const double pressure = load / (radius_[side] * length_);
          rate += depth_rate(side, pressure, {slip, shear_ratio}, depth) * width;
        }
        follows = whole;
        out[depths(side) + m] += rate / sector;
        out[volume(side)] += rate * radius_[side] * length_;
        from = to;
      }
    }
  });
  out[pressed()] += path;
  if (sum > 0) out[carried()] += path * std::sqrt(push.dot(push)) / sum;
}

}  // namespace freeplay::joints
