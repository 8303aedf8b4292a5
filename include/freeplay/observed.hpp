// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// What a run shows of itself: recorded quantities, located events, closed contacts.
namespace freeplay {

/// One recorded quantity: where it stands in a row of numbers, and what it means.
struct Channel {
  std::string path;       ///< "bodies/rocker/position"; components are named after a dot
  std::string unit;       ///< "m", "N m", "1"
  std::string long_name;  ///< "position of the centre of mass"
  std::string frame;      ///< "global", "body", or empty where a frame means nothing
  int width = 1;          ///< 1 scalar; 2, 3 vectors (.x .y .z); 4 quaternion (.w .x .y .z)
  int offset = 0;         ///< first column in the row
};

/// A located event.
struct Event {
  double time = 0;    ///< s
  std::string joint;  ///< or force element
  int contact = 0;    ///< which contact of it
  std::string kind;   ///< touch, separation, stick, slip, chatter ...
  double speed = 0;   ///< approach or slip speed; m/s
};

/// One contact interval: from a touch to the separation that ended it, or to the end of the run.
struct Impact {
  std::string joint;
  int contact = 0;
  double start = 0, end = 0;    ///< s
  double approach_speed = 0;    ///< normal, at the touch; m/s
  double separation_speed = 0;  ///< normal, at the separation; m/s
  double peak_force = 0;        ///< normal; N
  double peak_depth = 0;        ///< m
  double energy_lost = 0;       ///< to the normal law, what it still stores included; J
  double impulse = 0;           ///< of a law without a force (Newton's); N s
  bool open = false;            ///< still touching at the end of the run, which `end` then is
};

}  // namespace freeplay
