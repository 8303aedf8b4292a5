// SPDX-License-Identifier: Apache-2.0
#include "study/row_orbit.hpp"

#include "study/collector.hpp"
#include "study/orbit.hpp"
#include "study/row_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace freeplay::study {
namespace {

/// Runs of an orbit are this exact, so that differences of them tell its multipliers.
constexpr double kOrbitTolerance = 1e-12;
/// By how much a second turn may miss, for each unit by which it enlarges deviations; chosen: far
/// above what an orbit is closed to, far below what another drive does.
constexpr double kReturn = 1e-7;
/// How often the way from the row before is halved to find the orbit again.
constexpr int kHalvings = 6;

class OrbitRow : RowMotion {
 public:
  using RowMotion::RowMotion;

  Orbit find(const Carry* from) {
    begin();
    const Clock look = clock();
    State state = from && fits(*from) ? adopt(*from) : settled(look);
    Simulation& sim = model_.simulation;
    sim.tolerance = std::min(sim.tolerance, kOrbitTolerance);
    sim.duration = sim.output = study_.record * look.period;
    const auto system = dynamics::make_system(model_);
    system->prepare(state);
    const ReturnMap map{
        [&](const State& at) {
          State begin = at;
          restart_audit(*system, begin);
          return simulate(begin, nullptr, false).final_state;
        },
        [&](State& at) {
          if (!system->project(at.time, at.y.data(), at.memory.data()))
            throw Failure{RowStatus::failed, "a neighbouring motion leaves the constraints"};
        }};
    Orbit orbit;
    try {
      orbit = find_orbit(std::move(state), system->error_scale(),
                         system->size() - system->work_size(), map);
    } catch (const NoOrbit& none) {
      throw Failure{RowStatus::failed, none.what()};
    }
    restart_audit(*system, orbit.state);
    expect_return(orbit, system->error_scale().head(system->size() - system->work_size()));
    return orbit;
  }

  /// What is observed of the orbit that was found, along one turn of it.
  RowOutcome observe(const Orbit& orbit) {
    RowOutcome out;
    Collector collector(study_, Collector::Turns::whole_run);
    Simulation& sim = model_.simulation;
    sim.output = sim.duration / collector.subdivision();
    collector.end_turn(simulate(orbit.state, &collector, collector.needs_steps()));
    out.outputs = collector.points().values;
    const auto& all = orbit.multipliers;
    for (std::size_t k = 0; k < static_cast<std::size_t>(study_.multipliers); ++k) {
      const std::complex<double> mu = k < all.size() ? all[k] : 0;
      out.outputs.insert(out.outputs.end(), {mu.real(), mu.imag(), std::abs(mu)});
    }
    const auto outside = std::ranges::count_if(all, [](auto mu) { return std::abs(mu) > 1; });
    out.outputs.insert(out.outputs.end(), {orbit.error, static_cast<double>(outside), orbit.closure,
                                           static_cast<double>(orbit.steps), 0.0, 0.0});
    out.carry = Carry{orbit.state, coordinate_, start_.layout->digest(), {}};
    return out;
  }

 private:
  /// A turn that ends where it began is no orbit yet: what drives the mechanism must repeat too.
  void expect_return(const Orbit& orbit, const VecX& scale) {
    Simulation& sim = model_.simulation;
    const double turn = sim.duration;
    sim.duration = sim.output = 2 * turn;
    const State later = simulate(orbit.state, nullptr, false).final_state;
    sim.duration = sim.output = turn;
    const double missed = displacement(orbit.state, later, scale).cwiseAbs().maxCoeff();
    const double grown = 1 + std::abs(orbit.multipliers.front());
    if (!(missed <= kReturn * grown * grown))
      throw Failure{RowStatus::failed,
                    fmt::format("the motion ends a turn where it began, but not the next (it "
                                "misses by {:.1e} of its scale): what drives it has another "
                                "period than the section",
                                missed)};
  }
};

/// An orbit that is followed: at a value of what is varied.
struct Followed {
  Orbit orbit;
  RowOutcome outcome;
};

Followed follow(const Study& study, double x, const Carry* from) {
  auto row = make_row<OrbitRow>(study, {&x, 1});
  Followed out;
  out.orbit = row.find(from);
  out.outcome = row.observe(out.orbit);
  std::vector<double>& known = out.outcome.carry->orbit;
  known.push_back(x);
  for (const auto& mu : out.orbit.multipliers) known.push_back(std::abs(mu));
  return out;
}

/// From where the row before ended, by halves of the way where the whole is too far for Newton's
/// method.
Followed follow_far(const Study& study, double x, const Carry& from, int halvings) {
  try {
    return follow(study, x, &from);
  } catch (const Failure&) {
    if (halvings == 0) throw;
  }
  const Followed half = follow_far(study, std::midpoint(from.orbit[0], x), from, halvings - 1);
  return follow_far(study, x, *half.outcome.carry, halvings - 1);
}

/// What the orbit went through since the row before, and where: the first multiplier that changes
/// sides; others may follow in the same row.
void find_bifurcation(const Study& study, const Carry& from, Followed& now) {
  const auto sizes = [](const Carry& c) { return std::span(c.orbit).subspan(1); };
  const auto count = [](std::span<const double> all) {
    return std::ranges::count_if(all, [](double size) { return size > 1; });
  };
  const auto before = count(sizes(from)), after = count(sizes(*now.outcome.carry));
  if (before == after) return;
  const auto which = static_cast<std::size_t>(std::min(before, after));
  const auto outside = [&](const Carry& c) {
    return (which < sizes(c).size() ? sizes(c)[which] : 0) - 1;
  };
  // Followed from the nearest orbit that is known.
  Carry nearest = from;
  std::complex<double> crossing =
      now.orbit.multipliers[std::min(which, now.orbit.multipliers.size() - 1)];
  const auto at = locate_sign(from.orbit[0], outside(from), now.outcome.carry->orbit[0],
                              outside(*now.outcome.carry), [&](double x) -> std::optional<double> {
                                try {
                                  const Followed there = follow_far(study, x, nearest, kHalvings);
                                  if (which >= there.orbit.multipliers.size()) return {};
                                  nearest = *there.outcome.carry;
                                  crossing = there.orbit.multipliers[which];
                                  return std::abs(crossing) - 1;
                                } catch (const Failure&) {
                                  return {};
                                }
                              });
  std::vector<double>& outputs = now.outcome.outputs;
  outputs[outputs.size() - 2] = static_cast<double>(kind_of(crossing));
  outputs.back() = at ? *at : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

RowOutcome run_orbit(const Study& study, std::span<const double> inputs, const Carry* from) {
  if (!study.continuation) {
    auto row = make_row<OrbitRow>(study, inputs);
    RowOutcome out = row.observe(row.find(nullptr));
    out.carry.reset();
    return out;
  }
  Followed now =
      from ? follow_far(study, inputs[0], *from, kHalvings) : follow(study, inputs[0], nullptr);
  if (from) find_bifurcation(study, *from, now);
  return now.outcome;
}

}  // namespace freeplay::study
