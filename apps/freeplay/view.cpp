// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "io/text.hpp"
#include "report/server.hpp"
#include "terminal.hpp"

#include <cstdio>
#include <filesystem>

// `freeplay view`: a folder of results in the browser of this machine.
namespace freeplay::cli {

int view_command(const ViewArguments& a) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(a.directory, ignored))
    throw UsageError(io::quote(a.directory) + " is not a folder");
  const report::Folder folder(a.directory);
  report::serve(folder, a.port, [](int port) {
    print("results: http://127.0.0.1:" + std::to_string(port) + "/   (Ctrl-C ends it)\n");
    std::fflush(stdout);
  });
  return kDone;
}

}  // namespace freeplay::cli
