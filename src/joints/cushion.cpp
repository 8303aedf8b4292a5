// SPDX-License-Identifier: Apache-2.0
#include "joints/cushion.hpp"

#include "core/rotation.hpp"
#include "films/catalogue.hpp"
#include "joints/choose_law.hpp"
#include "joints/geometry.hpp"
#include "joints/small_numbers.hpp"
#include "model/joint_types.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::joints {
namespace {

films::MonotoneSpline curve(const Joint& joint, const std::string& path,
                            const Bushing::Curve& given) {
  if (given.x.empty()) return films::MonotoneSpline(given.slope);
  if (const std::string why = films::MonotoneSpline::fault(given.x, given.force); !why.empty())
    refuse(joint, path, why);
  return {given.x, given.force};
}

films::SixBushing six_bushing(const Joint& joint, const Bushing& given, const std::string& path) {
  films::SixBushing out;
  out.radial = curve(joint, path + ".radial", given.radial);
  out.axial = curve(joint, path + ".axial", given.axial);
  out.twist = curve(joint, path + ".twist", given.twist);
  out.tilt = curve(joint, path + ".tilt", given.tilt);
  for (int i = 0; i < 6; ++i) {
    out.damping(i, i) = given.damping[i];
    for (int j = 0; j < 6 && !given.coupling.empty(); ++j)
      out.coupling(i, j) = given.coupling[6 * i + j];
  }
  for (const Bushing::Branch& branch : given.branches)
    out.branches.push_back({branch.stiffness, branch.time});
  if (const std::string why = out.fault(); !why.empty()) refuse(joint, path, why);
  return out;
}

/// What a film is told of a bearing and a journal that are not round: of the bearing by the angle
/// in the frame of the joint, of the journal by that from the x axis of its body.
std::array<films::OutOfRound, 2> surfaces_of(const Outlines& outlines, const Frame& first) {
  const auto departure = [](const Outline& outline, double turn) -> films::OutOfRound {
    if (outline.round()) return {};
    return [outline, turn](double angle) {
      const Outline::Local at = outline.at(angle + turn);
      return films::Departure{at.w, at.slope, at.bend};
    };
  };
  return {departure(outlines.bearing, std::atan2(first.axes(1, 0), first.axes(0, 0))),
          departure(outlines.journal, 0)};
}

/// Below this sine the series of t/sin t has all its digits after two terms: t^4 is left. rad
constexpr double kSmallTurn = 1e-4;

/// Rotation vector of a matrix: regular up to a half turn.
template <class T>
Vec3T<T> rotation_vector(const Mat3T<T>& R) {
  using std::atan2;
  using std::sqrt;
  const Vec3T<T> axial(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));  // 2 sin(t) n
  const T sine = sqrt(axial.dot(axial) + kRegularSquare),
          cosine = R(0, 0) + R(1, 1) + R(2, 2) - 1.0;
  const T angle = atan2(sine, cosine);  // both doubled
  // t/sin t -> 1: below it the series says 1 + t^2/6.
  if (value_of(sine) < kSmallTurn) return axial * T(0.5 * (1.0 + angle * angle / 6.0));
  return axial * T(angle / sine);
}

}  // namespace

films::TransitionLaw transition_of(const Joint& joint) {
  if (!joint.clearance || !joint.clearance->film || !joint.clearance->film->transition)
    return films::AdditiveTransition{};
  const std::string path = "joints." + joint.name + ".clearance.film.transition";
  const auto law =
      choose_law<films::TransitionLaw>(joint, *joint.clearance->film->transition, path);
  for (const laws::Fault& fault : films::faults(law))
    refuse(joint, path + (fault.key.empty() ? "" : "." + std::string(fault.key)), fault.message);
  return law;
}

