// SPDX-License-Identifier: Apache-2.0
#include "support/trusses.hpp"

#include "support/paths.hpp"
#include <freeplay/load.hpp>

namespace freeplay::testing {
namespace {

Model of_units(const char* file, int units) {
  LoadOptions options;
  options.overrides = {{"parameters.units", std::to_string(units)}};
  return load_model(source_dir() / "mechanisms" / "large" / file, options);
}

}  // namespace

Model scissor_mast(int units) { return of_units("scissor_mast.toml", units); }
Model ring_truss(int units) { return of_units("ring_truss.toml", units); }

}  // namespace freeplay::testing
