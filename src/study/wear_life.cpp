// SPDX-License-Identifier: Apache-2.0
#include "study/wear_life.hpp"

#include "study/chebyshev_steps.hpp"
#include "study/wear_cycle.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace freeplay::study {
namespace {

constexpr std::array<const char*, 9> kOfJoint{"clearance",   "peak_force",   "outer_depth",
                                              "inner_depth", "outer_volume", "inner_volume",
                                              "outer_rate",  "inner_rate",   "load_ratio"};

/// Of the estimate of how fast wear relaxes, theory/wear (W.11): slip at the place that slips most
/// is a little more than on the mean.
constexpr double kSafety = 1.2;
/// Growth from one step to the next, at most; stages of a step, at most. chosen
constexpr double kMostGrowth = 2.5;
constexpr int kMostStages = 40;

/// A life cannot go on: why.
struct Ended {
  std::string reason;
};

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

/// An accepted point of a life.
struct Point {
  double cycles;
  VecX depth;
  std::vector<double> outputs;  // as life_outputs lists them
};

class Life {
 public:
  Life(const Study& study, Journal& journal, const StudyOptions& options,
       const std::function<void()>& row_done)
      : study_(study),
        journal_(journal),
        options_(options),
        row_done_(row_done),
        mechanism_(study) {}

  void run(StudySummary& summary) {
    std::string reason;
    try {
      reason = study_.life.update ? go() : extrapolate();
    } catch (const Ended& ended) {
      reason = ended.reason;
    }
    summary.rows = rows_;
    summary.complete = !stopped();
    if (summary.complete) conclude(reason, summary);
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop->load(); }

  /// A cycle with these surfaces: from the journal, or simulated.
  Record cycle(double cycles, const VecX& depth) {
    const std::int64_t row = rows_++;
    const std::vector<double> inputs{cycles};
    if (journal_.has(row)) {
      Record known = journal_.read(row);
      if (known.inputs == inputs) {
        keep(known);
        return known;
      }
    }
    if (stopped()) throw Ended{"interrupted"};
    Record record;
    record.row = row;
    record.inputs = inputs;
    RowOutcome& out = record.outcome;
    out.outputs.assign(life_outputs(study_).size(), 0.0);
    if (const auto found = mechanism_.run(depth, carry_ ? &*carry_ : nullptr, out)) {
      out.outputs = outputs(cycles, depth, *found);
      out.samples.assign(found->rates.data(), found->rates.data() + found->rates.size());
      for (const CycleOfJoint& joint : found->joints) out.samples.push_back(joint.slip);
      out.carry = Carry{found->end, 0, mechanism_.layout(), {}};
    }
    journal_.append(record);
    row_done_();
    keep(record);
    return record;
  }
  void keep(const Record& record) {
    if (record.outcome.status != RowStatus::done) throw Ended{record.outcome.error};
    carry_ = record.outcome.carry;
    last_ = record;
  }

  [[nodiscard]] std::vector<double> outputs(double cycles, const VecX& depth,
                                            const Cycle& found) const {
    std::vector<double> out{cycles, found.scatter};
    for (std::size_t k = 0; k < found.joints.size(); ++k) {
      const std::size_t j = mechanism_.joints()[k];
      const CycleOfJoint& joint = found.joints[k];
      std::array<double, 2> most{}, volume{};
      for (const WornPart& part : mechanism_.parts())
        if (part.joint == j) {
          const auto depths = depth.segment(static_cast<Eigen::Index>(part.first),
                                            static_cast<Eigen::Index>(part.sectors));
          most[part.outer ? 0 : 1] = depths.maxCoeff();
          volume[part.outer ? 0 : 1] = depths.sum() * part.sector_area;
        }
      out.insert(out.end(),
                 {mechanism_.clearance(j, depth), joint.peak_force, most[0], most[1], volume[0],
                  volume[1], joint.volume_outer, joint.volume_inner, joint.load_ratio});
    }
    return out;
  }

  /// Rates of the last cycle.
  [[nodiscard]] VecX rates() const {
    return Eigen::Map<const VecX>(last_.outcome.samples.data(), mechanism_.start().size());
  }
  /// (W.11): how fast the fastest wave in a profile wears off, per cycle.
  [[nodiscard]] double relaxation() const {
    double out = 0;
    const auto depths = static_cast<std::size_t>(mechanism_.start().size());
    for (std::size_t k = 0; k < mechanism_.joints().size(); ++k) {
      const std::size_t j = mechanism_.joints()[k];
      const Clearance& c = *mechanism_.model().joints[j].clearance;
      double coefficient = 0;
      for (const WornPart& part : mechanism_.parts())
        if (part.joint == j)
          coefficient += part.coefficient * (part.outer ? 1 : c.outer_radius / c.inner_radius);
      out = std::max(out, kSafety * most_factor(*c.wear) * coefficient * mechanism_.modulus(j) *
                              last_.outcome.samples[depths + k]);
    }
    return out;
  }

  /// Stages never give back what is worn away already.
  static VecX at_least_none(const VecX& depth) { return depth.cwiseMax(0.0); }

