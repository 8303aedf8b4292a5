// SPDX-License-Identifier: Apache-2.0
#include "arguments_study.hpp"

#include "arguments_shared.hpp"

#include <CLI/CLI.hpp>

// `freeplay study` has the most options of all verbs.
namespace freeplay::cli {

const char* const kStudyExamples =
    "freeplay study sweep.toml --rows                  the rows as a table\n"
    "  freeplay study sweep.toml --csv sweep.csv         for other tools\n"
    "  freeplay study sweep.toml --part 2/2              one half, anywhere ...\n"
    "  freeplay study sweep.toml --part 1/2              ... and the other\n"
    "  freeplay study sweep.toml --missing               what is not there yet\n"
    "  freeplay study sweep.toml --join                  one table\n"
    "  freeplay study sweep.toml --row 1                 one row, fully recorded\n"
    "  freeplay study sweep.toml --submit slurm --part auto/2 > sweep.sh";

void add_study_options(CLI::App& verb, StudyArguments& study) {
  auto* s = &verb;
  s->add_option("STUDY", study.file, "Study file (TOML)")->required();
  s->add_option("-o,--output", study.output,
                "Result file; default: the study's name with .h5, here")
      ->type_name("OUT.h5");
  auto* resume =
      s->add_flag("--resume", study.resume, "Continue an interrupted study from OUT.h5.journal");
  s->add_option("--workers", study.workers, "Runs at a time; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  auto* rows =
      s->add_flag("--rows", study.rows, "Print the rows as a table (with --json: add them to it)");
  auto* csv = s->add_option("--csv", study.csv,
                            "Also write the rows as CSV, in the units of the study file")
                  ->type_name("FILE");
  auto* part =
      s->add_option("--part", study.part,
                    "Only every N-th row, from the K-th on, into OUT.h5.part-K-of-N, which "
                    "goes on where it was; auto: the task of an array job (Slurm, Grid "
                    "Engine, LSF), auto/N where it does not say of how many (PBS)")
          ->type_name("K/N");
  auto* join = s->add_flag("--join", study.join,
                           "Make OUT.h5 of the parts beside it: the same as that of one process");
  auto* missing = s->add_flag("--missing", study.missing, "List the rows that are not there yet");
  auto* submit = s->add_option("--submit", study.submit,
                               "Print the script of an array job for --part auto/N: slurm")
                     ->type_name("SYSTEM")
                     ->check(CLI::IsMember({"slurm"}))
                     ->needs(part);
  auto* row = s->add_option("--row", study.row,
                            "Only run row N of the finished OUT.h5 again, into OUT_row_N.h5")
                  ->type_name("N")
                  ->check(CLI::NonNegativeNumber);
  s->add_flag("--quiet", study.quiet, "No summary, no progress");
  plugins_option(s);
  part->excludes(resume);  // which it does in any case
  for (CLI::Option* other : {part, resume, missing, submit, row}) join->excludes(other);
  for (CLI::Option* other : {part, resume, submit, row, rows, csv}) missing->excludes(other);
  for (CLI::Option* other : {part, resume, submit, rows, csv}) row->excludes(other);
  for (CLI::Option* other : {resume, rows, csv}) submit->excludes(other);
}

}  // namespace freeplay::cli
