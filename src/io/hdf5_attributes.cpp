// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_library.hpp"

#include <algorithm>

namespace freeplay::io {

void Hdf5File::set_attribute(const std::string& object, const std::string& name,
                             const Hdf5Attribute& value) {
  const Visit visit;
  const auto where = path_.string() + ": attribute " + name;
  const Hdf5Handle owner(require(H5Oopen(file_.id(), object.c_str(), H5P_DEFAULT), "write", where));

  Hdf5Handle type;
  const void* data = nullptr;
  const char* text = nullptr;
  std::visit(
      [&]<class T>(const T& v) {
        data = &v;
        if constexpr (std::is_same_v<T, std::int64_t>) type = Hdf5Handle(H5Tcopy(H5T_NATIVE_INT64));
        if constexpr (std::is_same_v<T, std::uint64_t>)
          type = Hdf5Handle(H5Tcopy(H5T_NATIVE_UINT64));
        if constexpr (std::is_same_v<T, double>) type = Hdf5Handle(H5Tcopy(H5T_NATIVE_DOUBLE));
        if constexpr (std::is_same_v<T, std::string>) {
          type = text_type(H5T_VARIABLE);  // which h5py shows as str
          text = v.c_str();
          data = &text;
        }
      },
      value);
  if (H5Aexists(owner.id(), name.c_str()) > 0) {
    // In place where possible: that needs no room on the disk.
    const Hdf5Handle attribute(
        require(H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT), "write", where));
    const Hdf5Handle stored(H5Aget_type(attribute.id()));
    if (H5Tequal(stored.id(), type.id()) > 0) {
      require(H5Awrite(attribute.id(), type.id(), data), "write", where);
      return;
    }
    require(H5Adelete(owner.id(), name.c_str()), "write", where);
  }
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  const Hdf5Handle attribute(
      require(H5Acreate2(owner.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
              "write", where));
  require(H5Awrite(attribute.id(), type.id(), data), "write", where);
}

void Hdf5Dataset::describe(std::span<const std::pair<const char*, std::string>> texts) {
  const Visit visit;
  const auto where = "the attributes of " + name();
  const auto owner = open();
  const auto type = text_type(H5T_VARIABLE);
  const Hdf5Handle space(H5Screate(H5S_SCALAR));
  for (const auto& [name_of, text] : texts) {
    const Hdf5Handle attribute(
        require(H5Acreate2(owner->id(), name_of, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
                "write", where));
    const char* data = text.c_str();
    require(H5Awrite(attribute.id(), type.id(), &data), "write", where);
  }
}

std::optional<Hdf5Attribute> Hdf5File::attribute(const std::string& object,
                                                 const std::string& name) const {
  const Visit visit;
  const auto where = path_.string() + ": attribute " + name;
  const Hdf5Handle owner(require(H5Oopen(file_.id(), object.c_str(), H5P_DEFAULT), "read", where));
  if (H5Aexists(owner.id(), name.c_str()) <= 0) return std::nullopt;
  const Hdf5Handle attribute(
      require(H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT), "read", where));
  const Hdf5Handle type(require(H5Aget_type(attribute.id()), "read", where));
  const Hdf5Handle space(require(H5Aget_space(attribute.id()), "read", where));
  if (H5Sget_simple_extent_npoints(space.id()) != 1) return std::nullopt;

  const auto number = [&]<class T>(T value, hid_t memory) -> Hdf5Attribute {
    require(H5Aread(attribute.id(), memory, &value), "read", where);
    return value;
  };
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
      if (H5Tget_sign(type.id()) == H5T_SGN_NONE) return number(std::uint64_t{}, H5T_NATIVE_UINT64);
      return number(std::int64_t{}, H5T_NATIVE_INT64);
    case H5T_FLOAT:
      return number(double{}, H5T_NATIVE_DOUBLE);
    case H5T_STRING:
      break;
    default:
      return std::nullopt;
  }
  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    require(H5Aread(attribute.id(), type.id(), &text), "read", where);
    std::string out = text ? text : "";
    H5free_memory(text);
    return out;
  }
  std::string out(H5Tget_size(type.id()), '\0');
  require(H5Aread(attribute.id(), type.id(), out.data()), "read", where);
  out.resize(std::min(out.find('\0'), out.size()));
  return out;
}

}  // namespace freeplay::io
