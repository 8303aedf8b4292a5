// SPDX-License-Identifier: Apache-2.0
#include "model/words.hpp"

#include "model/joint_types.hpp"

#include <array>

// What can be named in a model file: every value of an enumeration beside its word.
namespace freeplay {
namespace {

template <class E>
struct Word {
  E value;
  std::string_view name;
};

constexpr std::array<Word<Coordinate>, 6> kCoordinates{{
    {Coordinate::angle, "angle"},
    {Coordinate::displacement, "displacement"},
    {Coordinate::displacement_x, "x"},
    {Coordinate::displacement_y, "y"},
    {Coordinate::universal_second, "second_angle"},
    {Coordinate::length, "length"},
}};

constexpr std::array<Word<Method>, 9> kMethods{{
    {Method::automatic, "auto"},
    {Method::dop853, "dop853"},
    {Method::cvode_adams, "cvode-adams"},
    {Method::cvode_bdf, "cvode-bdf"},
    {Method::arkode_erk, "arkode-erk"},
    {Method::arkode_dirk, "arkode-dirk"},
    {Method::ida, "ida"},
    {Method::rk4, "rk4"},
    {Method::heun, "heun"},
}};

/// The values of a table, each of which stands at its own place.
template <class E, std::size_t N>
consteval std::array<E, N> values_of(const std::array<Word<E>, N>& words) {
  std::array<E, N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    if (static_cast<std::size_t>(words[i].value) != i) throw "a table is out of order";
    out[i] = words[i].value;
  }
  return out;
}
constexpr auto kAllJointTypes = [] {
  std::array<JointType, JointTypes::kinds.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = JointTypes::kinds[i].type;
  return out;
}();
constexpr auto kAllCoordinates = values_of(kCoordinates);
constexpr auto kAllMethods = values_of(kMethods);

}  // namespace

std::string_view name_of(JointType type) { return kind_of(type).word; }
std::span<const Coordinate> coordinates_of(JointType type) { return kind_of(type).coordinates; }
std::string_view name_of(Coordinate coordinate) {
  return kCoordinates[static_cast<std::size_t>(coordinate)].name;
}
std::string_view name_of(Method method) { return kMethods[static_cast<std::size_t>(method)].name; }

std::span<const JointType> joint_types() { return kAllJointTypes; }
std::span<const Coordinate> coordinates() { return kAllCoordinates; }
std::span<const Method> methods() { return kAllMethods; }

bool has_fixed_step(Method method) { return method == Method::rk4 || method == Method::heun; }

}  // namespace freeplay
