// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fem/reduced_part.hpp"

#include <filesystem>

// Parts of finite elements on disk: what `freeplay flex` writes and a flexible body reads. HDF5,
// SI, axes of the mesh, from the centre of mass:
//
//   /                   attributes: format, format_version, program_version, source, mass, size
//   /centre, /inertia   of the part, in the mesh; about the centre
//   /interfaces/        names, kinds (rigid, averaged), points
//   /fixed_frequency    of the modes with the interfaces held; rad/s
//   /free_frequency     of the part in free flight, all modes kept; Hz: to be looked at
//   /stiffness          [n, n]; coordinates: see fem/reduced_part.hpp
//   /first, /moments, /products    integrals over the mass: [3, n], [9, n], [9 n, n]
//   /skin/              points [c, 3], triangles [t, 3], shapes [3 c, n]
namespace freeplay::io {

/// Throws IoError. The file appears when it is complete.
void write_part(const std::filesystem::path& file, const fem::ReducedPart& part);

/// Throws IoError where the file is damaged or something else. The skin is left out unless wanted.
[[nodiscard]] fem::ReducedPart read_part(const std::filesystem::path& file, bool with_skin = false);

}  // namespace freeplay::io
