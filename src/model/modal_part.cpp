// SPDX-License-Identifier: Apache-2.0
#include <freeplay/modal_part.hpp>

#include <fmt/format.h>

#include <cmath>

namespace freeplay {

int ModalPart::at(const Vec3& point, bool planar) const {
  // chosen: far below what distinguishes two bores, far above the digits of a place typed by hand
  constexpr double kSamePlace = 1e-3;  // of the part's size
  const auto apart = [&](const Interface& i) {
    const Vec3 d = i.point - point;
    return planar ? d.head<2>().norm() : d.norm();
  };
  int nearest = -1;
  for (std::size_t k = 0; k < interfaces.size(); ++k)
    if (nearest < 0 || apart(interfaces[k]) < apart(interfaces[static_cast<std::size_t>(nearest)]))
      nearest = static_cast<int>(k);
  if (nearest < 0) return -1;
  return apart(interfaces[static_cast<std::size_t>(nearest)]) <= kSamePlace * size ? nearest : -1;
}

std::string ModalPart::place(Vec3 point) const {
  for (double& x : point)
    if (std::abs(x) < 1e-9 * size) x = 0;
  return fmt::format("({:.6g}, {:.6g}, {:.6g}) m", point[0], point[1], point[2]);
}

std::string ModalPart::places() const {
  std::string out;
  for (const Interface& i : interfaces)
    out += fmt::format("{}'{}' at {}", out.empty() ? "" : ", ", i.name, place(i.point));
  return out;
}

}  // namespace freeplay
