// SPDX-License-Identifier: Apache-2.0
#include "report/cairo_library.hpp"

#include <freeplay/errors.hpp>

#include <dlfcn.h>

#include <string>

namespace freeplay::report {
namespace {

// The name under which programs link it: its number changes when its functions do.
constexpr const char* kFile =
#ifdef __APPLE__
    "libcairo.2.dylib";
#else
    "libcairo.so.2";
#endif

CairoLibrary load() {
  void* const library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw IoError(std::string("PNG and PDF are drawn by the library cairo, which is not here (") +
                  dlerror() + "); install it (Debian: apt-get install libcairo2), or ask for SVG");
  CairoLibrary out;
  const auto find = [&](const char* name) {
    void* const found = dlsym(library, name);
    if (!found) throw IoError(std::string(kFile) + " has no function " + name);
    return found;
  };
#define FREEPLAY_CAIRO_FIND(name) \
  out.name = reinterpret_cast<decltype(out.name)>(find("cairo_" #name));
  FREEPLAY_CAIRO_FUNCTIONS(FREEPLAY_CAIRO_FIND)
#undef FREEPLAY_CAIRO_FIND
  return out;
}

}  // namespace

const CairoLibrary& cairo_library() {
  static const CairoLibrary library = load();  // kept until the program ends
  return library;
}

}  // namespace freeplay::report
