// SPDX-License-Identifier: Apache-2.0
#include "study/life_course.hpp"

#include "study/chebyshev_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace freeplay::study {
namespace {

/// Of every joint that wears, in this order; the first two of all numbers are cycles and scatter.
constexpr std::array<const char*, 9> kOfJoint{"clearance",   "peak_force",   "outer_depth",
                                              "inner_depth", "outer_volume", "inner_volume",
                                              "outer_rate",  "inner_rate",   "load_ratio"};
constexpr std::size_t kBeforeJoints = 2;
std::size_t place(std::size_t joint, std::size_t what) {
  return first_output_of_joint(joint) + what;
}

/// Of the estimate of how fast wear relaxes, theory/wear (W.11): slip at the place that slips most
/// is a little more than on the mean.
constexpr double kSafety = 1.2;
/// Growth from one step to the next, at most; stages of a step, at most. chosen
constexpr double kMostGrowth = 2.5;
constexpr int kMostStages = 40;

/// How much more than its coefficient a law can make of it.
double most_factor(const Wear& wear) {
  double out = 1;
  for (const double f : wear.factor) out = std::max(out, f);
  for (const auto& [key, value] : wear.law.parameters) {
    if (key == "start") out = std::max(out, value);
    if (key == "shear") out = std::max(out, std::sqrt(1 + value));
  }
  return out;
}

auto of_part(const VecX& depth, const WornPart& part) {
  return depth.segment(static_cast<Eigen::Index>(part.first),
                       static_cast<Eigen::Index>(part.cells));
}

class Course {
 public:
  Course(const WearingMechanism& mechanism, const LookAtCycle& look)
      : mechanism_(mechanism), look_(look) {}

