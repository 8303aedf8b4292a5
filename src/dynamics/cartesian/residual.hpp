// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/cartesian/frame_maps.hpp"

#include <vector>

// Where derivatives of the Cartesian equations go that were taken for a pair of frames.
namespace freeplay::dynamics {

/// Hands the derivatives that a dual carries over to the columns of its two bodies.
struct Scatter {
  const Sink& sink;
  const FrameMaps& maps;
  int states = 0, first_state = 0;  // friction states of the element at hand, columns of y
  void operator()(int row, const PairDual& x, FrameIndex first, FrameIndex second) const {
    const auto give = [&](int column, double value) { sink(row, column, value); };
    maps.coordinates(first, x, 0, give);
    maps.coordinates(second, x, kBodyVariables, give);
    for (int c = 0; c < states; ++c) sink(row, first_state + c, x.d[kPairStates + c]);
  }
};

/// Where the derivatives of a wrench on a frame go.
struct Residual {
  Scatter scatter;
  /// Generalised force, in the velocities of the frame's body, subtracted from its momentum rows.
  void subtract(FrameIndex frame, const Pose<PairDual>& at, const Wrench<PairDual>& wrench,
                FrameIndex first, FrameIndex second) const {
    if (frame == kGround) return;
    const Bodies& bodies = scatter.maps.bodies();
    const int row = bodies.velocity_of(bodies.owner(frame));
    if (bodies.deforming(frame)) {
      subtract_spread(frame, row, wrench, first, second);
    } else if (scatter.maps.planar()) {
      scatter(row, -wrench.force[0], first, second);
      scatter(row + 1, -wrench.force[1], first, second);
      scatter(row + 2, -wrench.moment[2], first, second);
    } else {
      const Vec3T<PairDual> moment = at.R.transpose() * wrench.moment;
      for (int c = 0; c < 3; ++c) {
        scatter(row + c, -wrench.force[c], first, second);
        scatter(row + 3 + c, -moment[c], first, second);
      }
    }
  }

 private:
  /// L(q)^T W: the change of the wrench, spread as it is now, and that of L.
  void subtract_spread(FrameIndex frame, int row, const Wrench<PairDual>& wrench, FrameIndex first,
                       FrameIndex second) const {
    const FrameMaps& maps = scatter.maps;
    const DeformingBody& body = *maps.bodies().deforming(frame);
    const int number = maps.bodies().number(frame);
    const DeformingBody::Reach reach = body.reach(number);
    std::vector<PairDual> sum(static_cast<std::size_t>(reach.velocities), PairDual(0));
    Wrench<double> now;
    VecX all(body.velocities());
    auto share = all.segment(reach.v, reach.velocities);
    for (int i = 0; i < 6; ++i) {
      const PairDual& component = i < 3 ? wrench.force[i] : wrench.moment[i - 3];
      Wrench<double> unit;
      (i < 3 ? unit.force[i] : unit.moment[i - 3]) = 1;
      (i < 3 ? now.force[i] : now.moment[i - 3]) = component.value;
      share.setZero();
      body.spread(maps.q_of(frame), number, unit, all.data());
      for (int c = 0; c < share.size(); ++c)
        sum[static_cast<std::size_t>(c)] += component * share[c];
    }
    for (int c = 0; c < share.size(); ++c)
      scatter(row + reach.v + c, -sum[static_cast<std::size_t>(c)], first, second);
    body.spread_derivative(maps.q_of(frame), number, now, [&](int r, int own, double x) {
      scatter.sink(row + r, maps.column(frame, own), -x);
    });
  }
};

}  // namespace freeplay::dynamics
