// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/forecast.hpp"
#include <freeplay/contact_loss.hpp>
#include <freeplay/equilibrium.hpp>
#include <freeplay/errors.hpp>
#include <freeplay/gradient.hpp>
#include <freeplay/result.hpp>
#include <freeplay/run.hpp>
#include <freeplay/study.hpp>
#include <freeplay/tolerance.hpp>

#include <optional>
#include <string>
#include <vector>

namespace freeplay::films {
struct BearingPoint;
}

namespace freeplay::gallery {
struct GalleryResult;
}

namespace freeplay::study {
struct StudyRows;
}

namespace freeplay::fem {
struct MadePart;
}

// What --json prints: one object each, with a line end. In one file, since the JSON library is slow
// to compile.
namespace freeplay::cli {
struct ModesOver;

/// How far two runs agree on a body.
struct Settled {
  double difference = 0;  ///< largest, of its positions; m
  double rotation = 0;    ///< of its orientations; rad
  int digits = 0;         ///< of the characteristic length and of a radian
  double until = 0;       ///< s; up to there both are below 1e-6 of those
};
struct Convergence {
  struct BodyReport {
    std::string name;
    Settled asked, finer;
  };
  std::string knob;            ///< "tolerance" or "step"
  std::vector<double> values;  ///< of the three runs
  std::vector<BodyReport> bodies;
  double length = 0, end = 0;  ///< characteristic length, m; end of the run, s
};

[[nodiscard]] std::string json_of(const RunResult& result, const std::string& path,
                                  const std::optional<Trust>& trust);
[[nodiscard]] std::string json_of(const Model& model, const Assembly& assembly,
                                  const Scales& scales, const std::vector<Issue>& warnings,
                                  const io::Forecast& forecast);
[[nodiscard]] std::string json_of(const Equilibrium& equilibrium,
                                  const std::vector<Channel>& channels);
[[nodiscard]] std::string json_of(const std::vector<Mode>& modes);
[[nodiscard]] std::string json_of(const ModesOver& over);
[[nodiscard]] std::string json_of(const Tolerances& found);
[[nodiscard]] std::string json_of(const ContactLoss& found);
[[nodiscard]] std::string json_of(const Gradient& found);
[[nodiscard]] std::string json_of(const Convergence& report);
[[nodiscard]] std::string json_of(const std::vector<films::BearingPoint>& points,
                                  const std::string& law);
/// `rows`: null leaves them out.
[[nodiscard]] std::string json_of(const StudySummary& summary, const study::StudyRows* rows);
[[nodiscard]] std::string json_of(const StudyMissing& missing);
[[nodiscard]] std::string json_of(const gallery::GalleryResult& gallery, const std::string& page);
/// `status` is "bad_input", "not_assembled", "failed", "io_error" or "interrupted".
[[nodiscard]] std::string json_of(const fem::MadePart& made, const VecX& free_frequency,
                                  const std::string& file);
[[nodiscard]] std::string json_of_error(const std::string& status, const std::string& reason,
                                        const std::vector<Issue>& issues);

}  // namespace freeplay::cli
