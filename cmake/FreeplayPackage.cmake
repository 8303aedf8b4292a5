# SPDX-License-Identifier: Apache-2.0
#
# Debian packages, made by `./dev package`: freeplay (the program), freeplay-mpi (studies under mpirun), libfreeplay-dev (the
# library for other programs). dpkg-shlibdeps finds what the first two need; nothing of it is MPI or X11 for the first.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME freeplay)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")     # would stand before the description of each
set(CPACK_PACKAGE_CONTACT "The Freeplay developers <freeplay@localhost>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program dev)
if(TARGET freeplay_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME freeplay)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS libcairo2)      # loaded for pictures made of pixels
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "freeplay-mpi, bash-completion, man-db")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "dynamics of mechanisms with play, friction and oil in their joints
Simulates mechanisms as they are really built. A mechanism is one text file;
results are HDF5 files, tables, figures, and pages that open offline in a
browser.")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME freeplay-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "freeplay (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_MPI_DESCRIPTION "studies of freeplay under mpirun
Lets `mpirun freeplay study ...` share the rows of a study among machines.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libfreeplay-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libeigen3-dev, libfmt-dev, libtomlplusplus-dev, libtbb-dev, libnlopt-dev, libsundials-dev, libsuitesparse-dev, libhdf5-dev, \
zlib1g-dev")   # those of cmake/FreeplayDependencies.cmake
set(CPACK_COMPONENT_DEV_DESCRIPTION "dynamics of mechanisms with play, for programs in C++
Headers, library and CMake package for programs that build and step mechanisms.")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright COMPONENT program)
install(FILES "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/CITATION.cff"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/freeplay-mpi" RENAME copyright COMPONENT mpi)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libfreeplay-dev" RENAME copyright COMPONENT dev)
include(CPack)
