# SPDX-License-Identifier: Apache-2.0

# find_dependency() is silent about what is missing unless its caller is a required package.
set(CMAKE_FIND_PACKAGE_NAME freeplay)
set(freeplay_FIND_REQUIRED TRUE)
include(FreeplayDependencies)
unset(CMAKE_FIND_PACKAGE_NAME)
unset(freeplay_FIND_REQUIRED)

# Headers alone, and private to our sources: users of the installed library do not need them. A layer
# names them as $<BUILD_INTERFACE:...>.
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)
find_package(Cairo 1.16 MODULE REQUIRED)
find_package(spectra 1.0 CONFIG REQUIRED)
