// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdio>

/// host PLUGIN MODEL: a program that was linked without Freeplay and has its plugin run a model;
/// and a file that is not there, whose exception has to arrive inside the plugin.
int main(int count, char** words) {
  if (count != 3) return 64;
  void* const plugin = dlopen(words[1], RTLD_NOW);
  if (plugin == nullptr) return std::fprintf(stderr, "%s\n", dlerror()), 65;
  const auto run_both_ways = reinterpret_cast<int (*)(const char*)>(dlsym(plugin, "run_both_ways"));
  if (run_both_ways == nullptr) return 66;
  const int refused = run_both_ways("there is no such file.toml");
  if (refused != 3) return 67;
  return run_both_ways(words[2]);
}