  void accept(double cycles, const VecX& depth) {
    points_.push_back({cycles, depth, last_.outcome.outputs});
  }

  /// Why the life ends at the last point; empty: it does not.
  [[nodiscard]] std::string end_reached() {
    const Point& now = points_.back();
    const StudyLife& life = study_.life;
    for (std::size_t k = 0; k < mechanism_.joints().size(); ++k) {
      const std::string& name = mechanism_.model().joints[mechanism_.joints()[k]].name;
      for (const auto& [which, limit, what] :
           {std::tuple(std::size_t{0}, life.clearance, "clearance"),
            std::tuple(std::size_t{1}, life.peak_force, "peak force")}) {
        const std::size_t at = 2 + k * kOfJoint.size() + which;
        if (!(now.outputs[at] >= limit)) continue;
        end_ = now.cycles;
        if (points_.size() > 1) {  // on the straight line from the point before
          const Point& before = points_[points_.size() - 2];
          const double rise = now.outputs[at] - before.outputs[at];
          if (rise > 0 && before.outputs[at] < limit)
            end_ =
                before.cycles + (now.cycles - before.cycles) * (limit - before.outputs[at]) / rise;
        }
        return fmt::format("the {} of {} has reached its limit", what, name);
      }
    }
    if (now.cycles >= life.cycles * (1 - 1e-12)) {
      end_ = life.cycles;
      return "all cycles are done";
    }
    return {};
  }

  /// Steps over many cycles each, as long as the profile allows.
  std::string go() {
    double x = 0;
    VecX y = mechanism_.start(), y1, f0, f1;
    (void)cycle(x, y);
    f0 = rates();
    accept(x, y);
    const auto f = [&](const VecX& depth, double cycles, VecX& out) {
      (void)cycle(cycles, at_least_none(depth));
      out = rates();
      return true;
    };
    double rho = relaxation();
    double h = rho > 0 ? 1 / rho : study_.life.cycles;
    for (;;) {
      if (std::string reason = end_reached(); !reason.empty()) return reason;
      if (!(f0.maxCoeff() > 0)) return "nothing wears any more";
      rho = std::max(relaxation(), 1e-300);
      h = std::min({h, study_.life.cycles - x, 0.65 * kMostStages * kMostStages / rho});
      const int stages = ChebyshevSteps::stages(h * rho);
      (void)ChebyshevSteps::step(f, x, y, f0, h, stages, y1, f1);
      const double off = off_by(y, f0, y1, f1, h);
      const double better = 0.8 / std::cbrt(std::max(off, 1e-6));
      if (off > 1) {
        h *= std::clamp(better, 0.1, 0.8);
        continue;
      }
      x = h >= study_.life.cycles - x ? study_.life.cycles : x + h;
      y = at_least_none(y1);
      f0 = f1;
      accept(x, y);
      h *= std::clamp(better, 0.3, kMostGrowth);
    }
  }

  /// Error of a step in the profile, over what is allowed of the greatest depth of each part.
  [[nodiscard]] double off_by(const VecX& y, const VecX& f0, const VecX& y1, const VecX& f1,
                              double h) const {
    const VecX error = ChebyshevSteps::error(y, f0, y1, f1, h);
    double out = 0;
    for (const WornPart& part : mechanism_.parts()) {
      const auto first = static_cast<Eigen::Index>(part.first),
                 count = static_cast<Eigen::Index>(part.sectors);
      const double greatest = y1.segment(first, count).maxCoeff();
      if (greatest > 0)
        out = std::max(
            out, error.segment(first, count).cwiseAbs().maxCoeff() / (study_.precision * greatest));
    }
    return out;
  }

  /// Without an update every cycle wears as the first.
  std::string extrapolate() {
    VecX y = mechanism_.start();
    (void)cycle(0, y);
    const VecX rate = rates();
    accept(0, y);
    if (std::string reason = end_reached(); !reason.empty()) return reason;
    double cycles = study_.life.cycles;
    for (const std::size_t j : mechanism_.joints()) {
      // The clearance grows on a straight line.
      const double now = mechanism_.clearance(j, y), then = mechanism_.clearance(j, y + rate);
      if (then > now) cycles = std::min(cycles, (study_.life.clearance - now) / (then - now));
    }
    if (!std::isfinite(cycles)) return "nothing wears";
    const VecX worn = y + cycles * rate;
    Point last{cycles, worn, points_.back().outputs};
    last.outputs[0] = cycles;
    for (std::size_t k = 0; k < mechanism_.joints().size(); ++k) {
      const std::size_t j = mechanism_.joints()[k], at = 2 + k * kOfJoint.size();
      last.outputs[at] = mechanism_.clearance(j, worn);
      for (const WornPart& part : mechanism_.parts())
        if (part.joint == j) {
          const auto depths = worn.segment(static_cast<Eigen::Index>(part.first),
                                           static_cast<Eigen::Index>(part.sectors));
          last.outputs[at + (part.outer ? 2 : 3)] = depths.maxCoeff();
          last.outputs[at + (part.outer ? 4 : 5)] = depths.sum() * part.sector_area;
        }
    }
    points_.push_back(std::move(last));
    end_ = cycles;
    return cycles < study_.life.cycles ? "a clearance has reached its limit"
                                       : "all cycles are done";
  }

