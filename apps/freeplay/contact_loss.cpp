// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "json.hpp"
#include "model_file.hpp"
#include "terminal.hpp"
#include <freeplay/contact_loss.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

// `freeplay contact-loss`: where ideal reactions say that the parts of a joint with play let go.
namespace freeplay::cli {
namespace {

std::string curves(const ContactLoss& found) {
  std::string out = "time [s]";
  for (const JointContactLoss& j : found.joints)
    for (const char* what : {"force [N]", "turning [rad/s]", "mass [kg]", "following [1]",
                             "swerving [1]", "earles_wu [rad/(s N)]"})
      out += fmt::format(",{} {}", j.joint, what);
  for (std::size_t k = 0; k < found.joints.front().at.size(); ++k) {
    out += "\n" + digits15(found.joints.front().at[k].time);
    for (const JointContactLoss& j : found.joints) {
      const JointLoad& l = j.at[k];
      for (const double x : {l.force, l.turning, l.mass, l.following, l.swerving, l.earles_wu})
        out += "," + digits15(x);
    }
  }
  return out + "\n";
}

std::string list(const std::vector<LossInterval>& stretches) {
  constexpr std::size_t kShown = 6;  // chosen: a line
  if (stretches.empty()) return "nowhere";
  std::string out;
  for (std::size_t k = 0; k < std::min(kShown, stretches.size()); ++k)
    out +=
        fmt::format("{}{:.6g} ... {:.6g} s", k > 0 ? ", " : "", stretches[k].from, stretches[k].to);
  if (stretches.size() > kShown) out += fmt::format(", and {} more", stretches.size() - kShown);
  return out;
}

void print_joint(const JointContactLoss& joint, bool compared, double limit) {
  const auto most = [&](double JointLoad::*what) {
    return std::max_element(joint.at.begin(), joint.at.end(),
                            [&](const auto& a, const auto& b) { return a.*what < b.*what; });
  };
  const auto least =
      std::min_element(joint.at.begin(), joint.at.end(),
                       [](const auto& a, const auto& b) { return a.force < b.force; });
  print(bold(joint.joint) + fmt::format(", play {:.5g} um\n", 1e6 * joint.play));
  Table numbers;
  numbers.add(
      {"least reaction", fmt::format("{:.4g} N at t = {:.6g} s, of at most {:.4g} N", least->force,
                                     least->time, most(&JointLoad::force)->force)});
  const auto add = [&](const char* name, double JointLoad::*what, const char* unit) {
    numbers.add({name, fmt::format("up to {:.4g}{} at t = {:.6g} s", (*most(what)).*what, unit,
                                   most(what)->time)});
  };
  add("following number", &JointLoad::following, "");
  add("swerving number", &JointLoad::swerving, "");
  add("Earles and Wu", &JointLoad::earles_wu, " rad/(s N)");
  numbers.add({"contact is lost", list(joint.lost)});
  numbers.add({fmt::format("beyond {:g} rad/(s N)", limit), list(joint.earles_wu)});
  if (compared)
    numbers.add({"the run in full",
                 fmt::format("{} separations, {} after contact that followed; {} of those foreseen",
                             joint.separations, joint.losses, joint.foreseen)});
  print(numbers.text());
}

}  // namespace

int contact_loss_command(const ContactLossArguments& a) try {
  const auto [model, warnings, record] = load(a.model);
  show(warnings);
  const ContactLossOptions options{
      .positions = a.positions, .compare = !a.ideal_only, .earles_wu = a.earles_wu};
  const ContactLoss found = naming_the_file(
      a.model, model, [&](const Model& m) { return find_contact_loss(m, options); });
  if (!a.csv.empty()) {
    std::ofstream out(a.csv, std::ios::binary);
    out << curves(found);
    out.close();
    if (!out) throw IoError("cannot write " + a.csv);
  }
  if (a.json) {
    print(json_of(found));
    return kDone;
  }
  for (const std::string& text : found.notes) note(text);
  for (const JointContactLoss& joint : found.joints)
    print_joint(joint, found.compared, a.earles_wu);
  if (!a.csv.empty()) print("  indices over time: " + a.csv + "\n");
  return kDone;
} catch (const ContactLossFailed& error) {
  complain(error.what());
  if (a.json) print(json_of_error("failed", error.what(), {}));
  return kFailed;
}

}  // namespace freeplay::cli
