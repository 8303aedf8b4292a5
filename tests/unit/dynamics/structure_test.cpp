// SPDX-License-Identifier: Apache-2.0
#include "dynamics/structure.hpp"

#include "dynamics/layout.hpp"
#include "dynamics/system.hpp"
#include "joints/contact_memory.hpp"
#include "support/models.hpp"
#include "support/paths.hpp"
#include "support/trusses.hpp"
#include <freeplay/load.hpp>
#include <freeplay/run.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// What the systems say of their own structure, against exact derivatives: nothing outside it.
namespace freeplay::dynamics {
namespace {

struct Case {
  std::string name;
  Model model;
  bool linked;  // has it more than one group?
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Formulation formulation : {Formulation::cartesian, Formulation::tree})
    for (const auto& [name, model, linked] :
         {Case{"mast", testing::scissor_mast(5), true}, Case{"ring", testing::ring_truss(6), true},
          Case{"clearance chain", testing::clearance_chain(6), true},
          Case{"four-bars", testing::n_four_bar(4), false},
          // Its steering arm is led by a drive, and has no unknowns of its own in a tree.
          Case{"steering", load_model(testing::source_dir() / "mechanisms/steering_linkage.toml"),
               true}}) {
      out.push_back({name, model, linked});
      out.back().model.simulation.formulation = formulation;
    }
  return out;
}

TEST(StructureTest, NothingOutsideItDepends) {
  for (const auto& [name, model, linked] : cases()) {
    SCOPED_TRACE(name);
    const auto system = make_system(model);
    State state = from_cartesian(model, assemble(model).start);
    system->prepare(state);
    // Everything touches, and most of it is pressed in.
    if (const Contacts* contacts = system->all_contacts())
      for (const Contacts::Contact& contact : contacts->list()) {
        joints::ContactMemory touching;
        touching.touching = 1;
        touching.impact_rate = 0.1;
        joints::remember(&state.memory[contact.own_memory()], touching);
      }
    for (int k = 0; k < state.y.size(); ++k) state.y[k] += 1e-4 * std::sin(1.0 + 3 * k);
    const Structure structure = structure_of(*system);
    EXPECT_EQ(!structure.group.empty(), linked);
    if (structure.group.empty()) continue;
    const int n = system->size() - system->work_size();
    ASSERT_EQ(structure.group.size(), n);
    const int groups = 1 + *std::max_element(structure.group.begin(), structure.group.end());
    for (const auto& [a, b] : structure.links) ASSERT_TRUE(a >= 0 && a < b && b < groups);
    MatX dfdy;
    ASSERT_TRUE(system->jacobian(state.time, state.y.data(), state.memory.data(), dfdy));
    int inside = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto pair = std::minmax(structure.group[i], structure.group[j]);
        const bool depends = pair.first == pair.second ||
                             (!structure.local[i] &&
                              std::binary_search(structure.links.begin(), structure.links.end(),
                                                 std::pair<int, int>(pair)));
        inside += depends;
        if (depends) continue;
        ASSERT_EQ(dfdy(i, j), 0) << i << " of " << j;
      }
    EXPECT_LT(inside, n * n);
  }
}

}  // namespace
}  // namespace freeplay::dynamics
