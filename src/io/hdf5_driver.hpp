// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/output_file.hpp"

#include <cstdint>

// Lets HDF5 write through an OutputFile.
namespace freeplay::io {

/// Makes `access_list` (an H5P_FILE_ACCESS list) open `file`, whatever the name asked for. The file
/// must outlive the HDF5 file opened on it. False when the library refuses.
[[nodiscard]] bool set_output_driver(std::int64_t access_list, OutputFile& file);

}  // namespace freeplay::io
