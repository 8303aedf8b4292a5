// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact_laws.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/model.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>

// What a geometry is chosen by, and what is refused: shared by geometry.cpp and worn_geometry.cpp.
namespace freeplay::joints {

/// Refuses the clearance of one joint, naming the key at fault.
class Refusal {
 public:
  explicit Refusal(const Joint& joint)
      : path_("joints." + joint.name + ".clearance"), line_(joint.line) {}

  [[noreturn]] void operator()(const std::string& key, std::string message,
                               std::string hint = {}) const {
    Issue issue;
    issue.line = line_;
    issue.path = key.empty() ? path_ : path_ + "." + key;
    issue.message = std::move(message);
    issue.hint = std::move(hint);
    throw ModelError(issue);
  }
  void need(double value, const std::string& key, const std::string& hint = {}) const {
    if (!(value > 0)) (*this)(key, fmt::format("'{}' is missing", key), hint);
  }
  /// The outer part must be the larger one.
  void fit(double outer, double inner, std::string_view outer_key,
           std::string_view inner_key) const {
    need(outer, std::string(outer_key));
    need(inner, std::string(inner_key));
    if (inner > outer)
      (*this)(std::string(inner_key), fmt::format("{:.6g} mm is larger than the {} of {:.6g} mm",
                                                  inner * 1e3, outer_key, outer * 1e3));
  }

 private:
  std::string path_;
  int line_;
};

/// Some laws cannot be spread over a line or a face: they act at rims and corners.
inline bool touches_at_points(const Clearance& c) {
  return c.points || laws::acts_at_points(c.contact.key);
}
/// Is one of its surfaces not a circle?
inline bool has_profile(const Clearance& c) { return c.outer_profile || c.inner_profile; }

/// Is a bearing of the plane out of round, or going to be?
[[nodiscard]] bool is_outlined(const Clearance& clearance);
/// Is it pressed on an elastic bed out of round, every place by its own depth? Likewise a ball in
/// its socket that wear.
[[nodiscard]] bool has_bed(const Clearance& clearance);
[[nodiscard]] bool has_bed(const Model& model, const Joint& joint);
[[nodiscard]] bool has_ball_bed(const Model& model, const Joint& joint);
/// Throws ModelError where wear cannot be followed.
void refuse_wear(const Model& model, const Joint& joint, const Refusal& refuse);

}  // namespace freeplay::joints
