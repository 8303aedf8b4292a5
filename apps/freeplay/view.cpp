// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "io/text.hpp"
#include "report/server.hpp"
#include "report/watch.hpp"
#include "terminal.hpp"

#include <cstdio>
#include <filesystem>

// `freeplay view`: a folder of results in the browser of this machine; with --watch, a model that
// is run again whenever it is saved.
namespace freeplay::cli {

int view_command(const ViewArguments& a) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(a.directory, ignored))
    throw UsageError(io::quote(a.directory) + " is not a folder");
  const report::Folder folder(a.directory, !a.watch.empty());
  const std::string result = std::filesystem::path(a.watch).stem().string() + ".h5";
  const auto ready = [&](int port) {
    const std::string page = a.watch.empty() ? "" : "report?r=" + report::encode_query(result);
    print("results: http://127.0.0.1:" + std::to_string(port) + "/" + page +
          "   (Ctrl-C ends it)\n");
    std::fflush(stdout);
  };
  if (a.watch.empty()) {
    report::serve(folder, a.port, ready);
    return kDone;
  }
  if (!std::filesystem::is_regular_file(a.watch, ignored))
    throw UsageError("there is no model file " + io::quote(a.watch));
  report::Watch watch(
      a.watch, {std::filesystem::read_symlink("/proc/self/exe").string(), "run", a.watch, "-o",
                (std::filesystem::path(a.directory) / result).string()});
  report::serve(folder, a.port, ready, [&] { watch.look(); });
  return kDone;
}

}  // namespace freeplay::cli
