// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

// What every catalogue has in common. A law is one plain struct in one file that says about itself
// all that anyone may ask: key, title, citation, formula, limits, parameters with unit and bounds,
// worked samples. A catalogue is the std::variant of its laws, the only list; parsing, schema,
// `freeplay laws`, reference pages and typed tests walk that list and never name a law.
namespace freeplay::laws {

/// Default of a parameter that is worked out from the contact site unless the model gives it.
inline constexpr double kDerived = std::numeric_limits<double>::quiet_NaN();
/// Value of derived numbers before prepare(): whoever forgets to call it sees NaN, not a plausible
/// force.
inline constexpr double kUnprepared = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a law says about itself.
using Text = std::string_view;

/// A number of law L that the model file may set. The default is that of the member; a required one
/// must be written in the file all the same (its default only serves the samples).
template <class L>
struct Field {
  double L::*member;
  std::string_view key, unit, doc;
  double min, max;  ///< both allowed
  bool required = false;
  std::string_view unit_at_reference_load = {};  ///< unit if the law is given a `reference_load`
};

/// A switch of law L; off by default.
template <class L>
struct Flag {
  bool L::*member;
  std::string_view key, doc;
};

/// A number that a law worked out for its site; `freeplay check` prints these.
struct Derived {
  std::string_view name;
  double value;
  std::string unit;
};

/// Calls f(std::type_identity<L>{}) for each law L of the variant V.
template <class V, class F>
constexpr void for_each_type(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::type_identity<std::variant_alternative_t<I, V>>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<V>>{});
}

/// The switches of a law; most have none.
template <class L>
constexpr auto flags_of() {
  if constexpr (requires { L::flags(); })
    return L::flags();
  else
    return std::array<Flag<L>, 0>{};
}

/// Laws of contact and friction that are plain arithmetic, roots and comparisons say `recordable`:
/// a tape can hold them (tape/branches.hpp), and they cost a mechanism next to nothing.
template <class L>
constexpr bool is_recordable() {
  if constexpr (requires { L::recordable; })
    return L::recordable;
  else
    return false;
}

/// The law of that key with its defaults; nothing if there is none.
template <class V>
[[nodiscard]] std::optional<V> make_law(std::string_view key) {
  std::optional<V> out;
  for_each_type<V>([&]<class L>(std::type_identity<L>) {
    if (L::key == key) out = L{};
  });
  return out;
}

template <class... L>
[[nodiscard]] std::string_view key_of(const std::variant<L...>& law) {
  return std::visit([]<class X>(const X&) { return X::key; }, law);
}

/// Where the parameter of that key is kept; null if the law has none of that name.
template <class... L>
[[nodiscard]] double* find_parameter(std::variant<L...>& law, std::string_view key) {
  return std::visit(
      [&]<class X>(X& x) -> double* {
        for (const Field<X>& field : X::fields())
          if (field.key == key) return &(x.*field.member);
        return nullptr;
      },
      law);
}

template <class... L>
[[nodiscard]] bool* find_flag(std::variant<L...>& law, std::string_view key) {
  return std::visit(
      [&]<class X>(X& x) -> bool* {
        for (const Flag<X>& flag : flags_of<X>())
          if (flag.key == key) return &(x.*flag.member);
        return nullptr;
      },
      law);
}

/// What a law of any catalogue has to say about itself.
template <class L>
concept Law = std::default_initializable<L> && std::copyable<L> && requires {
  { L::key } -> std::convertible_to<std::string_view>;      // name in model files, with hyphens
  { L::title } -> std::convertible_to<std::string_view>;    // name for people
  { L::cite } -> std::convertible_to<std::string_view>;     // author, year, equation
  { L::formula } -> std::convertible_to<std::string_view>;  // in plain text
  { L::limits } -> std::convertible_to<std::string_view>;   // where it stops being right
  L::fields();
  L::samples;
};

}  // namespace freeplay::laws
