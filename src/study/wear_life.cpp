// SPDX-License-Identifier: Apache-2.0
#include "study/wear_life.hpp"

#include "joints/geometry.hpp"
#include "study/life_course.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

namespace freeplay::study {
namespace {

Model model_of(const Study& study) {
  return parse_model(study.model_text, study.model_file.string(), {study.set, nullptr},
                     study.model_folder());
}

class Life {
 public:
  Life(const Study& study, Journal& journal, const StudyOptions& options,
       const std::function<void()>& row_done)
      : study_(study),
        journal_(journal),
        options_(options),
        row_done_(row_done),
        mechanism_(model_of(study), study.life, study.time_limit) {}

  void run(StudySummary& summary) {
    const LifeCourse course = live(mechanism_, [this](double cycles, const VecX& depth) {
      return look_at(cycle(cycles, depth));
    });
    summary.rows = rows_;
    summary.complete = !stopped();
    if (summary.complete) conclude(course, summary);
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop->load(); }

  /// A cycle with these surfaces: from the journal, or simulated.
  Record cycle(double cycles, const VecX& depth) {
    const std::int64_t row = rows_++;
    const std::vector<double> inputs{cycles};
    if (journal_.has(row)) {
      Record known = journal_.read(row);
      if (known.inputs == inputs) return known;
    }
    if (stopped()) throw LifeBroken{"interrupted"};
    Record record;
    record.row = row;
    record.inputs = inputs;
    RowOutcome& out = record.outcome;
    out.outputs.assign(life_outputs(study_.life).size(), 0.0);
    mechanism_.renew_time();
    if (const auto found = mechanism_.run(depth, carry_ ? &*carry_ : nullptr, out)) {
      out.outputs = outputs_of_cycle(mechanism_, cycles, depth, *found);
      out.samples.assign(found->rates.data(), found->rates.data() + found->rates.size());
      for (const CycleOfJoint& joint : found->joints) out.samples.push_back(joint.slip);
      out.carry = Carry{found->end, 0, mechanism_.layout(), {}};
    }
    journal_.append(record);
    row_done_();
    return record;
  }

  LookedAt look_at(const Record& record) {
    const RowOutcome& o = record.outcome;
    if (o.status != RowStatus::done) throw LifeBroken{o.error};
    carry_ = o.carry;
    const Eigen::Index depths = mechanism_.start().size();
    return {Eigen::Map<const VecX>(o.samples.data(), depths),
            {o.samples.begin() + depths, o.samples.end()},
            o.outputs};
  }

  void conclude(const LifeCourse& course, StudySummary& summary) const {
    const auto add = [&](const std::string& name, std::vector<double> values,
                         const std::string& unit) {
      summary.numbers.push_back({"life/" + name, std::move(values), unit});
    };
    std::vector<double> cycles;
    for (const LifePoint& point : course.points) cycles.push_back(point.cycles);
    add("cycles", cycles, "1");
    add("end", {course.end}, "1");
    add("ended_by", {static_cast<double>(course.how)}, "1");
    add("simulated_cycles",
        {static_cast<double>(rows_) * study_.life.average + 0.1 * static_cast<double>(rows_) +
         study_.life.settle},
        "1");
    const auto outputs = life_outputs(study_.life);
    for (std::size_t k = 1; k < outputs.size(); ++k) {
      std::vector<double> values;
      for (const LifePoint& point : course.points) values.push_back(point.outputs[k]);
      add(outputs[k], std::move(values), life_unit(outputs[k]));
    }
    for (const WornPart& part : mechanism_.parts()) {
      std::vector<double> profile;
      for (const LifePoint& point : course.points)
        for (std::size_t s = 0; s < part.cells; ++s)
          profile.push_back(point.depth[static_cast<Eigen::Index>(part.first + s)]);
      const std::string name = mechanism_.model().joints[part.joint].name;
      add(name + (part.outer ? "/outer_profile" : "/inner_profile"), std::move(profile), "m");
    }
    summary.table.push_back({"cycles"});
    for (const std::size_t j : mechanism_.joints())
      for (const char* what :
           {"clearance, mm", "peak force, N", "outer depth, um", "inner depth, um"})
        summary.table[0].push_back(mechanism_.model().joints[j].name + ": " + what);
    for (const LifePoint& point : course.points) {
      std::vector<std::string> row{fmt::format("{:.6g}", point.cycles)};
      for (std::size_t k = 0; k < mechanism_.joints().size(); ++k) {
        const double* at = &point.outputs[first_output_of_joint(k)];
        row.push_back(fmt::format("{:.6g}", 1e3 * at[0]));
        row.push_back(fmt::format("{:.6g}", at[1]));
        row.push_back(fmt::format("{:.6g}", 1e6 * at[2]));
        row.push_back(fmt::format("{:.6g}", 1e6 * at[3]));
      }
      summary.table.push_back(std::move(row));
    }
    std::vector<std::string> last(summary.table[0].size());
    last[0] = fmt::format("ends at {:.6g}", course.end);
    if (last.size() > 1) last[1] = course.reason;
    summary.table.push_back(std::move(last));
  }

  const Study& study_;
  Journal& journal_;
  const StudyOptions& options_;
  const std::function<void()>& row_done_;
  WearingMechanism mechanism_;
  std::int64_t rows_ = 0;
  std::optional<Carry> carry_;
};

}  // namespace

void check_life(const StudyLife& life, const Model& model) {
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
    if (joint.clearance->wear->update > 0)
      refuse("joints." + joint.name + ".clearance.wear.update",
             "a life updates the surfaces from cycle to cycle by itself", "leave it out");
    if (life.update && joint.clearance->contact.key == "elastic-foundation" &&
        !joints::follows_wear(model, joint))
      refuse("joints." + joint.name + ".clearance.wear",
             fmt::format("the shape of a worn {} joint of a {} mechanism is not followed: its "
                         "pressure is that of the new parts",
                         name_of(joint.type), model.planar ? "planar" : "spatial"),
             "take update = false, for depths well below the clearance");
    if (life.update && joint.clearance->contact.key != "elastic-foundation")
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

}  // namespace freeplay::study
