// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/diagnostics.hpp"
#include "io/document.hpp"
#include "io/node.hpp"
#include "io/parameters.hpp"
#include "study/study_file.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A study file while it is read.
namespace freeplay::study {

struct StudyReading {
  Study study;
  io::Diagnostics diagnostics;
  io::Document document;
  io::Parameters parameters;

  void error(io::Place place, std::string path, std::string message, std::string hint = {}) {
    diagnostics.error(place, std::move(path), std::move(message), std::move(hint));
  }
  [[nodiscard]] static double number(const io::Node& table, const char* key, double otherwise) {
    const io::Node* node = table.find(key);
    return node ? node->number() : otherwise;
  }
  [[nodiscard]] static std::string word(const io::Node& table, const char* key,
                                        std::string otherwise) {
    const io::Node* node = table.find(key);
    return node ? node->text() : otherwise;
  }
  /// Reported if it is not a whole number.
  std::int64_t whole(const io::Node& table, const char* key, std::int64_t otherwise);
};

/// "mm" of "0.1 mm"; empty where an expression has no unit of its own.
[[nodiscard]] std::string written_unit(std::string_view text);

/// The entries of `vary`, which `top` lacks if there are none.
void read_vary(StudyReading& reading, const std::vector<io::Entry>& entries, io::Place top);

}  // namespace freeplay::study
