// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/distribution.hpp"
#include <freeplay/load.hpp>
#include <freeplay/math.hpp>
#include <freeplay/study.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// The study file: one model, what is varied of it, what is looked at (guide/studies). Read with the
// machinery of model files, so that every mistake is told at once with its line.
namespace freeplay::study {

enum class Kind {
  sweep,
  bifurcation,
  monte_carlo,
  sensitivity,
  interval,
  optimise,
  fit,
  wear,
  periodic
};

/// One entry of `vary`: a path of the model, and the values it takes.
struct Variable {
  std::string path;
  std::vector<double> values;      ///< grid or list; SI, or the number of the word
  std::vector<std::string> words;  ///< values that are no numbers, as --set would take them
  std::string unit;                ///< SI, of the numbers, when the study gives one; else empty
  std::string written;             ///< the unit as it stands there: "mm"; else empty
  double from = 0, to = 1;         ///< range, where the kind wants one
  std::optional<Distribution> distribution;

  /// What --set would be given.
  [[nodiscard]] std::string text(double value) const;
};

enum class Take { at, min, max, mean, rms, range, contacts, peak_force, energy_residual };

/// A number that is taken of a run or of each turn: "max joints/pin/normal_force", or just a
/// series, which stands for its value at the section or at the end.
struct Observable {
  Take take = Take::at;
  std::string series;   ///< empty for what belongs to the run as a whole
  std::string written;  ///< unit in which it is shown, "mm"; empty: SI

  /// "joints/pin/normal_force/max": where it is in the result.
  [[nodiscard]] std::string name() const;
};

/// Where one looks, once a turn.
struct Section {
  enum class By { joint, time, series, event };
  By by = By::joint;
  std::string joint;   ///< joint, event
  double angle = 0;    ///< joint; rad
  double every = 0;    ///< time: period; s
  double from = 0;     ///< time: first look, from the start; s
  std::string series;  ///< series
  double level = 0;    ///< series
  bool falling = false;
  std::string event;  ///< "touch", ...
};

/// A bound on an output: how often it is exceeded (monte-carlo), or where a design must stay
/// (optimise).
struct Limit {
  std::string output;
  double above = -std::numeric_limits<double>::infinity(),
         below = std::numeric_limits<double>::infinity();
};

enum class Sampling { random, latin_hypercube, sobol, grid, list };
enum class Algorithm {
  cobyla,
  bobyqa,
  nelder_mead,
  subplex,
  direct,
  crs,
  isres,
  kriging,
  slsqp,
  mma
};

/// A life that wears: what a cycle is, and when it ends.
struct StudyLife {
  double cycle = 0;                 ///< period of the motion; s
  int settle = 1;                   ///< cycles from the start of the model before the first counts
  int average = 1;                  ///< cycles over which wear is averaged
  bool update = true;               ///< false: every cycle wears as the first
  double precision = 5e-3;          ///< of a step in the profile, over the greatest depth
  std::vector<std::string> joints;  ///< that wear
  double cycles = std::numeric_limits<double>::infinity(),
         clearance = std::numeric_limits<double>::infinity(),  ///< m
      peak_force = std::numeric_limits<double>::infinity();    ///< N
};

struct Study {
  std::filesystem::path file, model_file;    ///< empty: in memory
  std::vector<std::filesystem::path> files;  ///< all that was read for it

  /// Where the model finds what it includes.
  [[nodiscard]] std::filesystem::path model_folder() const {
    return model_file.has_parent_path() ? model_file.parent_path() : std::filesystem::path(".");
  }
  std::string text, model_text;           ///< as given
  std::string digest;                     ///< of both and of everything they include
  std::string text_digest, model_digest;  ///< of either, with what it includes
  Kind kind = Kind::sweep;
  std::vector<Variable> vary;
  std::vector<Override> set;  ///< the same for every row
  std::vector<Observable> observe;
  std::optional<Section> section;
  /// Does a row store a sample of every turn?
  [[nodiscard]] bool samples_turns() const { return section && kind != Kind::periodic; }
  int transient = 0, record = 1;  ///< turns
  int lyapunov = 0;               ///< exponents wanted, from the largest
  bool recurrence = false;        ///< of the section
  int multipliers = 2;            ///< periodic: how many are stored, from the largest
  bool continuation = false, backward = false, both_ways = false;
  int chains = 1;
  std::uint64_t seed = 0;
  Sampling sampling = Sampling::grid;
  std::int64_t samples = 0;
  std::optional<MatX> correlation;
  std::vector<Limit> limits;
  double confidence = 0.95;
  int nodes = 5;          ///< Chebyshev nodes per variable
  double time_limit = 0;  ///< CPU seconds a row; 0: none
  std::string goal;       ///< output to minimise or maximise
  bool maximise = false;
  Algorithm algorithm = Algorithm::cobyla;
  std::int64_t evaluations = 200;
  double precision = 1e-4;                            ///< relative to the ranges
  StudyLife life;                                     ///< wear, and rows that are lives
  bool lives = false;                                 ///< is every row a life?
  std::string measured_series;                        ///< fit
  std::vector<double> measured_time, measured_value;  ///< fit
};

/// Throws ModelError (all mistakes) or IoError.
[[nodiscard]] Study read_study(const std::filesystem::path& file);
/// From text without a key `model`, for this one.
[[nodiscard]] Study read_study(std::string_view text, const Model& model);
[[nodiscard]] Study read_study(std::string_view text, const ModelSource& model);

[[nodiscard]] std::string_view name_of(Kind kind);

/// Names of the numbers that a row gives, in order: what a result holds under /outputs.
[[nodiscard]] std::vector<std::string> outputs_of(const Study& study);

}  // namespace freeplay::study
