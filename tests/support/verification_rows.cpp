// SPDX-License-Identifier: Apache-2.0
#include "support/verification_rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

namespace freeplay::testing {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

double VerificationRow::used() const {
  if (found == expected) return 0;
  const double share = std::abs(found - expected) / tolerance;
  return std::isnan(share) ? std::numeric_limits<double>::infinity() : share;
}

void note_case(const std::string& name, const std::string& source,
               const std::vector<VerificationRow>& rows) {
  const char* file = std::getenv("FREEPLAY_VERIFICATION_ROWS");
  const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
  if (!file || !test || rows.empty()) return;
  std::string line = fmt::format(
      R"({{"suite": {}, "test": {}, "case": {}, "source": {}, "rows": [)",
      quoted(test->test_suite_name()), quoted(test->name()), quoted(name), quoted(source));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const VerificationRow& r = rows[k];
    // 17 digits; JSON knows neither NaN nor infinity.
    const double found = std::isfinite(r.found) ? r.found : 1e300;
    line += fmt::format(
        R"({}{{"what": {}, "compared": {}, "found": {:.17g}, "expected": {:.17g}, "tolerance": {:.17g}, "limit": {}}})",
        k ? ", " : "", quoted(r.what), r.compared, found, r.expected, r.tolerance, r.limit);
  }
  // One write of one line: tests of several processes may share the file.
  std::ofstream(file, std::ios::app) << line + "]}\n" << std::flush;
}

}  // namespace freeplay::testing
