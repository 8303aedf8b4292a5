// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/load.hpp>

#include <string>
#include <string_view>
#include <vector>

// Model files for the tests of the reader, and ways to look at what became of them.
namespace freeplay::testing {

/// A spatial model in which every table and nearly every key of the file occurs.
std::string everything_spatial();
/// The same for a planar one.
std::string everything_planar();

/// Planar ones in which points, links, repetitions and shared tables occur; and a spatial one.
std::string everything_short();
std::string everything_short_spatial();

/// Three lines that load: `extra` is appended.
std::string small_model(std::string_view extra = {});

/// Loads text; the file is called "model.toml" in messages.
Model read(std::string_view text, std::vector<Override> overrides = {},
           std::vector<Issue>* warnings = nullptr);

/// All mistakes of a text, one line each as the user sees them; empty when it loads.
std::string mistakes(std::string_view text, std::vector<Override> overrides = {});

/// The warnings of a text that loads.
std::string warnings(std::string_view text);

/// Every number of a model in hexadecimal, so that equal dumps are equal models bit for bit. Lines
/// of the file and its texts are left out.
std::string dump(const Model& model);

}  // namespace freeplay::testing
