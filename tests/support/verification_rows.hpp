// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// What the pages in docs/verification are made of: each case of the suite notes what it compared.
namespace freeplay::testing {

/// One quantity of a case: of all comparisons under that name, the one that used most of its
/// tolerance.
struct VerificationRow {
  std::string what;
  int compared = 0;
  double found = 0, expected = 0, tolerance = 0;
  bool limit = false;  ///< found must stay below `tolerance`; there is no expected number

  /// Share of the tolerance used; infinite for NaN.
  [[nodiscard]] double used() const;
};

/// Appends the case as one line of JSON to the file that the environment variable
/// FREEPLAY_VERIFICATION_ROWS names; does nothing without it. tools/verification_pages.py reads it.
void note_case(const std::string& name, const std::string& source,
               const std::vector<VerificationRow>& rows);

}  // namespace freeplay::testing