  void conclude(const std::string& reason, StudySummary& summary) const {
    const auto add = [&](const std::string& name, std::vector<double> values,
                         const std::string& unit) {
      summary.numbers.push_back({"life/" + name, std::move(values), unit});
    };
    std::vector<double> cycles;
    for (const Point& point : points_) cycles.push_back(point.cycles);
    add("cycles", cycles, "1");
    add("end", {end_}, "1");
    add("simulated_cycles",
        {static_cast<double>(rows_) * study_.life.average + 0.1 * static_cast<double>(rows_) +
         study_.life.settle},
        "1");
    const auto outputs = life_outputs(study_);
    for (std::size_t k = 1; k < outputs.size(); ++k) {
      std::vector<double> values;
      for (const Point& point : points_) values.push_back(point.outputs[k]);
      add(outputs[k], std::move(values), life_unit(outputs[k]));
    }
    for (const WornPart& part : mechanism_.parts()) {
      std::vector<double> profile;
      for (const Point& point : points_)
        for (std::size_t s = 0; s < part.sectors; ++s)
          profile.push_back(point.depth[static_cast<Eigen::Index>(part.first + s)]);
      const std::string name = mechanism_.model().joints[part.joint].name;
      add(name + (part.outer ? "/outer_profile" : "/inner_profile"), std::move(profile), "m");
    }
    summary.table.push_back({"cycles"});
    for (const std::size_t j : mechanism_.joints())
      for (const char* what :
           {"clearance, mm", "peak force, N", "outer depth, um", "inner depth, um"})
        summary.table[0].push_back(mechanism_.model().joints[j].name + ": " + what);
    for (const Point& point : points_) {
      std::vector<std::string> row{fmt::format("{:.6g}", point.cycles)};
      for (std::size_t k = 0; k < mechanism_.joints().size(); ++k) {
        const double* at = &point.outputs[2 + k * kOfJoint.size()];
        row.push_back(fmt::format("{:.6g}", 1e3 * at[0]));
        row.push_back(fmt::format("{:.6g}", at[1]));
        row.push_back(fmt::format("{:.6g}", 1e6 * at[2]));
        row.push_back(fmt::format("{:.6g}", 1e6 * at[3]));
      }
      summary.table.push_back(std::move(row));
    }
    std::vector<std::string> last(summary.table[0].size());
    last[0] = fmt::format("ends at {:.6g}", end_);
    if (last.size() > 1) last[1] = reason;
    summary.table.push_back(std::move(last));
  }

  const Study& study_;
  Journal& journal_;
  const StudyOptions& options_;
  const std::function<void()>& row_done_;
  WearingMechanism mechanism_;
  std::int64_t rows_ = 0;
  std::optional<Carry> carry_;
  Record last_;
  std::vector<Point> points_;
  double end_ = 0;
};

}  // namespace

void check_life(const Study& study, const Model& model) {
  std::vector<Issue> issues;
  const auto refuse = [&](const std::string& path, std::string message, std::string hint) {
    Issue issue;
    issue.path = path;
    issue.message = std::move(message);
    issue.hint = std::move(hint);
    issues.push_back(std::move(issue));
  };
  bool any = false;
  for (const Joint& joint : model.joints) {
    if (!joint.clearance || !joint.clearance->wear) continue;
    any = true;
    if (study.life.update && joint.clearance->contact.key != "elastic-foundation")
      refuse("joints." + joint.name + ".clearance.contact",
             fmt::format("law '{}' presses with the radii of the new parts, which wear changes",
                         joint.clearance->contact.key),
             "take law = \"elastic-foundation\", whose pressure follows the worn shape; or update "
             "= false, for depths well below the clearance");
  }
  if (!any)
    refuse("model", "no joint of the model wears",
           "[joints.NAME.clearance.wear] law = \"archard\", outer = \"1e-14 1/Pa\", inner = "
           "\"1e-14 1/Pa\"");
  if (!issues.empty()) throw ModelError(issues);
}

void run_life(const Study& study, Journal& journal, const StudyOptions& options,
              const std::function<void()>& row_done, StudySummary& summary) {
  Life(study, journal, options, row_done).run(summary);
}

std::vector<std::string> life_outputs(const Study& study) {
  std::vector<std::string> out{"cycles", "scatter"};
  for (const std::string& joint : study.life.joints)
    for (const char* name : kOfJoint) out.push_back(joint + "/" + name);
  return out;
}

std::string life_unit(const std::string& output) {
  if (output.ends_with("/clearance") || output.ends_with("_depth")) return "m";
  if (output.ends_with("/peak_force")) return "N";
  if (output.ends_with("_volume") || output.ends_with("_rate")) return "m^3";
  return "1";
}

}  // namespace freeplay::study
