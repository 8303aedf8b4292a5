// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "support/recording.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

// What a run costs and how often its parts touch, for every shipped mechanism as it is shipped:
// a change of the engine that moves one of these by more than a tenth must be meant. Then
//
//   FREEPLAY_UPDATE_GOLDEN=1 build/release/tests/regression_all
//
// writes them anew, and CHANGELOG.md says why under "Results change".
namespace freeplay::testing {
namespace {

struct Counters {
  double steps = 0, evaluations = 0, contacts = 0;
};

std::filesystem::path golden_file() {
  return source_dir() / "tests" / "regression" / "counters.txt";
}

/// One line a mechanism: name, steps, evaluations, contacts.
std::map<std::string, Counters> golden() {
  std::map<std::string, Counters> out;
  std::ifstream file(golden_file());
  std::string line, name;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Counters c;
    if (line.starts_with('#') || !(words >> name >> c.steps >> c.evaluations >> c.contacts))
      continue;
    out[name] = c;
  }
  return out;
}

Counters count(const std::string& mechanism) {
  const RunResult result = simulate(load_imperfect(mechanism)).result;
  return {static_cast<double>(result.stats.steps), static_cast<double>(result.stats.evaluations),
          static_cast<double>(result.contacts)};
}

TEST(Counters, StayWithinATenth) {
  if (std::getenv("FREEPLAY_UPDATE_GOLDEN")) {
    std::ofstream file(golden_file());
    file << "# mechanism, steps, evaluations, contacts\n";
    for (const std::string& name : shipped_mechanisms()) {
      const Counters c = count(name);
      file << fmt::format("{} {} {} {}\n", name, c.steps, c.evaluations, c.contacts);
    }
  }
  const auto expected = golden();
  for (const std::string& name : shipped_mechanisms()) {
    ASSERT_TRUE(expected.contains(name)) << name << " is new; see the top of this file";
    const Counters &then = expected.at(name), now = count(name);
    const auto near = [&](const char* what, double a, double b) {
      EXPECT_NEAR(a, b, std::max(2.0, 0.1 * b)) << name << ": " << what;
    };
    near("steps", now.steps, then.steps);
    near("evaluations", now.evaluations, then.evaluations);
    near("contacts", now.contacts, then.contacts);
  }
}

}  // namespace
}  // namespace freeplay::testing
