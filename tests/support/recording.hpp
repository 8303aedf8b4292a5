// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/verification_rows.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

// What verification tests share: run a model and ask for its series by path and time, and compare
// numbers so that a passing test still says how much of its tolerance was used.
namespace freeplay::testing {

/// A finished run: every row of the uniform grid, by series path ("bodies/rod/position.x").
class Recording final : public Observer {
 public:
  void begin(const RunHeader& header) override;
  void uniform(double time, std::span<const double> row) override;
  void event(const Event& event) override { events.push_back(event); }
  void impact(const Impact& impact) override { impacts.push_back(impact); }

  /// Scalar series at a grid point; throws when there is no such series or grid point.
  [[nodiscard]] double at(std::string_view path, double time) const;
  /// Vector series at a grid point; planar vectors have z = 0, planar moments only z.
  [[nodiscard]] Vec3 vector(std::string_view path, double time) const;
  [[nodiscard]] Vec4 quaternion(std::string_view path, double time) const;
  /// A scalar series over the whole grid.
  [[nodiscard]] std::vector<double> series(std::string_view path) const;
  [[nodiscard]] bool has(std::string_view path) const;

  std::vector<Channel> channels;
  std::vector<double> time;
  std::vector<std::vector<double>> rows;
  std::vector<Event> events;
  std::vector<Impact> impacts;

 private:
  [[nodiscard]] const Channel& channel(std::string_view path) const;
  [[nodiscard]] std::size_t column(std::string_view path) const;
  [[nodiscard]] const std::vector<double>& row(double time) const;
};

/// A model that was assembled and run to its end.
struct Simulated {
  Model model;
  Assembly assembly;
  RunResult result;
  Recording series;
};

/// tests/verification/models/NAME.toml
[[nodiscard]] Model load_case(const std::string& name);
/// mechanisms/NAME.toml with all its joints and couplings ideal.
[[nodiscard]] Model load_mechanism(const std::string& name);
/// mechanisms/NAME.toml as it is shipped.
[[nodiscard]] Model load_imperfect(const std::string& name);
/// Names of all shipped mechanisms, sorted.
[[nodiscard]] std::vector<std::string> shipped_mechanisms();
/// A model written in the test itself.
[[nodiscard]] Model model_from(std::string_view toml);

/// Assembles and runs. A run that does not end well, or takes more than 20 CPU seconds, fails the
/// test with its reason.
[[nodiscard]] Simulated simulate(Model model, RunOptions options = {});
/// FREEPLAY_TEST_FORMULATION=cartesian or tree: models that leave the choice to the run take it,
/// where it fits them. The verification cases are run with both
/// (tests/verification/CMakeLists.txt).
void choose_formulation(Model& model);

/// What an error in each unit is measured by: the largest value of that unit in the run, but no
/// less than a thousandth of the mechanism's own scale (its L, T and mass), so that what happens to
/// vanish is not asked to 1e-25.
[[nodiscard]] std::map<std::string, double> unit_scales(const Simulated& run);

/// Numbers of one case against their references. Prints, at the end, the largest share of a
/// tolerance used, and notes them for docs/verification.
class Check {
 public:
  /// `source`: where the expected numbers come from. The pages list it; each case has one.
  explicit Check(std::string name, std::string source = {})
      : name_(std::move(name)), source_(std::move(source)) {}
  ~Check();
  Check(const Check&) = delete;

  /// |found - expected| <= tolerance.
  void near(const std::string& what, double found, double expected, double tolerance);
  void near(const std::string& what, const Vec3& found, const Vec3& expected, double tolerance);
  void below(const std::string& what, double found, double limit);
  /// theory/audit (A.5): the audit residual stays below 100 x tolerance x E_scale.
  void energy(const Simulated& run);

 private:
  void compare(VerificationRow row);

  std::string name_, source_;
  std::vector<VerificationRow> rows_;  // one for each quantity, in order of appearance
  int failures_ = 0;
};

}  // namespace freeplay::testing
