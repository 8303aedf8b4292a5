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

constexpr std::array<MethodKind, 11> kMethods{{
    {.method = Method::automatic, .word = "auto", .learns_first_steps = true},
    {.method = Method::dop853, .word = "dop853", .learns_first_steps = true},
    {.method = Method::radau, .word = "radau"},
    {.method = Method::cvode_adams, .word = "cvode-adams"},
    {.method = Method::cvode_bdf, .word = "cvode-bdf"},
    {.method = Method::arkode_erk, .word = "arkode-erk"},
    {.method = Method::arkode_dirk, .word = "arkode-dirk"},
    {.method = Method::ida, .word = "ida", .constrained = true},
    {.method = Method::rk4, .word = "rk4", .fixed_step = true},
    {.method = Method::heun, .word = "heun", .fixed_step = true},
    {.method = Method::moreau, .word = "moreau", .constrained = true, .non_smooth = true},
}};

/// The values of a table, each of which stands at its own place.
template <class E, class Row, std::size_t N>
consteval std::array<E, N> values_of(const std::array<Row, N>& rows, E Row::*member) {
  std::array<E, N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    if (static_cast<std::size_t>(rows[i].*member) != i) throw "a table is out of order";
    out[i] = rows[i].*member;
  }
  return out;
}
constexpr auto kAllJointTypes = [] {
  std::array<JointType, JointTypes::kinds.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = JointTypes::kinds[i].type;
  return out;
}();
constexpr auto kAllCoordinates = values_of(kCoordinates, &Word<Coordinate>::value);
constexpr auto kAllMethods = values_of(kMethods, &MethodKind::method);

}  // namespace

std::string_view name_of(JointType type) { return kind_of(type).word; }
std::span<const Coordinate> coordinates_of(JointType type) { return kind_of(type).coordinates; }
std::string_view name_of(Coordinate coordinate) {
  return kCoordinates[static_cast<std::size_t>(coordinate)].name;
}
const MethodKind& kind_of(Method method) { return kMethods[static_cast<std::size_t>(method)]; }
std::string_view name_of(Method method) { return kind_of(method).word; }

std::span<const JointType> joint_types() { return kAllJointTypes; }
std::span<const Coordinate> coordinates() { return kAllCoordinates; }
std::span<const Method> methods() { return kAllMethods; }

}  // namespace freeplay
