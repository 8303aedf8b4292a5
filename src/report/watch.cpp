// SPDX-License-Identifier: Apache-2.0
#include "report/watch.hpp"

#include <freeplay/errors.hpp>
#include <freeplay/load.hpp>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace freeplay::report {
namespace {

const std::string kMissing = "missing;";

}  // namespace

std::string stamp_of(const std::vector<std::filesystem::path>& files) {
  std::string out;
  for (const auto& file : files) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(file, error).time_since_epoch().count();
    const auto size = error ? 0 : std::filesystem::file_size(file, error);
    out += error ? kMissing : fmt::format("{} {};", time, size);
  }
  return out;
}

Watch::Watch(std::filesystem::path model, std::vector<std::string> command)
    : model_(std::move(model)), command_(std::move(command)), files_{model_} {}

Watch::~Watch() { end(); }

/// Those that the model names, as long as it can be read.
void Watch::find_files() {
  LoadOptions options;
  std::vector<std::filesystem::path> files;
  std::vector<Issue> ignored;
  options.files = &files;
  options.warnings = &ignored;
  try {
    static_cast<void>(load_model(model_, options));
  } catch (const std::exception&) {  // the run says what is wrong
    return;
  }
  files_ = std::move(files);
}

std::string Watch::stamp() const { return stamp_of(files_); }

void Watch::look() {
  if (child_ > 0 && waitpid(child_, nullptr, WNOHANG) == child_) child_ = 0;
  const std::string now = stamp();
  // Twice the same: whoever saves has finished. Some editors take the file away for a moment.
  const bool settled = now == seen_;
  seen_ = now;
  if (!settled || now == ran_ || now.find(kMissing) != now.npos) return;
  end();
  find_files();
  seen_ = ran_ = stamp();
  start();
}

void Watch::start() {
  std::vector<char*> arguments;
  for (std::string& word : command_) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (const int error =
          posix_spawn(&child_, command_[0].c_str(), nullptr, nullptr, arguments.data(), environ)) {
    child_ = 0;
    throw IoError(fmt::format("cannot run {}: {}", command_[0],
                              std::error_code(error, std::generic_category()).message()));
  }
}

void Watch::end() {
  if (child_ <= 0) return;
  kill(child_, SIGTERM);
  waitpid(child_, nullptr, 0);
  child_ = 0;
}

}  // namespace freeplay::report
