// SPDX-License-Identifier: Apache-2.0
#include "study/row_life.hpp"

#include "study/wear_life.hpp"
#include <freeplay/errors.hpp>

#include <utility>

namespace freeplay::study {
namespace {

Model checked(const StudyLife& life, Model model) {
  check_life(life, model);
  return model;
}

}  // namespace

RowLife::RowLife(const Study& study, Model model)
    : mechanism_(checked(study.life, std::move(model)), study.life, study.time_limit) {
  bool same = mechanism_.joints().size() == study.life.joints.size();
  for (std::size_t k = 0; same && k < study.life.joints.size(); ++k)
    same = mechanism_.model().joints[mechanism_.joints()[k]].name == study.life.joints[k];
  if (same) return;
  Issue issue;
  issue.path = "vary";
  issue.message = "other joints wear than in the first row";
  issue.hint = "give coefficients a small value instead of none";
  throw ModelError({issue});
}

RowOutcome RowLife::run() {
  RowOutcome out;
  std::optional<Carry> carry;
  const LifeCourse course = live(mechanism_, [&](double cycles, const VecX& depth) {
    const auto found = mechanism_.run(depth, carry ? &*carry : nullptr, out);
    if (!found) throw LifeBroken{out.error};
    carry = Carry{found->end, 0, mechanism_.layout(), {}};
    LookedAt seen{found->rates, {}, outputs_of_cycle(mechanism_, cycles, depth, *found)};
    for (const CycleOfJoint& joint : found->joints) seen.slip.push_back(joint.slip);
    return seen;
  });
  out.outputs.assign(row_life_outputs(mechanism_.life()).size(), 0.0);
  if (course.how == LifeEnd::broken) return out;
  out.outputs[0] = course.end;
  out.outputs[1] = static_cast<double>(course.how);
  const std::vector<double>& last = course.points.back().outputs;
  std::copy(last.begin() + static_cast<std::ptrdiff_t>(first_output_of_joint(0)), last.end(),
            out.outputs.begin() + 2);
  return out;
}

std::vector<std::string> row_life_outputs(const StudyLife& life) {
  std::vector<std::string> out{"life/end", "life/ended_by"};
  const std::vector<std::string> all = life_outputs(life);
  out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(first_output_of_joint(0)),
             all.end());
  return out;
}

}  // namespace freeplay::study
