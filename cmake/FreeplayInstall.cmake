# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` lays out: the library, its headers, the command line, and the package files
# that make find_package(freeplay) work. tests/package/ uses them from outside.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/freeplay")

install(TARGETS freeplay EXPORT freeplay-targets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" TYPE INCLUDE)
install(EXPORT freeplay-targets NAMESPACE freeplay:: DESTINATION "${package_dir}")
if(TARGET freeplay_cli)
  if(BUILD_SHARED_LIBS)  # the command line finds the library beside it, wherever the two are put
    file(RELATIVE_PATH library_dir "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    set_target_properties(freeplay_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${library_dir}")
  endif()
  install(TARGETS freeplay_cli)
  install(FILES "${PROJECT_SOURCE_DIR}/apps/freeplay/completion.bash"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME freeplay)
  install(CODE "
    execute_process(COMMAND \"$<TARGET_FILE:freeplay_cli>\" __manual
      OUTPUT_FILE \"${PROJECT_BINARY_DIR}/freeplay.1\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES "${PROJECT_BINARY_DIR}/freeplay.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  # The shipped models and the figures made of them, which `freeplay reproduce` finds beside bin/.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/mechanisms" "${PROJECT_SOURCE_DIR}/reproduce"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/freeplay" FILES_MATCHING PATTERN "*.toml")
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
  "${PROJECT_SOURCE_DIR}/cmake/FindCairo.cmake"
  DESTINATION "${package_dir}")
