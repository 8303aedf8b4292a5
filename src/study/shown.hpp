// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/study_file.hpp"
#include <freeplay/run.hpp>

#include <string>
#include <string_view>
#include <vector>

// Columns as people read them: "pin clearance radial [mm]" for joints.pin.clearance.radial. Files
// keep SI and paths; tables, axes and pages show these.
namespace freeplay::study {

struct Shown {
  std::string name;
  std::string unit = "1";          ///< as shown: "mm"
  double factor = 1;               ///< one of it in SI
  std::string si = "1";            ///< the unit in which it is stored; "SI" where it is not known
  std::vector<std::string> words;  ///< values that are words; then a value is the number of one

  [[nodiscard]] double number(double stored) const { return stored / factor; }
  /// A number without its unit, or a word.
  [[nodiscard]] std::string text(double stored, int digits = 6) const;
  /// "pin clearance radial [mm]"
  [[nodiscard]] std::string heading() const;
};

struct ShownColumns {
  std::vector<Shown> inputs;   ///< of study.vary
  std::vector<Shown> outputs;  ///< of outputs_of(study)
  std::vector<Shown> samples;  ///< of study.observe, each turn
};
[[nodiscard]] ShownColumns shown_columns(const Study& study);

/// "rod position x" of "bodies.rod.position.0" or "bodies/rod/position.x"; with `kind`, "body rod
/// position x".
[[nodiscard]] std::string plain_name(std::string_view path, bool kind = false);

/// SI.
[[nodiscard]] std::string unit_of_observable(const RunHeader& header, const Observable& observable);

}  // namespace freeplay::study
