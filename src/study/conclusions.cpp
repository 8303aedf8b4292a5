// SPDX-License-Identifier: Apache-2.0
#include "study/conclusions.hpp"

#include "study/shown.hpp"
#include "study/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace freeplay::study {
namespace {

constexpr std::size_t kFailuresNamed = 10;

std::string brief(double value) { return fmt::format("{:.6g}", value); }

/// Outputs of all rows, one column at a time: memory for one column, however many there are.
class Columns {
 public:
  Columns(const Study& study, const Journal& journal, std::int64_t rows)
      : journal_(journal), rows_(rows), names_(outputs_of(study)), shown_(shown_columns(study)) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const RowOutcome o = journal.read(row).outcome;
      good_.push_back(o.status == RowStatus::done ? 1 : 0);
    }
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// As people read them.
  [[nodiscard]] const Shown& shown(std::size_t output) const { return shown_.outputs[output]; }
  [[nodiscard]] const Shown& variable(std::size_t k) const { return shown_.inputs[k]; }
  [[nodiscard]] const std::vector<char>& good() const { return good_; }
  [[nodiscard]] std::vector<double> all(std::size_t output) const {
    std::vector<double> out;
    for (std::int64_t row = 0; row < rows_; ++row)
      out.push_back(journal_.read(row).outcome.outputs[output]);
    return out;
  }
  /// Of the rows that are done.
  [[nodiscard]] std::vector<double> sound(std::size_t output) const {
    std::vector<double> out;
    for (std::int64_t row = 0; row < rows_; ++row)
      if (good_[static_cast<std::size_t>(row)])
        out.push_back(journal_.read(row).outcome.outputs[output]);
    return out;
  }
  [[nodiscard]] std::size_t index(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  }

 private:
  const Journal& journal_;
  std::int64_t rows_;
  std::vector<std::string> names_;
  ShownColumns shown_;
  std::vector<char> good_;
};

void add(StudySummary& s, std::string name, std::vector<double> values, std::string unit) {
  s.numbers.push_back({std::move(name), std::move(values), std::move(unit)});
}

void conclude_sweep(const Columns& columns, StudySummary& s) {
  s.table.push_back({"output", "least", "mean", "greatest"});
  for (std::size_t k = 0; k < columns.names().size(); ++k) {
    const Moments m = moments(columns.sound(k), 0.95);
    const Shown& c = columns.shown(k);
    s.table.push_back({c.heading(), c.text(m.least), c.text(m.mean), c.text(m.greatest)});
  }
}

void conclude_bifurcation(const Study& study, const Columns& columns, StudySummary& s) {
  std::map<int, int> rows_of_period;
  for (const double period : columns.sound(columns.index("period")))
    ++rows_of_period[static_cast<int>(period)];
  s.table.push_back({"motion", "rows"});
  std::vector<double> periods, counts;
  for (const auto& [period, count] : rows_of_period) {
    if (period > 0) s.table.push_back({fmt::format("period {}", period), std::to_string(count)});
    periods.push_back(period);
    counts.push_back(count);
  }
  if (rows_of_period.contains(0))
    s.table.push_back({"not periodic", std::to_string(rows_of_period[0])});
  add(s, "period", periods, "1");
  add(s, "rows_of_period", counts, "1");
  if (study.lyapunov == 0) return;
  const auto exponent = columns.sound(columns.index("lyapunov"));
  const auto error = columns.sound(columns.index("lyapunov_error"));
  int chaotic = 0, forgetful = 0;
  for (std::size_t i = 0; i < exponent.size(); ++i) {
    chaotic += exponent[i] > 3 * error[i] ? 1 : 0;
    forgetful += exponent[i] == -std::numeric_limits<double>::infinity() ? 1 : 0;
  }
  s.table.push_back({"chaotic (exponent above 3 errors)", std::to_string(chaotic)});
  add(s, "chaotic_rows", {static_cast<double>(chaotic)}, "1");
  if (forgetful == 0) return;
  s.table.push_back({"forget their start (neighbours become one)", std::to_string(forgetful)});
  add(s, "forgetful_rows", {static_cast<double>(forgetful)}, "1");
}

/// What is told of orbits: how many rows have stable ones, and where they change.
void conclude_periodic(const Columns& columns, StudySummary& s) {
  const auto unstable = columns.sound(columns.index("unstable"));
  const auto error = columns.sound(columns.index("multiplier_error"));
  const auto kind = columns.all(columns.index("bifurcation"));
  const auto at = columns.all(columns.index("bifurcation_at"));
  const auto size = columns.sound(columns.index("multiplier_1/size"));
  const auto stable = std::ranges::count(unstable, 0.0);
  long undecided = 0;
  for (std::size_t k = 0; k < size.size(); ++k)
    undecided += std::abs(size[k] - 1) <= error[k] ? 1 : 0;
  s.table.push_back({"orbits", "rows"});
  s.table.push_back({"stable", std::to_string(stable)});
  s.table.push_back({"unstable", std::to_string(static_cast<long>(unstable.size()) - stable)});
  if (undecided > 0)
    s.table.push_back({"of these undecided: the largest multiplier is 1 within its error",
                       std::to_string(undecided)});
  add(s, "stable_rows", {static_cast<double>(stable)}, "1");
  if (!error.empty())
    s.table.push_back({"largest error of a multiplier", brief(std::ranges::max(error))});
  static const char* const kNames[] = {"", "fold (a multiplier passes 1)",
                                       "flip: the period doubles (-1)",
                                       "torus (a pair leaves the unit circle)"};
  for (std::size_t row = 0; row < kind.size(); ++row)
    if (kind[row] != 0 && columns.good()[row])
      s.table.push_back({fmt::format("{} at {} =", kNames[static_cast<std::size_t>(kind[row])],
                                     columns.variable(0).heading()),
                         columns.variable(0).text(at[row], 9)});
}

