// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>
#include <freeplay/result.hpp>

#include <span>

namespace freeplay::report {

/// The body one looks at first: among those that the ground holds and nothing drives, the one whose
/// acceleration play changes most in `result`. With a result that is ideal among `others`, that is
/// the largest difference from it; otherwise the largest acceleration over the usual one. If the
/// ground holds none, the end of an open chain, or what a joint with play carries. kGround: there
/// is none.
[[nodiscard]] BodyIndex output_body(const Model& model, const Result& result,
                                    std::span<const Result> others);

}  // namespace freeplay::report
