// SPDX-License-Identifier: Apache-2.0
#include "fem/refuse.hpp"

#include <freeplay/errors.hpp>

#include <fstream>

namespace freeplay::fem {
namespace fs = std::filesystem;

void refuse(const Place& place, std::string path, std::string message, std::string hint) {
  Issue issue;
  issue.file = place.file;
  issue.line = place.line;
  issue.path = std::move(path);
  issue.message = std::move(message);
  issue.hint = std::move(hint);
  throw ModelError(issue);
}

std::string read_file(const fs::path& file, const std::string& shown) {
  const auto fail = [&](const std::string& why) {
    throw IoError("cannot read '" + shown + "': " + why);
  };
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) fail("there is no such file");
  if (error) fail(error.message());
  if (status.type() != fs::file_type::regular) fail("it is not a regular file");
  constexpr std::uintmax_t kLargest = std::uintmax_t{4} << 30;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) fail(error.message());
  if (size > kLargest) fail("it has more than 4 GB");
  std::ifstream in(file, std::ios::binary);
  if (!in) fail("it may not be opened (permissions?)");
  std::string text(static_cast<std::size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) fail("reading failed");
  return text;
}

}  // namespace freeplay::fem
