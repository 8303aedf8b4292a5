# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` lays out: the library, its headers, the command line, and the package files
# that make find_package(freeplay) work. tests/package/ uses them from outside.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/freeplay")

# Components are the packages of `./dev package`: the program (and the library, where it is a shared one), what studies across
# machines need, what other programs are built with.
set(library_component dev)
if(BUILD_SHARED_LIBS)
  set(library_component program)
endif()
install(TARGETS freeplay EXPORT freeplay-targets
  ARCHIVE COMPONENT dev
  LIBRARY COMPONENT ${library_component} NAMELINK_COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" TYPE INCLUDE COMPONENT dev)
install(EXPORT freeplay-targets NAMESPACE freeplay:: DESTINATION "${package_dir}" COMPONENT dev)
if(TARGET freeplay_cli)
  if(BUILD_SHARED_LIBS)  # the command line finds the library beside it, wherever the two are put
    file(RELATIVE_PATH library_dir "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    set_target_properties(freeplay_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${library_dir}")
  endif()
  install(TARGETS freeplay_cli COMPONENT program)
  if(TARGET freeplay_mpi)
    install(TARGETS freeplay_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/freeplay" COMPONENT mpi)
  endif()
  install(FILES "${PROJECT_SOURCE_DIR}/apps/freeplay/completion.bash"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME freeplay COMPONENT program)
  install(CODE "
    execute_process(COMMAND \"$<TARGET_FILE:freeplay_cli>\" __manual
      OUTPUT_FILE \"${PROJECT_BINARY_DIR}/freeplay.1\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(FILES "${PROJECT_BINARY_DIR}/freeplay.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
    COMPONENT program)
  # The shipped models and the figures made of them, which `freeplay reproduce` finds beside bin/.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/mechanisms" "${PROJECT_SOURCE_DIR}/reproduce"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/freeplay" COMPONENT program FILES_MATCHING PATTERN "*.toml")
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/freeplay-config.cmake.in"
  "${PROJECT_BINARY_DIR}/package/freeplay-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/package/freeplay-config-version.cmake"
  COMPATIBILITY SameMinorVersion)        # until 1.0 a minor release may break
install(FILES
  "${PROJECT_BINARY_DIR}/package/freeplay-config.cmake"
  "${PROJECT_BINARY_DIR}/package/freeplay-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FreeplayDependencies.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindSerialHDF5.cmake"
  DESTINATION "${package_dir}" COMPONENT dev)
