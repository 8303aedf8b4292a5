# SPDX-License-Identifier: Apache-2.0
#
# The libraries that `freeplay` links: read by our own build and, once installed, by the package
# configuration, so that both find the same ones. Found, never fetched.

include(CMakeFindDependencyMacro)

find_dependency(Eigen3 3.4 CONFIG)
find_dependency(fmt 9 CONFIG)
find_dependency(tomlplusplus 3.3 CONFIG)
find_dependency(TBB 2021 CONFIG)
find_dependency(NLopt 2.7 CONFIG)
find_dependency(SUNDIALS 6.4 CONFIG COMPONENTS
  cvode arkode ida nvecserial sunlinsoldense sunlinsolklu)  # also defines SUNDIALS::KLU
find_dependency(SerialHDF5 1.10 MODULE)
find_dependency(ZLIB 1.2 MODULE)