void conclude_monte_carlo(const Study& study, const Columns& columns, StudySummary& s) {
  const auto quantile = [](double share) { return fmt::format("{:g} % quantile", 100 * share); };
  s.table.push_back({"output", "mean", "+-", "deviation", quantile(0.5 - 0.5 * study.confidence),
                     "median", quantile(0.5 + 0.5 * study.confidence)});
  for (std::size_t k = 0; k < columns.names().size(); ++k) {
    const std::string& name = columns.names()[k];
    const Moments m = moments(columns.sound(k), study.confidence);
    const Shown& c = columns.shown(k);
    s.table.push_back({c.heading(), c.text(m.mean), c.text(m.mean_high - m.mean),
                       c.text(m.standard_deviation), c.text(m.low), c.text(m.median),
                       c.text(m.high)});
    add(s, name + "/mean", {m.mean}, c.si);
    add(s, name + "/mean_interval", {m.mean_low, m.mean_high}, c.si);
    add(s, name + "/standard_deviation", {m.standard_deviation}, c.si);
    add(s, name + "/quantiles", {m.least, m.low, m.median, m.high, m.greatest}, c.si);
  }
  for (const Limit& limit : study.limits) {
    const auto values = columns.sound(columns.index(limit.output));
    const auto outside =
        std::ranges::count_if(values, [&](double v) { return v < limit.above || v > limit.below; });
    const Share p = share(outside, static_cast<std::int64_t>(values.size()), study.confidence);
    s.table.push_back({"outside the limit: " + columns.shown(columns.index(limit.output)).name,
                       brief(p.value), "", "", brief(p.low), "", brief(p.high)});
    add(s, limit.output + "/outside", {p.value, p.low, p.high}, "1");
  }
}

void conclude_sensitivity(const Study& study, const Columns& columns, StudySummary& s) {
  const std::size_t d = study.vary.size(), block = d + 2;
  std::vector<char> good(columns.good().size() / block, 1);
  for (std::size_t row = 0; row < good.size() * block; ++row)
    if (!columns.good()[row]) good[row / block] = 0;
  s.table.push_back({"output", "variable", "first", "+-", "total", "+-"});
  for (std::size_t k = 0; k < columns.names().size(); ++k) {
    const SobolIndices i =
        sobol_indices(columns.all(k), static_cast<int>(d), good, study.confidence, study.seed);
    for (std::size_t v = 0; v < d; ++v)
      s.table.push_back({columns.shown(k).name, columns.variable(v).name,
                         fmt::format("{:.4f}", i.first[v]), fmt::format("{:.4f}", i.first_error[v]),
                         fmt::format("{:.4f}", i.total[v]),
                         fmt::format("{:.4f}", i.total_error[v])});
    const std::string& name = columns.names()[k];
    add(s, name + "/first", i.first, "1");
    add(s, name + "/first_error", i.first_error, "1");
    add(s, name + "/total", i.total, "1");
    add(s, name + "/total_error", i.total_error, "1");
  }
}

void conclude_interval(const Study& study, const Columns& columns, StudySummary& s) {
  s.table.push_back({"output", "lower", "upper", "polynomial above", "polynomial below", "tail"});
  if (s.failed > 0) return;  // a polynomial needs all of its nodes
  for (std::size_t k = 0; k < columns.names().size(); ++k) {
    const auto b =
        ChebyshevSurrogate(columns.all(k), static_cast<int>(study.vary.size()), study.nodes)
            .bounds();
    const std::string& name = columns.names()[k];
    const Shown& c = columns.shown(k);
    s.table.push_back({c.heading(), c.text(b.lower), c.text(b.upper), c.text(b.outer_lower),
                       c.text(b.outer_upper), c.text(b.tail)});
    add(s, name + "/bounds", {b.lower, b.upper}, c.si);
    add(s, name + "/polynomial_bounds", {b.outer_lower, b.outer_upper}, c.si);
    add(s, name + "/tail", {b.tail}, c.si);
    const auto physical = [&](const std::vector<double>& x) {
      std::vector<double> out;
      for (std::size_t v = 0; v < x.size(); ++v)
        out.push_back(0.5 * (study.vary[v].from + study.vary[v].to) +
                      0.5 * (study.vary[v].to - study.vary[v].from) * x[v]);
      return out;
    };
    add(s, name + "/lower_at", physical(b.lower_at), "SI");
    add(s, name + "/upper_at", physical(b.upper_at), "SI");
  }
}

}  // namespace

void conclude(const Study& study, const Journal& journal, std::int64_t rows,
              StudySummary& summary) {
  const Columns columns(study, journal, rows);
  for (std::size_t row = 0; row < columns.good().size(); ++row) {
    if (columns.good()[row]) continue;
    ++summary.failed;
    if (summary.failures.size() < kFailuresNamed)
      summary.failures.push_back({static_cast<std::int64_t>(row),
                                  journal.read(static_cast<std::int64_t>(row)).outcome.error});
  }
  switch (study.kind) {
    case Kind::sweep:
      return conclude_sweep(columns, summary);
    case Kind::bifurcation:
      return conclude_bifurcation(study, columns, summary);
    case Kind::periodic:
      return conclude_periodic(columns, summary);
    case Kind::monte_carlo:
      return conclude_monte_carlo(study, columns, summary);
    case Kind::sensitivity:
      return conclude_sensitivity(study, columns, summary);
    case Kind::interval:
      return conclude_interval(study, columns, summary);
    case Kind::optimise:
    case Kind::fit:
    case Kind::wear:
      return;  // the search, or the life, has said it
  }
}

}  // namespace freeplay::study
