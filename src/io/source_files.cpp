// SPDX-License-Identifier: Apache-2.0
#include "io/source_files.hpp"

#include "io/text.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>
#include <fstream>

namespace freeplay::io {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestPath = 4096;                     // paths are told in full
constexpr std::uintmax_t kLargest = std::uintmax_t{64} << 20;  // bytes; 10^5 bodies need 30 MB

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw IoError("cannot read " + quote(file.string(), kLongestPath) + ": " + why);
}

}  // namespace

std::string read_text(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) refuse(file, "there is no such file");
  if (error == std::errc::too_many_symbolic_link_levels)
    refuse(file, "its symbolic links go round in a circle");
  if (error) refuse(file, error.message());
  // Asked before opening: opening a pipe waits for a writer that may never come.
  if (status.type() == fs::file_type::directory) refuse(file, "it is a folder");
  if (status.type() != fs::file_type::regular) refuse(file, "it is not a regular file");
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) refuse(file, error.message());
  if (size > kLargest)
    refuse(file, "it has " + std::to_string(size >> 20) + " MB; at most " +
                     std::to_string(kLargest >> 20) + " MB are read");
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(file, "it may not be opened (permissions?)");
  std::string text(static_cast<std::size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) refuse(file, "reading failed");
  return text;
}

const fs::path* same_file(const std::vector<fs::path>& files, const fs::path& path) {
  std::error_code ignored;
  for (const fs::path& file : files)
    if (fs::equivalent(file, path, ignored)) return &file;
  return nullptr;
}

ModelFolder::ModelFolder(const fs::path& folder) {
  std::error_code error;
  root_ = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error)
    throw IoError("cannot use the folder " + quote(folder.string(), kLongestPath) + ": " +
                  error.message());
}

fs::path ModelFolder::resolve(const fs::path& from, const std::string& name) const {
  if (!known()) throw IoError("a model without a folder of its own cannot refer to other files");
  if (name.empty()) throw IoError("the file name is empty");
  if (name.find('\0') != std::string::npos) throw IoError("the file name contains a NUL byte");
  const fs::path written(name);
  if (written.is_absolute())
    throw IoError("absolute paths are refused; write it relative to this file");
  std::error_code error;
  fs::path real = fs::canonical(from / written, error);
  if (error == std::errc::no_such_file_or_directory) throw IoError("there is no such file");
  if (error == std::errc::too_many_symbolic_link_levels)
    throw IoError("its symbolic links go round in a circle");
  if (error) throw IoError(error.message());
  const auto [end, rest] = std::mismatch(root_.begin(), root_.end(), real.begin(), real.end());
  if (end != root_.end())
    throw IoError("it lies outside the folder of the model, " +
                  quote(root_.string(), kLongestPath));
  return real;
}

std::string normalised(std::string_view text) {
  const auto starts = [&](std::string_view mark) { return text.starts_with(mark); };
  if (starts("\xff\xfe") || starts("\xfe\xff") ||
      (text.size() > 3 && text[1] == '\0' && text[3] == '\0') ||
      (text.size() > 3 && text[0] == '\0' && text[2] == '\0'))
    throw IoError("the text is UTF-16 or UTF-32; save it as UTF-8");
  if (starts("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 >= text.size() || text[i + 1] != '\n') {
      out += '\n';  // old Macintosh line end; with \r\n the \n follows by itself
    }
  }
  return out;
}

}  // namespace freeplay::io
