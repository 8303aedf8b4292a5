# SPDX-License-Identifier: Apache-2.0
#
# The C library of HDF5 without MPI, as target SerialHDF5::SerialHDF5. CMake's own FindHDF5 would make every
# user enable the C language and link what the HDF5 library itself links.
#
# Debian keeps the flavours apart by folder and library name; elsewhere the plain names are it.

find_path(SerialHDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(SerialHDF5_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(SerialHDF5_INCLUDE_DIR SerialHDF5_LIBRARY)

if(EXISTS "${SerialHDF5_INCLUDE_DIR}/H5public.h")
  file(STRINGS "${SerialHDF5_INCLUDE_DIR}/H5public.h" _line REGEX "#define H5_VERS_INFO")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" SerialHDF5_VERSION "${_line}")
  unset(_line)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SerialHDF5
  REQUIRED_VARS SerialHDF5_LIBRARY SerialHDF5_INCLUDE_DIR
  VERSION_VAR SerialHDF5_VERSION)

if(SerialHDF5_FOUND AND NOT TARGET SerialHDF5::SerialHDF5)
  add_library(SerialHDF5::SerialHDF5 UNKNOWN IMPORTED)
  set_target_properties(SerialHDF5::SerialHDF5 PROPERTIES
    IMPORTED_LOCATION "${SerialHDF5_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SerialHDF5_INCLUDE_DIR}")
endif()
