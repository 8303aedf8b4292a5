// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/deck.hpp"

namespace freeplay::fem {

/// A folder that is gone with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Lets CalculiX (`ccx`, Debian package calculix-ccx) write the matrices of a deck that has no step
/// of its own, or the one for that. Returns what read_matrices wants. Throws ModelError with what
/// CalculiX says.
[[nodiscard]] std::filesystem::path run_calculix(const Deck& deck, const TemporaryFolder& folder);

}  // namespace freeplay::fem
