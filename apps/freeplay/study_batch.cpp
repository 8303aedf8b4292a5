// SPDX-License-Identifier: Apache-2.0
#include "study_batch.hpp"

#include "arguments.hpp"
#include "io/text.hpp"
#include <freeplay/plugins.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

namespace freeplay::cli {
namespace {

/// The words of a batch system for an array job; null: it has none.
struct BatchSystem {
  const char *name, *task, *first, *last, *step, *count;
};
constexpr std::array kSystems{
    BatchSystem{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
                "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"},
    BatchSystem{"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST",
                "SGE_TASK_STEPSIZE", nullptr},
    BatchSystem{"PBS", "PBS_ARRAY_INDEX", nullptr, nullptr, nullptr, nullptr},
    BatchSystem{"Torque", "PBS_ARRAYID", nullptr, nullptr, nullptr, nullptr},
    BatchSystem{"LSF", "LSB_JOBINDEX", nullptr, "LSB_JOBINDEX_END", nullptr, nullptr},
};

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::optional<std::int64_t> variable(const char* name) {
  const char* text = name ? std::getenv(name) : nullptr;
  return text ? whole(text) : std::nullopt;
}

/// Grid Engine says "undefined", and LSF 0, where there is no array.
const BatchSystem* system_here() {
  for (const BatchSystem& system : kSystems)
    if (const auto task = variable(system.task);
        task && !(*task == 0 && std::string_view(system.name) == "LSF"))
      return &system;
  return nullptr;
}

study::Part part_of_task(std::optional<std::int64_t> count) {
  const BatchSystem* system = system_here();
  if (!system)
    throw UsageError("--part auto: this process is no task of an array job (there is no " +
                     std::string("SLURM_ARRAY_TASK_ID, SGE_TASK_ID, PBS_ARRAY_INDEX, PBS_ARRAYID "
                                 "or LSB_JOBINDEX); say --part K/N"));
  const std::int64_t task = *variable(system->task);
  if (count) {
    if (task < 1 || task > *count)
      throw UsageError(fmt::format("--part auto/{}: this is task {} of {}, and tasks count from 1",
                                   *count, task, system->name));
    return {task, *count};
  }
  const auto last = variable(system->last);
  if (!last)
    throw UsageError(
        fmt::format("--part auto: {} does not say how many tasks there are; say --part "
                    "auto/N and number them 1 to N",
                    system->name));
  const std::int64_t first = variable(system->first).value_or(1),
                     step = variable(system->step).value_or(1);
  const std::int64_t tasks = step > 0 ? (*last - first) / step + 1 : 0;
  const bool even = step > 0 && task >= first && task <= *last && (task - first) % step == 0 &&
                    variable(system->count).value_or(tasks) == tasks;
  if (!even)
    throw UsageError(
        fmt::format("--part auto: the tasks of this array job of {} are not evenly "
                    "numbered, so that task {} does not tell its part; say --part "
                    "auto/N and number them 1 to N",
                    system->name, task));
  return {(task - first) / step + 1, tasks};
}

}  // namespace

study::Part part_of(const std::string& text) {
  if (text == "auto") return part_of_task({});
  const std::size_t stroke = text.find('/');
  const auto count =
      stroke == text.npos ? std::nullopt : whole(std::string_view(text).substr(stroke + 1));
  const auto wrong = [&] {
    return UsageError("--part wants K/N such as 3/7, auto or auto/N, not " + io::quote(text));
  };
  if (!count || *count < 1) throw wrong();
  if (text.starts_with("auto/")) return part_of_task(count);
  const auto number = whole(std::string_view(text).substr(0, stroke));
  if (!number) throw wrong();
  if (*number < 1 || *number > *count)
    throw UsageError(fmt::format("--part {}: parts are numbered from 1 to {}", text, *count));
  return {*number, *count};
}

std::int64_t tasks_of(const std::string& text) {
  const auto count =
      text.starts_with("auto/") ? whole(std::string_view(text).substr(5)) : std::nullopt;
  if (!count || *count < 1)
    throw UsageError("--submit wants --part auto/N, where N is the number of tasks");
  return *count;
}

std::string array_job() {
  const BatchSystem* system = system_here();
  return system ? system->name : "";
}

std::string submit_script(const StudyArguments& a, std::int64_t parts) {
  const std::string stem = std::filesystem::path(a.file).stem().string();
  const std::string output = a.output.empty() ? stem + ".h5" : a.output;
  const std::string files = shell_word(a.file) + " -o " + shell_word(output);
  return fmt::format(
      "#!/bin/sh\n"
      "# Computes {0} in {1} parts. Once all are there:\n"
      "#   freeplay study {2} --join\n"
      "# Tasks that were killed go on where they were: submit them again, all or with "
      "--array=K,...\n"
      "#SBATCH --job-name=freeplay\n"
      "#SBATCH --array=1-{1}\n"
      "#SBATCH --cpus-per-task=1\n"
      "#SBATCH --output=freeplay-%A_%a.log\n"
      "exec freeplay study {2} --part auto/{1} --workers \"${{SLURM_CPUS_PER_TASK:-1}}\" "
      "--quiet{3}\n",
      std::filesystem::path(a.file).filename().string(), parts, files,
      plugins_allowed() ? " --allow-plugins" : "");
}

}  // namespace freeplay::cli
