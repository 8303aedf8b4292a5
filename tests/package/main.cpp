// SPDX-License-Identifier: Apache-2.0
#include <freeplay/version.hpp>

#include <cstdio>

int main() { std::printf("freeplay %s\n", freeplay::version()); }
