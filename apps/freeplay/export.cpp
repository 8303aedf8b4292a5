// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "study_rows.hpp"
#include "terminal.hpp"
#include <freeplay/result.hpp>

// `freeplay export`: results for other tools.
namespace freeplay::cli {

int export_command(const ExportArguments& a) {
  if (study::is_study(a.result)) return export_of_study(a);
  const Result result(a.result);
  warn_of(result);
  for (const auto& file : export_csv(result, a.csv)) print(file.string() + "\n");
  return kDone;
}

}  // namespace freeplay::cli
