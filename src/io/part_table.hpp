// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/reduced_part.hpp"
#include "io/build.hpp"
#include "io/check.hpp"
#include "io/model_tree.hpp"

#include <memory>

// Flexible bodies whose shape comes from a file: `[bodies.rod.flexible] file = "rod.h5"`. A model
// written out has the modes themselves, in the table `part`, so that a result can be read and run
// again without that file.
namespace freeplay::io {

/// A part file as it was found.
struct PartFile {
  fem::ReducedPart part;
  std::string digest;  // of all its bytes
};

/// The keys `file`, `digest` and `part` of the table.
[[nodiscard]] std::vector<Key> part_keys();
/// Those of a beam, which exclude them.
[[nodiscard]] std::vector<std::string> beam_words();

/// Reads the files that bodies of a tree as written name. Mistakes are reported.
[[nodiscard]] PartFiles read_part_files(const Node& root, const CheckInput& input);

/// Fills in a body whose flexible table has a file or a part: its mass, centre, inertia and pose
/// follow unless they are given.
void read_part_table(Build& build, const Entry& entry, const Node& table, const std::string& path,
                     Body& out);
void write_part_table(const Writing& writing, const Flexible& flexible, TableWriter& out);

}  // namespace freeplay::io
