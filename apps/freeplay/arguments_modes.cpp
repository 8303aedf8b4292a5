// SPDX-License-Identifier: Apache-2.0
#include "arguments_modes.hpp"

#include <CLI/CLI.hpp>

namespace freeplay::cli {

void add_modes_options(CLI::App& verb, ModesArguments& out) {
  verb.add_flag("--at-start", out.at_start, "About the assembled start instead");
  verb.add_option("--over", out.over,
                  "Over a range of one value, e.g. \"parameters.speed=500:9000 rpm\": a Campbell "
                  "diagram, critical speeds, where a motion begins to grow")
      ->type_name("PATH=FROM:TO");
  verb.add_option("--positions", out.positions, "Values in that range; default: 41")
      ->type_name("N")
      ->check(CLI::Range(2, 100000));
  verb.add_option("-o,--output", out.output, "Picture of them")
      ->type_name("FILE.svg|FILE.pdf|FILE.png");
  verb.add_option("--csv", out.csv, "Table of them")->type_name("FILE");
}

}  // namespace freeplay::cli