  LifeCourse run() {
    try {
      if (life().update)
        go();
      else
        extrapolate();
    } catch (const LifeBroken& broken) {
      out_.how = LifeEnd::broken;
      out_.reason = broken.reason;
      if (!out_.points.empty()) out_.end = out_.points.back().cycles;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const StudyLife& life() const { return mechanism_.life(); }
  VecX look(double cycles, const VecX& depth) {
    last_ = look_(cycles, depth);
    return last_.rates;
  }

  /// (W.11): how fast the fastest wave in a profile wears off, per cycle.
  [[nodiscard]] double relaxation() const {
    double out = 0;
    for (std::size_t k = 0; k < mechanism_.joints().size(); ++k) {
      const std::size_t j = mechanism_.joints()[k];
      const Clearance& c = *mechanism_.model().joints[j].clearance;
      double coefficient = 0;
      for (const WornPart& part : mechanism_.parts())
        if (part.joint == j)
          coefficient += part.coefficient * (part.outer ? 1 : c.outer_radius / c.inner_radius);
      out = std::max(out, kSafety * most_factor(*c.wear) * coefficient * mechanism_.modulus(j) *
                              last_.slip[k]);
    }
    return out;
  }

  /// Stages never give back what is worn away already.
  static VecX at_least_none(const VecX& depth) { return depth.cwiseMax(0.0); }

  void accept(double cycles, const VecX& depth) {
    out_.points.push_back({cycles, depth, last_.outputs});
  }
  void end(LifeEnd how, double cycles, std::string reason) {
    out_.how = how;
    out_.end = cycles;
    out_.reason = std::move(reason);
  }

  /// Does the life end at the last point?
  [[nodiscard]] bool end_reached() {
    const LifePoint& now = out_.points.back();
    for (std::size_t k = 0; k < mechanism_.joints().size(); ++k) {
      const std::string& name = mechanism_.model().joints[mechanism_.joints()[k]].name;
      for (const auto& [which, limit, how, what] :
           {std::tuple(std::size_t{0}, life().clearance, LifeEnd::clearance, "clearance"),
            std::tuple(std::size_t{1}, life().peak_force, LifeEnd::peak_force, "peak force")}) {
        const std::size_t at = place(k, which);
        if (!(now.outputs[at] >= limit)) continue;
        double when = now.cycles;
        if (out_.points.size() > 1) {  // on the straight line from the point before
          const LifePoint& before = out_.points[out_.points.size() - 2];
          const double rise = now.outputs[at] - before.outputs[at];
          if (rise > 0 && before.outputs[at] < limit)
            when =
                before.cycles + (now.cycles - before.cycles) * (limit - before.outputs[at]) / rise;
        }
        end(how, when, fmt::format("the {} of {} has reached its limit", what, name));
        return true;
      }
    }
    if (now.cycles < life().cycles * (1 - 1e-12)) return false;
    end(LifeEnd::all_cycles, life().cycles, "all cycles are done");
    return true;
  }

  /// Steps over many cycles each, as long as the profile allows.
  void go() {
    double x = 0;
    VecX y = mechanism_.start(), y1, f1, f0 = look(x, y);
    accept(x, y);
    const auto f = [&](const VecX& depth, double cycles, VecX& out) {
      out = look(cycles, at_least_none(depth));
      return true;
    };
    double rho = relaxation();
    double h = rho > 0 ? 1 / rho : life().cycles;
    while (!end_reached()) {
      if (!(f0.maxCoeff() > 0)) return end(LifeEnd::no_wear, x, "nothing wears any more");
      rho = std::max(relaxation(), 1e-300);
      h = std::min({h, life().cycles - x, 0.65 * kMostStages * kMostStages / rho});
      (void)ChebyshevSteps::step(f, x, y, f0, h, ChebyshevSteps::stages(h * rho), y1, f1);
      const double off = off_by(y, f0, y1, f1, h, rho);
      const double better = 0.8 / std::cbrt(std::max(off, 1e-6));
      if (off > 1) {
        h *= std::clamp(better, 0.1, 0.8);
        continue;
      }
      x = h >= life().cycles - x ? life().cycles : x + h;
      y = at_least_none(y1);
      f0 = f1;
      accept(x, y);
      h *= std::clamp(better, 0.3, kMostGrowth);
    }
  }

  /// Error of a step in the profile over what is allowed, (W.13): of the greatest depth of each
  /// part, and of what it is pressed in where it is hardly worn yet.
  [[nodiscard]] double off_by(const VecX& y, const VecX& f0, const VecX& y1, const VecX& f1,
                              double h, double rho) const {
    const VecX error = ChebyshevSteps::error(y, f0, y1, f1, h);
    double out = 0;
    for (const WornPart& part : mechanism_.parts()) {
      const double scale = of_part(y1, part).maxCoeff() + of_part(f1, part).maxCoeff() / rho;
      if (scale > 0)
        out =
            std::max(out, of_part(error, part).cwiseAbs().maxCoeff() / (life().precision * scale));
    }
    return out;
  }

  /// Without an update every cycle wears as the first.
  void extrapolate() {
    const VecX y = mechanism_.start(), rate = look(0, y);
    accept(0, y);
    if (end_reached()) return;
    double cycles = life().cycles;
    for (const std::size_t j : mechanism_.joints()) {
      // The clearance grows on a straight line.
      const double now = mechanism_.clearance(j, y), then = mechanism_.clearance(j, y + rate);
      if (then > now) cycles = std::min(cycles, (life().clearance - now) / (then - now));
    }
    const VecX worn = y + cycles * rate;
    LifePoint last{cycles, worn, out_.points.back().outputs};
    last.outputs[0] = cycles;
    for (std::size_t k = 0; k < mechanism_.joints().size(); ++k) {
      const std::size_t j = mechanism_.joints()[k];
      last.outputs[place(k, 0)] = mechanism_.clearance(j, worn);
      for (const WornPart& part : mechanism_.parts())
        if (part.joint == j) {
          last.outputs[place(k, part.outer ? 2 : 3)] = of_part(worn, part).maxCoeff();
          last.outputs[place(k, part.outer ? 4 : 5)] = of_part(worn, part).sum() * part.cell_area;
        }
    }
    out_.points.push_back(std::move(last));
    if (cycles < life().cycles)
      end(LifeEnd::clearance, cycles, "a clearance has reached its limit");
    else
      end(LifeEnd::all_cycles, cycles, "all cycles are done");
  }

  const WearingMechanism& mechanism_;
  const LookAtCycle& look_;
  LookedAt last_;
  LifeCourse out_;
};

}  // namespace

LifeCourse live(const WearingMechanism& mechanism, const LookAtCycle& look) {
  return Course(mechanism, look).run();
}

std::vector<double> outputs_of_cycle(const WearingMechanism& mechanism, double cycles,
                                     const VecX& depth, const Cycle& found) {
  std::vector<double> out{cycles, found.scatter};
  for (std::size_t k = 0; k < found.joints.size(); ++k) {
    const std::size_t j = mechanism.joints()[k];
    const CycleOfJoint& joint = found.joints[k];
    std::array<double, 2> most{}, volume{};
    for (const WornPart& part : mechanism.parts())
      if (part.joint == j) {
        most[part.outer ? 0 : 1] = of_part(depth, part).maxCoeff();
        volume[part.outer ? 0 : 1] = of_part(depth, part).sum() * part.cell_area;
      }
    out.insert(out.end(),
               {mechanism.clearance(j, depth), joint.peak_force, most[0], most[1], volume[0],
                volume[1], joint.volume_outer, joint.volume_inner, joint.load_ratio});
  }
  return out;
}

std::vector<std::string> life_outputs(const StudyLife& life) {
  std::vector<std::string> out{"cycles", "scatter"};
  for (const std::string& joint : life.joints)
    for (const char* name : kOfJoint) out.push_back(joint + "/" + name);
  return out;
}

std::size_t first_output_of_joint(std::size_t joint) {
  return kBeforeJoints + joint * kOfJoint.size();
}

std::string life_unit(const std::string& output) {
  if (output.ends_with("/clearance") || output.ends_with("_depth")) return "m";
  if (output.ends_with("/peak_force")) return "N";
  if (output.ends_with("_volume") || output.ends_with("_rate")) return "m^3";
  return "1";
}

}  // namespace freeplay::study
