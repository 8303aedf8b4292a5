// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/reduce.hpp"

#include <optional>

// From a deck and its matrices to a reduced part: what `freeplay flex` does.
namespace freeplay::fem {

/// Units of a deck, which does not say them itself; in SI.
struct DeckUnits {
  double length = 1, mass = 1, time = 1;
};
/// "mm-t-s": length, mass, time. Nothing where it is no such thing.
[[nodiscard]] std::optional<DeckUnits> parse_deck_units(std::string_view text);

/// An interface as it is asked for.
struct InterfaceRequest {
  std::string set;  ///< of nodes in the deck; the interface has its name
  bool averaged = false;
  std::optional<Vec3> point;  ///< in the deck's axes and unit; absent: middle of the face
};
/// "BORE=rigid", "BORE=averaged@120,0,0". Throws ModelError.
[[nodiscard]] InterfaceRequest parse_interface(std::string_view text);

struct PartJob {
  std::filesystem::path deck;
  std::filesystem::path matrices;  ///< without ending; empty: beside the deck, of the same name
  bool run = false;                ///< CalculiX is called to write them
  DeckUnits units;
  std::vector<InterfaceRequest> interfaces;
  int modes = 20;  ///< between the interfaces
};

struct MadePart {
  Reduction reduction;
  std::size_t nodes = 0, elements = 0;
  int skins = 0;  ///< plane elements of the deck that were passed over
};

/// Throws ModelError or IoError.
[[nodiscard]] MadePart make_part(const PartJob& job);

}  // namespace freeplay::fem