Cushion::Cushion(const Model& model, JointIndex index) : joint_(index) {
  const Joint& joint = model.joints[index];
  first_ = joint.first;
  second_ = joint.second;
  if (joint.bushing) {
    const std::string path = "joints." + joint.name + ".bushing";
    if (const std::string why = kind_of(joint).no_rubber; !why.empty()) refuse(joint, path, why);
    if (joint.bushing->law) {
      const auto law = choose_law<films::BushingLaw>(joint, *joint.bushing->law, path);
      for (const laws::Fault& fault : films::faults(law))
        refuse(joint, path + "." + std::string(fault.key), fault.message);
      what_ = std::get<films::RadialBushing>(law);
    } else {
      what_ = six_bushing(joint, *joint.bushing, path);
      states_ = static_cast<int>(std::get<films::SixBushing>(what_).states());
    }
    return;
  }
  const Clearance& play = *joint.clearance;
  const std::string path = "joints." + joint.name + ".clearance.film";
  const PlayParts parts = kind_of(joint).play;
  const bool ball = parts == PlayParts::ball && !model.planar;
  const bool journal = parts == PlayParts::bore || parts == PlayParts::sleeve;
  if (!ball && !journal)
    refuse(joint, path,
           fmt::format("oil in a {} joint is not available: a film fills a spherical, revolute or "
                       "cylindrical joint",
                       name_of(joint.type)));
  spherical_ = ball;
  torque_ = play.film->torque;
  tilts_ = journal && !model.planar;
  transition_ = transition_of(joint);
  auto law = choose_law<films::FilmLaw>(joint, play.film->law, path);
  for (const laws::Fault& fault : films::faults(law))
    refuse(joint, path + (fault.key.empty() ? "" : "." + std::string(fault.key)), fault.message);
  clearance_ = play.outer_radius - play.inner_radius;
  films::FilmSite site;
  site.radius = play.inner_radius;
  site.clearance =
      std::visit([&](const auto& rule) { return rule.film_clearance(clearance_); }, transition_);
  site.length = play.inner_length > 0 && play.outer_length > 0
                    ? std::min(play.inner_length, play.outer_length)
                    : std::max(play.inner_length, play.outer_length);
  site.spherical = ball;
  std::array<films::OutOfRound, 2> surfaces;
  if (journal && model.planar) {
    surfaces = surfaces_of(outlines_of(model, joint), joint.first);
    if (surfaces[0]) site.outer = &surfaces[0];
    if (surfaces[1]) site.inner = &surfaces[1];
    turns_ = static_cast<bool>(surfaces[1]);
  }
  const auto demand = [&](const std::string& why) {
    if (!why.empty())
      refuse(joint, path, fmt::format("law '{}' cannot serve here: {}", play.film->law.key, why));
  };
  demand(films::misfit(law, site));
  films::prepare(law, site);
  if (films::film_states(law) > 0)
    demand(
        "its voids are carried along with the oil and remembered in every cell, and each cell "
        "switches between void and pressure, which a run does not follow; 'steady_voids = true' "
        "takes those that the motion of the instant would keep up, exact at equilibrium, and "
        "'reynolds' (Swift-Stieber) needs no memory");
  what_ = std::move(law);
}

template <class T>
films::FilmMotion<T> Cushion::journal_motion(const Pose<T>& p1, const Pose<T>& p2) const {
  const Vec3T<T> s1 = p1.R * first_.point, s2 = p2.R * second_.point;
  const Vec3T<T> e = p2.r + s2 - p1.r - s1;
  const Vec3T<T> e_dot = p2.v + p2.w.cross(s2) - p1.v - p1.w.cross(s1);
  const Vec3T<T> x = p1.R * first_.axes.col(0), y = p1.R * first_.axes.col(1),
                 z = p1.R * first_.axes.col(2);
  films::FilmMotion<T> out{x.dot(e),     y.dot(e),    x.dot(e_dot),
                           y.dot(e_dot), z.dot(p1.w), z.dot(p2.w)};
  if (turns_) {
    // Profiles count from the x axis of the body.
    using std::atan2;
    const Vec3T<T> own = p2.R.col(0);
    out.turn = atan2(y.dot(own), x.dot(own));
  }
  return out;
}

template <class T>
films::TiltedMotion<T> Cushion::tilted_motion(const Pose<T>& p1, const Pose<T>& p2) const {
  const Vec3T<T> x = p1.R * first_.axes.col(0), y = p1.R * first_.axes.col(1),
                 z = p1.R * first_.axes.col(2), a = p2.R * second_.axes.col(2);
  const Vec3T<T> a_dot = p2.w.cross(a) - p1.w.cross(z);
  return {journal_motion(p1, p2), x.dot(a), y.dot(a), x.dot(a_dot), y.dot(a_dot)};
}

