// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <memory>

// A body that bends, as the table [bodies.NAME.flexible] of the model file gives it: a straight
// uniform beam, or a part of any shape that was made of finite elements (modal_part.hpp).
namespace freeplay {

struct ModalPart;

/// How a flexible body is described.
enum class FlexibleMethod {
  modal,  ///< floating frame and a few modes: small deformations, fast
  beam    ///< finite elements that may bend as far as they like
};
/// Measure of axial strain and curvature of `beam`.
enum class BeamStrain {
  engineering,  ///< |r'| - 1 and theta'
  green         ///< (r'.r' - 1)/2 and r' x r''/|r'|^3
};

/// Beam axis from `from` to `to`; the section's y and z are those of the body, turned by the
/// smallest rotation that takes the body's x to the axis. In the plane only what belongs to bending
/// in the plane is used: EI_z.
struct Flexible {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  ///< ends of the axis, body axes; m
  double EA = 0;                                ///< N
  double EI_y = 0;                              ///< about the section's y: bending towards z; N m^2
  double EI_z = 0;                              ///< about the section's z: bending towards y; N m^2
  double GJ = 0;                                ///< torsion; N m^2
  double rhoA = 0;                              ///< mass per length; kg/m
  double rhoJ = 0;                  ///< polar moment of inertia per length about the axis; kg m
  double fibre_y = 0, fibre_z = 0;  ///< outermost fibres from the axis; m; 0: no stress is told
  double young = 0;                 ///< for stress; Pa; 0: none is told
  int elements = 8;
  FlexibleMethod method = FlexibleMethod::modal;
  BeamStrain strain = BeamStrain::engineering;
  double damping = 0;        ///< modal: share of critical damping of every mode
  double damping_time = 0;   ///< Kelvin-Voigt: stress E (strain + time * rate); s
  int modes = 0;             ///< modal: fixed-interface modes; 0: chosen
  double max_frequency = 0;  ///< modal: all fixed-interface modes below; Hz; 0: not by frequency
  /// A real part in place of the beam; of the rest only the damping counts then.
  std::shared_ptr<const ModalPart> part = {};

  [[nodiscard]] double length() const { return (to - from).norm(); }
};

}  // namespace freeplay
