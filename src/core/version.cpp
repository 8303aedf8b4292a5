// SPDX-License-Identifier: Apache-2.0
#include <freeplay/version.hpp>

namespace freeplay {

const char* version() noexcept { return FREEPLAY_VERSION; }  // from project() in CMakeLists.txt

}  // namespace freeplay