template <class T>
void Cushion::add_film(const films::FilmLaw& law, const Pose<T>& p1, const Pose<T>& p2,
                       CushionForces<T>& out) const {
  using std::sqrt;
  const Vec3T<T> s1 = p1.R * first_.point, s2 = p2.R * second_.point;
  const Vec3T<T> e = p2.r + s2 - p1.r - s1;
  const Vec3T<T> e_dot = p2.v + p2.w.cross(s2) - p1.v - p1.w.cross(s1);
  Vec3T<T> force, inner, outer;
  if (spherical_) {
    const auto film = films::ball_force<T>(law, {e, e_dot, p1.w, p2.w});
    force = film.force;
    inner = film.torque_inner;
    outer = film.torque_outer;
  } else {
    const Vec3T<T> x = p1.R * first_.axes.col(0), y = p1.R * first_.axes.col(1),
                   z = p1.R * first_.axes.col(2);
    films::FilmForce<T> film;
    Vec3T<T> tipping = Vec3T<T>::Zero();
    if (tilts_) {
      const auto tilted = films::journal_force<T>(law, tilted_motion(p1, p2));
      film = tilted.centre;
      tipping = x * tilted.mx + y * tilted.my;
    } else {
      film = films::journal_force<T>(law, journal_motion(p1, p2));
    }
    force = x * film.fx + y * film.fy;
    inner = z * film.torque_inner + tipping;
    outer = z * film.torque_outer - tipping;
  }
  if (!torque_) inner = outer = Vec3T<T>::Zero();
  const T distance = sqrt(e.dot(e) + kRegularSquare);
  const T share = std::visit(
      [&](const auto& rule) { return rule.shares(distance, clearance_).film; }, transition_);
  force *= share;
  inner *= share;
  outer *= share;
  out.on_second.add(force, s2);
  out.on_second.moment += inner;
  out.on_first.add(-force, s1);
  out.on_first.moment += outer;
  out.power = force.dot(e_dot) + inner.dot(p2.w) + outer.dot(p1.w);
}

template <class T>
films::BushingMotion<T> Cushion::bushing_motion(const Pose<T>& p1, const Pose<T>& p2) const {
  const Vec3T<T> s1 = p1.R * first_.point, s2 = p2.R * second_.point;
  const Vec3T<T> e = p2.r + s2 - p1.r - s1;
  const Vec3T<T> e_dot = p2.v + p2.w.cross(s2) - p1.v - p1.w.cross(s1) - p1.w.cross(e);
  const Mat3T<T> frame = p1.R * first_.axes;
  return {frame.transpose() * e, frame.transpose() * e_dot,
          rotation_vector<T>(frame.transpose() * (p2.R * second_.axes)),
          frame.transpose() * (p2.w - p1.w)};
}

int Cushion::curves() const {
  if (std::holds_alternative<films::RadialBushing>(what_)) return 1;
  return std::holds_alternative<films::SixBushing>(what_) ? films::SixBushing::kCurves : 0;
}

std::string Cushion::curve_name(int k) const {
  return films::SixBushing::kCurveNames[static_cast<std::size_t>(k)];
}

WatchedKnots Cushion::knots(int k, double tolerance) const {
  if (const auto* rubber = std::get_if<films::RadialBushing>(&what_)) return rubber->watched();
  const auto& six = std::get<films::SixBushing>(what_);
  return six.curve(k).watched(tolerance, films::SixBushing::of_distance(k));
}

std::pair<double, double> Cushion::coordinate(int k, const Pose<double>& p1,
                                              const Pose<double>& p2) const {
  if (std::holds_alternative<films::SixBushing>(what_))
    return films::SixBushing::coordinate(k, bushing_motion(p1, p2));
  const Vec3 s1 = p1.R * first_.point, s2 = p2.R * second_.point;
  const Vec3 e = p2.r + s2 - p1.r - s1;
  return {e.squaredNorm(), 2 * e.dot(p2.v + p2.w.cross(s2) - p1.v - p1.w.cross(s1))};
}

