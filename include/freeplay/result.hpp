// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/errors.hpp>
#include <freeplay/record.hpp>
#include <freeplay/run.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Result files: HDF5, readable without Freeplay. Written to a temporary name while the run goes on
// and renamed when complete; a failed or interrupted run leaves OUT.partial.h5.
namespace freeplay {

/// OUT.h5 -> OUT.partial.h5: where a result is until it is complete.
[[nodiscard]] std::filesystem::path partial_path(const std::filesystem::path& file);

/// Names of the components of a row: none for a scalar, x y, x y z, or w x y z.
[[nodiscard]] std::vector<std::string> component_names(int width);

/// SHA-256 of write_model(model), settings included: which model a result belongs to.
[[nodiscard]] std::string model_digest(const Model& model);

/// "done", "failed", "audit_broken", "interrupted"
[[nodiscard]] std::string_view name_of(RunStatus status);

/// Streams a run into a result file. Rows of the steps wait in memory, as many as are kept (see
/// Record), and everything is on the disk every few seconds. A row with a number that is not finite
/// is refused by an IoError naming it; the file then still takes `end`.
class Recorder : public Observer {
 public:
  struct Options {
    std::string command;  ///< command line, stored for the record
    std::uint64_t seed = 0;
    bool resume = false;  ///< append to FILE.partial.h5 left by an interrupted run
    Record record = {};   ///< what is kept
  };
  /// Throws IoError when the place cannot be written. Nothing appears under `file` until the end.
  Recorder(std::filesystem::path file, Options options);
  ~Recorder() override;

  void begin(const RunHeader&) override;
  void step(const State&, std::span<const double> row, const StepInfo&) override;
  void uniform(double time, std::span<const double> row) override;
  void event(const Event&) override;
  void impact(const Impact&) override;
  bool wants_checkpoint() override;
  void checkpoint(const State&, const RunResult& so_far) override;
  void end(const RunResult&) override;

  /// Where the result now is: `file`, or the partial file after a failure.
  [[nodiscard]] const std::filesystem::path& path() const;

  /// Why the file could not be written; empty while all is well. Set when a call threw for that
  /// reason.
  [[nodiscard]] const std::string& write_error() const;

  /// How the run ended, counting also what a resumed run did before it was interrupted.
  [[nodiscard]] const RunResult& total() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// The file is sound, but what was asked for is not in it: an unknown series, a time outside the
/// run.
class NotInResult : public IoError {
 public:
  using IoError::IoError;
};

/// A stored series: one component or a whole vector.
struct Series {
  Channel channel;  ///< as stored; width and unit of what was asked for
  std::vector<double> time;
  std::vector<double> values;  ///< row-major, channel.width numbers per time
};

/// How far a run agrees with one of the same model at a finer tolerance or step, on its uniform
/// grid: what "converged" may be said of.
struct Trust {
  std::string knob;                     ///< "tolerance" or "step"
  double value = 0;                     ///< of the finer run
  double difference = 0, rotation = 0;  ///< largest of any body; m, rad
  double length = 0;                    ///< characteristic length of the mechanism; m
  /// Up to there both are below 1e-6 of that length and of a radian; s. `end`: of the comparison.
  double until = 0, end = 0;
};
/// Notes it in a complete result file.
void store_trust(const std::filesystem::path& file, const Trust& trust);

/// Lowest and highest value of one component of a series, and when; s.
struct Extremes {
  double min = 0, max = 0, at_min = 0, at_max = 0;
};

/// Reads a result file. Every function throws IoError with a reason when the file is not what it
/// claims.
class Result {
 public:
  explicit Result(const std::filesystem::path& file);
  ~Result();
  Result(Result&&) noexcept;

  [[nodiscard]] bool complete() const;
  /// Which of the steps it keeps, in words; empty for files of earlier versions, which have all.
  [[nodiscard]] std::string kept() const;
  /// False where the model or the command line wanted the uniform grid alone.
  [[nodiscard]] bool has_steps() const;
  /// Whether the seal that a finished file ends with is there: every byte is as it was written. A
  /// file that says it is complete and has none was cut short behind its last number, or changed by
  /// another program.
  [[nodiscard]] bool sealed() const;
  [[nodiscard]] const std::filesystem::path& path() const;
  /// As text: "created", or "solver/cpu_seconds".
  [[nodiscard]] std::string attribute(const std::string& name) const;
  [[nodiscard]] std::string model_text() const;    ///< resolved
  [[nodiscard]] std::string model_source() const;  ///< as the user wrote it; may be empty
  [[nodiscard]] std::vector<Channel> channels() const;
  [[nodiscard]] std::vector<Event> events() const;
  [[nodiscard]] std::vector<Impact> impacts() const;
  /// How the run ended; without its final state.
  [[nodiscard]] RunResult total() const;

  /// "bodies/rocker/position.z" or "uniform/bodies/rocker/position". An unknown path throws
  /// NotInResult with the nearest known one.
  [[nodiscard]] Series series(const std::string& path) const;

  /// Rows of the accepted steps, or of the uniform grid; and a few of them, for files larger than
  /// memory.
  [[nodiscard]] std::size_t rows(bool uniform) const;
  [[nodiscard]] Series series(const std::string& path, std::size_t first, std::size_t count) const;

  /// Value of a series at a time, stored or not: where it is not, the run is gone on with from the
  /// state before, with the very steps that it took.
  [[nodiscard]] std::vector<double> at(const std::string& path, double time) const;

  /// All that is stored of a series: the accepted steps and the uniform grid in one, in order of
  /// time.
  [[nodiscard]] Series dense(const std::string& path) const;

  /// True extremes of each component of a series, between the stored instants too: where it may
  /// rise above all of them, the run is integrated anew. Of a uniform series, those of its rows.
  [[nodiscard]] std::vector<Extremes> extremes(const std::string& path) const;

  /// What was found out about its convergence; null when nobody asked.
  [[nodiscard]] std::optional<Trust> trust() const;

  /// What the numbers of its states are.
  [[nodiscard]] std::shared_ptr<const Layout> layout() const;

  /// The stored state at or before a time.
  [[nodiscard]] State state_before(double time) const;
  /// The last state from which the run goes on to the last bit, with its step memory.
  [[nodiscard]] State checkpoint() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// Writes steps.csv, uniform.csv, events.csv and impacts.csv into a directory, which is made if
/// need be: header `name [unit]`, decimal points, numbers that read back exactly. Returns what was
/// written.
std::vector<std::filesystem::path> export_csv(const Result& result,
                                              const std::filesystem::path& directory);

}  // namespace freeplay
