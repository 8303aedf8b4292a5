// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system.hpp"
#include "study/row.hpp"
#include <freeplay/run.hpp>

#include <atomic>
#include <string>
#include <vector>

// The motion of one row: its model run from one look at it to the next. What is taken of these runs
// is in row.cpp and row_orbit.cpp.
namespace freeplay::study {

/// A run did not get there; carries the status of the row.
struct Failure {
  RowStatus status;
  std::string reason;
};

/// When one looks: first at `first`, then every `period` seconds.
struct Clock {
  double first = 0, period = 0;
};

class RowMotion {
 public:
  RowMotion(const Study& study, Model model) : study_(study), model_(std::move(model)) {}

 protected:
  /// The start of the model, assembled.
  void begin();

  /// Runs the model as it now is; the time limit is that of the whole row.
  RunResult simulate(const State& from, Observer* observer, bool steps,
                     const std::atomic<bool>* enough = nullptr);

  /// When one looks, by the section of the study: driven joints and periods.
  [[nodiscard]] Clock clock();
  [[nodiscard]] bool by_joint() const { return study_.section->by == Section::By::joint; }
  /// What the driven joint of the section turns by in that time.
  [[nodiscard]] double coordinate_change(double seconds);

  /// From now on the simulation begins at `time`; drives go on as they were.
  void begin_at(double time);
  /// Leads to `time`.
  State advance(const State& from, double time);
  /// From the start of the model to the first look that counts.
  State settled(const Clock& look);
  State after_transient(State state, double period);

  [[nodiscard]] bool fits(const Carry& carry) const {
    return carry.layout == start_.layout->digest();
  }
  /// The end of the row before as the start of this one: on this model's constraints, with the
  /// audit beginning anew.
  State adopt(const Carry& carry);
  /// The energy the state has becomes what the audit starts from.
  static void restart_audit(dynamics::System& system, State& state);

  const Study& study_;
  Model model_;
  State start_;
  double coordinate_ = 0;  // of the driven joint at the present start

 private:
  [[noreturn]] void out_of_time() const;
  /// Drive of the joint of the section.
  [[nodiscard]] Motion* drive();
  /// Coordinate of the driven joint at the start.
  [[nodiscard]] double start_coordinate();
  /// Where a drive takes a joint over: its coordinate at the assembled start.
  [[nodiscard]] double coordinate_of(const Joint& joint, Coordinate coordinate);

  double used_ = 0;  // CPU seconds
  RunHeader header_;
  std::vector<double> start_row_;
};

/// The row with these values of what is varied. Throws ModelError.
template <class Row>
[[nodiscard]] Row make_row(const Study& study, std::span<const double> inputs) {
  LoadOptions options{study.set, nullptr};
  for (std::size_t k = 0; k < inputs.size(); ++k)
    options.overrides.push_back({study.vary[k].path, study.vary[k].text(inputs[k])});
  return Row(study, parse_model(study.model_text, study.model_file.string(), options,
                                study.model_folder()));
}

}  // namespace freeplay::study
