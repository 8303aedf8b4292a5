// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/life_course.hpp"
#include "study/row.hpp"

#include <string>
#include <vector>

// A row that is a whole life: the model with its values wears until its life ends, and what is
// taken of it is how long that took and what the joints look like by then. With values at random a
// study of such rows gives the life as a distribution (theory/wear).
namespace freeplay::study {

class RowLife {
 public:
  /// Throws ModelError where this model cannot live.
  RowLife(const Study& study, Model model);

  [[nodiscard]] RowOutcome run();

 private:
  WearingMechanism mechanism_;
};

/// Names of the numbers such a row gives; their units are those of life_unit().
[[nodiscard]] std::vector<std::string> row_life_outputs(const StudyLife& life);

}  // namespace freeplay::study
