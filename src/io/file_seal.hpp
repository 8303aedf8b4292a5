// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/output_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

// A seal is a line of text behind the end of a finished HDF5 file, with the checksum of all before
// it. HDF5 itself ignores it, and cuts it off when another program changes the file. A broken seal
// means damage, found before the HDF5 library (which may crash on damaged files) looks at any of
// it.
namespace freeplay::io {

/// xxHash64 with seed 0 (Collet, xxHash fast digest algorithm, 0.1.1): some GB/s.
[[nodiscard]] std::uint64_t xxhash64(std::span<const std::byte> bytes);

/// "\nfreeplay-seal xxh64 <16 hex digits> of <20 digits> bytes\n"
inline constexpr std::size_t kSealBytes = 68;

enum class Seal { none, good, broken };

/// Throws IoError when the file cannot be read.
[[nodiscard]] Seal check_seal(const std::filesystem::path& path);

/// Appends the seal; throws IoError.
void seal(OutputFile& file);

/// Cuts it off again, if there is one, so that the file can be continued.
void unseal(OutputFile& file);

}  // namespace freeplay::io
