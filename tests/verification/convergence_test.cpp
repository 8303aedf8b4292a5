// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// Error against effort, measured and printed: fixed-step methods must show their order,
// error-controlled ones an error that follows the tolerance. Errors are those of all positions,
// orientations and velocities at the samples, relative to the largest of each unit, against DOP853
// at 1e-13.
namespace freeplay::testing {
namespace {

double error_of(const Simulated& run, const Simulated& reference) {
  const auto scale = unit_scales(reference);
  double worst = 0;
  for (const Channel& c : reference.series.channels) {
    const bool motion = c.path.ends_with("/position") || c.path.ends_with("/quaternion") ||
                        c.path.ends_with("/velocity") || c.path.ends_with("/angular_velocity") ||
                        c.path.ends_with("/angle");
    if (!c.path.starts_with("bodies/") || !motion) continue;
    for (std::size_t r = 0; r < reference.series.rows.size(); ++r)
      for (int k = 0; k < c.width; ++k)
        worst = std::max(worst, std::abs(run.series.rows[r][c.offset + k] -
                                         reference.series.rows[r][c.offset + k]) /
                                    scale.at(c.unit));
  }
  return worst;
}

/// Least-squares slope of log(y) over log(x).
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double u = std::log(x[k]), v = std::log(y[k]);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Model ideal_four_bar() {
  Model model = load_mechanism("spatial_four_bar");
  model.simulation.duration = 0.4;
  model.simulation.output = 0.04;
  return model;
}

Simulated reference_of(Model model) {
  model.simulation.method = Method::dop853;
  model.simulation.tolerance = 1e-13;
  return simulate(std::move(model));
}

// ---------------------------------------------------------------- fixed steps

struct Fixed {
  const char* name;
  Method method;
  double order, first_step;
};
void PrintTo(const Fixed& f, std::ostream* out) { *out << f.name; }

class FixedStepOrder : public ::testing::TestWithParam<Fixed> {};
TEST_P(FixedStepOrder, IsTheTheoreticalOne) {
  Model model = ideal_four_bar();
  const Simulated reference = reference_of(model);
  model.simulation.method = GetParam().method;
  std::vector<double> steps, errors;
  fmt::print("    {:<12} {:>10} {:>10} {:>7} {:>12}\n", GetParam().name, "step, s", "error",
             "order", "evaluations");
  for (double h = GetParam().first_step; steps.size() < 5; h /= 2) {
    model.simulation.step = h;
    const Simulated run = simulate(model);
    steps.push_back(h);
    errors.push_back(error_of(run, reference));
    const std::size_t k = errors.size() - 1;
    fmt::print("    {:<12} {:10.2e} {:10.2e} {:>7} {:12}\n", "", h, errors[k],
               k ? fmt::format("{:.2f}", std::log2(errors[k - 1] / errors[k])) : "",
               run.result.stats.evaluations);
  }
  EXPECT_NEAR(slope(steps, errors), GetParam().order, 0.2);
  EXPECT_NEAR(std::log2(errors[3] / errors[4]), GetParam().order, 0.2);
}
INSTANTIATE_TEST_SUITE_P(All, FixedStepOrder,
                         ::testing::Values(Fixed{"rk4", Method::rk4, 4, 2e-3},
                                           Fixed{"heun", Method::heun, 2, 2.5e-4}),
                         [](const auto& test) { return std::string(test.param.name); });

// ---------------------------------------------------------------- error control

struct Controlled {
  const char* name;
  Method method;
};
void PrintTo(const Controlled& c, std::ostream* out) { *out << c.name; }

class ErrorControl : public ::testing::TestWithParam<Controlled> {
 protected:
  static void check(const std::string& title, Model model) {
    const Simulated reference = reference_of(model);
    model.simulation.method = GetParam().method;
    std::vector<double> tolerances, errors;
    fmt::print("    {:<12} {:<22} {:>9} {:>9} {:>6} {:>6} {:>8} {:>9}\n", GetParam().name, title,
               "tolerance", "error", "ratio", "steps", "evals", "audit");
    for (int k = 5; k <= 10; ++k) {
      model.simulation.tolerance = std::pow(10.0, -k);
      const Simulated run = simulate(model);
      ASSERT_EQ(run.result.status, RunStatus::done)
          << GetParam().name << ", " << title << " at 1e-" << k;
      tolerances.push_back(model.simulation.tolerance);
      errors.push_back(error_of(run, reference));
      fmt::print("    {:<12} {:<22} {:9.0e} {:9.1e} {:6.1f} {:6} {:8} {:9.1e}\n", "", "",
                 tolerances.back(), errors.back(), errors.back() / tolerances.back(),
                 run.result.stats.steps, run.result.stats.evaluations,
                 run.result.energy_residual / run.result.energy_scale);
    }
    for (std::size_t k = 1; k < errors.size(); ++k)
      EXPECT_LT(errors[k], errors[k - 1])
          << GetParam().name << ", " << title << ": not monotone at " << tolerances[k];
    EXPECT_GE(slope(tolerances, errors), 0.7) << GetParam().name << ", " << title;
    fmt::print("    {:<12} {:<22} slope {:.2f}\n", "", "", slope(tolerances, errors));
  }
};

TEST_P(ErrorControl, FollowsTheToleranceOnTheSpatialFourBar) {
  check("spatial four-bar", ideal_four_bar());
}
TEST_P(ErrorControl, FollowsTheToleranceOnTheSliderCrank) {
  Model model = load_case("a06_slider_crank");
  model.simulation.output = 0.05;
  check("spatial slider-crank", model);
}
INSTANTIATE_TEST_SUITE_P(All, ErrorControl,
                         ::testing::Values(Controlled{"dop853", Method::dop853},
                                           Controlled{"radau", Method::radau},
                                           Controlled{"cvode_adams", Method::cvode_adams},
                                           Controlled{"cvode_bdf", Method::cvode_bdf},
                                           Controlled{"arkode_erk", Method::arkode_erk},
                                           Controlled{"arkode_dirk", Method::arkode_dirk},
                                           Controlled{"ida", Method::ida}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace freeplay::testing
