// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Comma-separated values after RFC 4180, except that lines end in \n alone.
namespace freeplay::io {

/// A field of a line: quoted where commas, quotes or line ends demand it.
[[nodiscard]] std::string csv_field(std::string_view text);

/// Writes lines to a file that appears when `finish` is called, whole. Throws IoError.
class CsvFile {
 public:
  explicit CsvFile(std::filesystem::path path);
  ~CsvFile();
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  void text(std::string_view value);
  void number(double value);  ///< the shortest decimal that reads back exactly
  void end_line();
  void finish();

 private:
  void write_out();

  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
  std::string buffer_;
  bool line_begun_ = false;
};

}  // namespace freeplay::io
