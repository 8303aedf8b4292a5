// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "terminal.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <csignal>
#include <exception>
#include <new>

// Everything that goes wrong ends here, as lines on standard error and an exit status.
namespace freeplay::cli {
namespace {

int report(const char* status, const std::string& reason, int exit_status, bool json) {
  complain(reason);
  if (json) print(json_of_error(status, reason, {}));
  return exit_status;
}

int report(const ModelError& error, bool json) {
  std::size_t mistakes = 0;
  for (const Issue& issue : error.issues()) {
    (issue.fatal ? complain : warn)(issue.text());
    mistakes += issue.fatal ? 1 : 0;
  }
  complain(std::to_string(mistakes) + (mistakes == 1 ? " mistake" : " mistakes") +
           " in the model; nothing was written");
  if (json) print(json_of_error("bad_input", "the model has mistakes", error.issues()));
  return kBadInput;
}

int act(int argc, const char* const* argv) {
  Invocation invocation;
  try {
    invocation = parse_arguments(argc, argv);
    return invocation.action();
  } catch (const UsageError& error) {
    return report("bad_input", error.what(), kBadInput, invocation.json);
  } catch (const ModelError& error) {
    return report(error, invocation.json);
  } catch (const AssemblyError& error) {
    return report("not_assembled", error.what(), kNotAssembled, invocation.json);
  } catch (const NotInResult& error) {
    return report("bad_input", error.what(), kBadInput, invocation.json);
  } catch (const IoError& error) {
    return report("io_error", error.what(), kInputOutput, invocation.json);
  } catch (const std::bad_alloc&) {
    return report("failed", "out of memory", kFailed, invocation.json);
  } catch (const std::exception& error) {
    return report("failed", std::string("this is a mistake in freeplay itself: ") + error.what(),
                  kFailed, invocation.json);
  }
}

}  // namespace
}  // namespace freeplay::cli

int main(int argc, char** argv) {
  using namespace freeplay::cli;
  open_standard_streams();
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is noticed when writing
#endif
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);  // likewise a file that may not grow
#endif
  return finish_output(act(argc, argv));
}