template <class T>
CushionForces<T> Cushion::evaluate(const Pose<T>& p1, const Pose<T>& p2, std::span<const T> states,
                                   std::span<T> rates,
                                   const films::SixBushing::Pieces& pieces) const {
  CushionForces<T> out;
  if (const auto* film = std::get_if<films::FilmLaw>(&what_)) {
    add_film(*film, p1, p2, out);
    return out;
  }
  const Vec3T<T> s1 = p1.R * first_.point, s2 = p2.R * second_.point;
  const Vec3T<T> e = p2.r + s2 - p1.r - s1;
  if (const auto* rubber = std::get_if<films::RadialBushing>(&what_)) {
    const Vec3T<T> e_dot = p2.v + p2.w.cross(s2) - p1.v - p1.w.cross(s1);
    const Vec3T<T> force = rubber->force(e, e_dot, pieces[0]);
    // At the middle of the centres, so that the moments of both bodies balance.
    const Vec3T<T> half = e * T(0.5), arm1 = s1 + half, arm2 = s2 - half;
    out.on_second.add(force, arm2);
    out.on_first.add(-force, arm1);
    out.power = force.dot(p2.v + p2.w.cross(arm2) - p1.v - p1.w.cross(arm1));
    return out;
  }
  const auto& six = std::get<films::SixBushing>(what_);
  const Mat3T<T> frame = p1.R * first_.axes;
  const films::BushingMotion<T> motion = bushing_motion(p1, p2);
  const Vec3T<T> e_dot = frame * motion.d_dot;
  const auto action = six.force<T>(motion, states, rates, pieces);
  const Vec3T<T> force = frame * action.f, moment = frame * action.m;
  // Both act on the second body at its joint point; the first bears them there too.
  out.on_second.add(force, s2);
  out.on_second.moment += moment;
  out.on_first.add(-force, s1 + e);
  out.on_first.moment -= moment;
  out.power = force.dot(e_dot) + moment.dot(p2.w - p1.w);
  return out;
}

films::FilmObservation Cushion::observe(const Pose<double>& p1, const Pose<double>& p2) const {
  const auto* law = std::get_if<films::FilmLaw>(&what_);
  films::FilmObservation out;
  if (!law) return out;
  if (tilts_) {
    out = films::observe(*law, tilted_motion(p1, p2));
  } else if (!spherical_) {
    out = films::observe(*law, journal_motion(p1, p2));
  } else {
    const Vec3 e = p2.r + p2.R * second_.point - p1.r - p1.R * first_.point;
    out.min_film = clearance_ - e.norm();
  }
  out.power = evaluate<double>(p1, p2, {}, {}).power;
  if (!std::isfinite(out.max_pressure)) out.max_pressure = 0;
  if (!std::isfinite(out.wet_share)) out.wet_share = 0;
  return out;
}

std::size_t Cushion::pressure_nodes() const {
  const auto* law = std::get_if<films::FilmLaw>(&what_);
  return law && films::records_pressure(*law) ? films::pressure_nodes(*law) : 0;
}

std::vector<double> Cushion::pressure_field(const Pose<double>& p1, const Pose<double>& p2) const {
  const auto* law = std::get_if<films::FilmLaw>(&what_);
  if (!law || !films::records_pressure(*law)) return {};
  return films::pressure_field(*law, tilted_motion(p1, p2), tilts_);
}

std::vector<laws::Derived> Cushion::derived() const {
  const auto* law = std::get_if<films::FilmLaw>(&what_);
  return law ? films::derived(*law) : std::vector<laws::Derived>{};
}

template CushionForces<double> Cushion::evaluate(const Pose<double>&, const Pose<double>&,
                                                 std::span<const double>, std::span<double>,
                                                 const films::SixBushing::Pieces&) const;
template CushionForces<PairDual> Cushion::evaluate(const Pose<PairDual>&, const Pose<PairDual>&,
                                                   std::span<const PairDual>, std::span<PairDual>,
                                                   const films::SixBushing::Pieces&) const;

}  // namespace freeplay::joints
