// SPDX-License-Identifier: Apache-2.0
#include "io/materials.hpp"

#include <array>
#include <string_view>

namespace freeplay::io {
namespace {

struct NamedMaterial {
  std::string_view name;
  Material material;
};
// Handbook values at room temperature; a model that depends on the third digit should give its own.
constexpr std::array<NamedMaterial, 8> kMaterials{{{"steel", {207e9, 0.3}},
                                                   {"cast-iron", {110e9, 0.27}},
                                                   {"aluminium", {70e9, 0.33}},
                                                   {"bronze", {110e9, 0.34}},
                                                   {"brass", {100e9, 0.34}},
                                                   {"titanium", {114e9, 0.34}},
                                                   {"nylon", {2.8e9, 0.4}},
                                                   {"ptfe", {0.5e9, 0.46}}}};

}  // namespace

Shape material_shape() {
  std::vector<std::string> names;
  for (const NamedMaterial& m : kMaterials) names.emplace_back(m.name);
  return either(
      {choice(names), table({"material",
                             "Linear elastic.",
                             {key("young", quantity("Pa").above(0), "Young's modulus").require(),
                              key("poisson", number().at_least(0).at_most(0.499),
                                  "Poisson's ratio; absent: 0.3")}})});
}

Material material_of(const Node& node) {
  if (node.is_text()) {
    for (const NamedMaterial& m : kMaterials)
      if (m.name == node.text()) return m.material;
    return {};
  }
  Material out;
  if (const Node* young = node.find("young")) out.young = young->number();
  if (const Node* poisson = node.find("poisson")) out.poisson = poisson->number();
  return out;
}

Material steel() { return kMaterials.front().material; }

}  // namespace freeplay::io
