// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "terminal.hpp"
#include <freeplay/load.hpp>

// `freeplay schema`: for editors that complete and check TOML.
namespace freeplay::cli {

int schema_command() {
  auto text = model_schema();
  if (!text.ends_with('\n')) text += '\n';
  print(text);
  return kDone;
}

}  // namespace freeplay::cli
