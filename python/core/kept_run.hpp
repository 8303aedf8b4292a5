// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>
#include <freeplay/record.hpp>
#include <freeplay/run.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

// A run kept in memory: all that a result file holds, in tables of numbers row behind row, of which
// series are strided views.
namespace freeplay::python {

/// Rows of equal length that grow at the end. Large blocks are moved by the system, not copied, so
/// that growing costs neither time nor twice the memory.
template <class T>
class Rows {
 public:
  Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() { std::free(data_); }

  void set_width(std::size_t width) { width_ = width; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::span<const T> row(std::size_t i) const { return {data_ + i * width_, width_}; }
  /// A new row, not filled yet.
  [[nodiscard]] T* add() {
    if (rows_ == room_) resize(room_ == 0 ? 64 : 2 * room_);
    return data_ + width_ * rows_++;
  }
  void drop_last() { --rows_; }
  /// Gives back what is not used.
  void fit() {
    if (rows_ < room_) resize(rows_);
  }

 private:
  void resize(std::size_t rows);

  T* data_ = nullptr;
  std::size_t width_ = 0, rows_ = 0, room_ = 0;
};

class KeptRun final : public Observer {
 public:
  struct Options {
    bool steps = true;    ///< false: nothing at the accepted steps
    bool uniform = true;  ///< false: nothing on the uniform grid
    bool states = true;   ///< false: no stored states, and so no values between the steps
    bool peaks = true;    ///< largest force and depth of each contact
    Record record = {};   ///< what a file keeps of it all
  };
  KeptRun(std::shared_ptr<const Model> model, Options options)
      : model_(std::move(model)), options_(std::move(options)) {}

  void begin(const RunHeader& header) override;
  void step(const State& state, std::span<const double> row, const StepInfo& info) override;
  void uniform(double time, std::span<const double> row) override;
  void event(const Event& event) override { events_.push_back(event); }
  void impact(const Impact& impact) override { impacts_.push_back(impact); }
  void checkpoint(const State& state, const RunResult&) override { checkpoint_ = state; }
  [[nodiscard]] bool wants_peaks() const override { return options_.peaks; }
  [[nodiscard]] bool wants_rows() const override { return options_.steps; }
  void end(const RunResult& result) override;

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] const Record& record() const { return options_.record; }
  [[nodiscard]] const std::vector<Channel>& channels() const { return header_.channels; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] const std::vector<Impact>& impacts() const { return impacts_; }
  [[nodiscard]] const RunResult& total() const { return total_; }

  /// time | channels | state | memory | length of the step
  [[nodiscard]] const Rows<double>& steps() const { return steps_; }
  /// order, rejected, evaluations, jacobians
  [[nodiscard]] const Rows<std::int64_t>& counters() const { return counters_; }
  /// time | channels
  [[nodiscard]] const Rows<double>& grid() const { return uniform_; }

  /// Columns of a table: where a series is.
  struct Place {
    int offset = 0, width = 1;
    bool counter = false;
  };
  /// A channel, "time", "state/y", "solver/order" ...; nothing if there is none of that name.
  [[nodiscard]] std::optional<Place> find(const std::string& path, bool uniform) const;

  /// Values of a channel between the steps, as exact as the run itself. Throws NotInResult.
  [[nodiscard]] std::vector<double> at(const std::string& path, double time) const;

  /// Shows it all to another observer, as if the run went on now.
  void replay(Observer& to) const;

 private:
  void expect_finite(std::span<const double> row, double time) const;
  [[nodiscard]] State state_of(std::size_t row) const;
  [[nodiscard]] std::size_t state_size() const;
  [[nodiscard]] double time_of(std::size_t row) const { return steps_.row(row)[0]; }

  std::shared_ptr<const Model> model_;
  Options options_;
  RunHeader header_;
  Rows<double> steps_, uniform_;
  Rows<std::int64_t> counters_;
  std::vector<Event> events_;
  std::vector<Impact> impacts_;
  std::optional<State> checkpoint_;
  RunResult total_;
};

}  // namespace freeplay::python
