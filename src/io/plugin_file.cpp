// SPDX-License-Identifier: Apache-2.0
#include "io/plugin_file.hpp"

#include "io/sha256.hpp"
#include "laws/plugin_law.hpp"
#include <freeplay/errors.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace freeplay::io {
namespace {

constexpr const char* kSymbol = "freeplay_plugin_laws";

std::string digest_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (!in || !bytes) throw IoError("it cannot be read");
  return sha256(std::move(bytes).str());
}

/// What the library tells of itself.
laws::PluginLaws laws_of(void* library) {
  dlerror();
  void* const symbol = dlsym(library, kSymbol);
  if (!symbol)
    throw IoError(fmt::format("it has no function {}(), as freeplay/plugin.h asks for", kSymbol));
  const auto tell = reinterpret_cast<const freeplay_plugin* (*)()>(symbol);
  const freeplay_plugin* told = tell();
  if (!told) throw IoError(fmt::format("its {}() returns nothing", kSymbol));
  if (told->abi != FREEPLAY_PLUGIN_ABI)
    throw IoError(
        fmt::format("it was made for interface {}, this program has {}; compile it again "
                    "with its freeplay/plugin.h",
                    told->abi, FREEPLAY_PLUGIN_ABI));
  if (told->law_count < 1 || told->law_count > 1000 || !told->laws) throw IoError("it has no laws");
  laws::PluginLaws out;
  for (int k = 0; k < told->law_count; ++k) {
    try {
      out.push_back(laws::copied(told->laws[k]));
    } catch (const std::invalid_argument& error) {
      throw IoError(error.what());
    }
    for (int j = 0; j < k; ++j)
      if (out[static_cast<std::size_t>(j)]->kind == out.back()->kind &&
          out[static_cast<std::size_t>(j)]->name == out.back()->name)
        throw IoError(fmt::format("it has two {} laws '{}'", out.back()->kind, out.back()->name));
  }
  return out;
}

}  // namespace

std::string open_plugin(const std::filesystem::path& file) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::string> opened;  // digests
  const std::lock_guard lock(mutex);
  const std::string digest = digest_of(file);
  if (const auto before = opened.find(file); before != opened.end() && before->second != digest)
    throw IoError(
        "it has changed since this program opened it; start the program again, or give the new one "
        "another name");
  if (!laws::find_plugin(digest).empty()) return digest;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const why = dlerror();
    throw IoError(fmt::format("it is no library that can be opened: {}", why ? why : "unknown"));
  }
  if (digest_of(file) != digest) throw IoError("it is being changed");
  laws::keep_plugin(digest, laws_of(library));
  opened[file] = digest;
  return digest;
}

}  // namespace freeplay::io
