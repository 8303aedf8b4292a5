// SPDX-License-Identifier: Apache-2.0
#include "support/recording.hpp"

#include "dynamics/tree/choice.hpp"
#include "support/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace freeplay::testing {

void Recording::begin(const RunHeader& header) { channels = header.channels; }

void Recording::uniform(double t, std::span<const double> values) {
  time.push_back(t);
  rows.emplace_back(values.begin(), values.end());
}

bool Recording::has(std::string_view path) const {
  return std::ranges::any_of(channels, [&](const Channel& c) { return c.path == path; });
}

const Channel& Recording::channel(std::string_view path) const {
  const auto found =
      std::ranges::find_if(channels, [&](const Channel& c) { return c.path == path; });
  if (found == channels.end()) throw std::out_of_range("no series " + std::string(path));
  return *found;
}

std::size_t Recording::column(std::string_view path) const {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return static_cast<std::size_t>(channel(path).offset);
  const Channel& c = channel(path.substr(0, dot));
  const std::string_view names = c.width == 4 ? "wxyz" : "xyz";
  return static_cast<std::size_t>(c.offset) + names.find(path.back());
}

const std::vector<double>& Recording::row(double t) const {
  for (std::size_t k = 0; k < time.size(); ++k)
    if (std::abs(time[k] - t) <= 1e-9 * (1 + std::abs(t))) return rows[k];
  throw std::out_of_range(fmt::format("t = {} is not on the output grid", t));
}

double Recording::at(std::string_view path, double t) const { return row(t)[column(path)]; }

Vec3 Recording::vector(std::string_view path, double t) const {
  const Channel& c = channel(path);
  const double* values = row(t).data() + c.offset;
  if (c.width == 1) return {0, 0, values[0]};
  return {values[0], values[1], c.width == 2 ? 0 : values[2]};
}

Vec4 Recording::quaternion(std::string_view path, double t) const {
  return Eigen::Map<const Vec4>(row(t).data() + channel(path).offset);
}

std::vector<double> Recording::series(std::string_view path) const {
  const std::size_t k = column(path);
  std::vector<double> out;
  out.reserve(rows.size());
  for (const auto& r : rows) out.push_back(r[k]);
  return out;
}

Model load_case(const std::string& name) {
  return load_model(source_dir() / "tests" / "verification" / "models" / (name + ".toml"));
}

Model load_mechanism(const std::string& name) {
  Model model = load_model(source_dir() / "mechanisms" / (name + ".toml"));
  for (Joint& joint : model.joints) {
    joint.clearance.reset();
    joint.stops.clear();
  }
  for (Coupling& coupling : model.couplings) coupling.teeth.reset();
  return model;
}

Model load_imperfect(const std::string& name) {
  return load_model(source_dir() / "mechanisms" / (name + ".toml"));
}

std::vector<std::string> shipped_mechanisms() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "mechanisms"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

Model model_from(std::string_view toml) { return parse_model(toml, "test"); }

void choose_formulation(Model& model) {
  const char* wanted = std::getenv("FREEPLAY_TEST_FORMULATION");
  if (!wanted || model.simulation.formulation != Formulation::automatic) return;
  if (wanted == std::string_view("cartesian"))
    model.simulation.formulation = Formulation::cartesian;
  else if (dynamics::tree_misfit(model).empty()) {
    model.simulation.formulation = Formulation::tree;
    // Momenta that Cartesian coordinates keep to round-off, joint coordinates keep to the
    // tolerance, and another order of the joints may cut other loops.
    model.simulation.tolerance *= 0.1;
  }
}

Simulated simulate(Model model, RunOptions options) {
  choose_formulation(model);
  Simulated out{std::move(model), {}, {}, {}};
  out.assembly = assemble(out.model);
  Observer* observers[] = {&out.series};
  options.time_limit = 20;
  out.result = run(out.model, out.assembly.start, observers, options);
  EXPECT_EQ(out.result.status, RunStatus::done) << out.model.name << ": " << out.result.reason;
  return out;
}

std::map<std::string, double> unit_scales(const Simulated& run) {
  const auto [L, T, M] = scales_of(run.model);
  const double force = M * L / (T * T);
  std::map<std::string, double> scale = {
      {"1", 1},           {"m", L},         {"m/s", L / T},           {"m/s^2", L / (T * T)},
      {"rad", 1},         {"rad/s", 1 / T}, {"rad/s^2", 1 / (T * T)}, {"N", force},
      {"N m", force * L}, {"J", force * L}};
  for (auto& [unit, value] : scale) value *= 1e-3;
  for (const Channel& c : run.series.channels)
    for (const auto& row : run.series.rows)
      for (int k = 0; k < c.width; ++k)
        scale[c.unit] = std::max(scale[c.unit], std::abs(row[c.offset + k]));
  return scale;
}

void Check::compare(VerificationRow row) {
  if (!(std::abs(row.found - row.expected) <= row.tolerance) &&
      ++failures_ <= 3)  // NaN fails too; a broken series need not be listed in full
    ADD_FAILURE() << fmt::format("{}, {}: found {:.15g}, expected {:.15g}, off by {:.2e} of {:.0e}",
                                 name_, row.what, row.found, row.expected,
                                 std::abs(row.found - row.expected), row.tolerance);
  row.compared = 1;
  const auto same =
      std::ranges::find_if(rows_, [&](const VerificationRow& r) { return r.what == row.what; });
  if (same == rows_.end()) return rows_.push_back(std::move(row));
  row.compared = same->compared + 1;
  if (row.used() >= same->used())
    *same = std::move(row);
  else
    same->compared = row.compared;
}

void Check::near(const std::string& what, double found, double expected, double tolerance) {
  compare({what, 1, found, expected, tolerance, false});
}

void Check::near(const std::string& what, const Vec3& found, const Vec3& expected,
                 double tolerance) {
  for (int k = 0; k < 3; ++k) near(what + "." + "xyz"[k], found[k], expected[k], tolerance);
}

void Check::below(const std::string& what, double found, double limit) {
  compare({what, 1, found, 0, limit, true});
}

void Check::energy(const Simulated& run) {
  const double scale = std::max(run.result.energy_scale, 1e-12);
  below("energy residual / E_scale", run.result.energy_residual / scale,
        100 * run.model.simulation.tolerance);
}

Check::~Check() {
  if (failures_ > 3) ADD_FAILURE() << name_ << ": " << failures_ - 3 << " more numbers off";
  if (rows_.empty()) return;
  const VerificationRow& worst =
      *std::ranges::max_element(rows_, {}, [](const VerificationRow& r) { return r.used(); });
  fmt::print("    {:<42} worst {:9.2e} of {:7.0e} ({:5.1f} %), {}\n", name_,
             std::abs(worst.found - worst.expected), worst.tolerance, 100 * worst.used(),
             worst.what);
  note_case(name_, source_, rows_);
}

}  // namespace freeplay::testing
