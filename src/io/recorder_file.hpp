// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/anchors.hpp"
#include "io/hdf5_file.hpp"
#include "io/row_stream.hpp"
#include "io/step_thinning.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

// What a Recorder keeps while a run goes on: taken in in result_writer.cpp, laid out in the file in
// result_streams.cpp, taken up again after an interruption in result_resume.cpp.
namespace freeplay {

struct Recorder::File {
  static constexpr std::size_t kKindBytes = 16;  // "separation" is the longest so far
  // Flushes come soon at first, so that a place that cannot be written is noticed early, and never
  // more than some seconds apart.
  static constexpr std::chrono::milliseconds kFirstFlush{500}, kFlushInterval{2000},
      kLongestInterval{10000};

  /// Record under construction: numbers one behind the other, as the streams want them.
  class Packed {
   public:
    void clear() { bytes_.clear(); }
    template <class T>
    void put(std::span<const T> values) {
      const auto bytes = std::as_bytes(values);
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    template <class T>
    void put(T value) {
      put(std::span<const T>(&value, 1));
    }
    void put_text(const std::string& text, std::size_t length) {
      put(std::span<const char>(text.data(), text.size()));
      bytes_.insert(bytes_.end(), length - text.size(), std::byte{0});
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

   private:
    std::vector<std::byte> bytes_;
  };

  static io::RowType numbers(int width) { return {io::Scalar::f64, width, {}}; }
  static io::RowType counter() { return {io::Scalar::i64, 1, {}}; }

  /// A channel that is kept.
  struct Kept {
    Channel channel;
    [[nodiscard]] std::span<const double> of(std::span<const double> row) const {
      return row.subspan(static_cast<std::size_t>(channel.offset),
                         static_cast<std::size_t>(channel.width));
    }
  };

  std::filesystem::path target, partial, now;  // now: where the result is
  Options options;
  std::optional<io::Hdf5File> hdf5;
  std::optional<io::RowStream> steps, uniform, events, impacts;
  std::vector<Kept> channels;
  RunHeader header;  // its model is gone after begin()
  /// Rows of the steps, where their number is limited; else they go to their stream at once.
  std::optional<io::StepThinning> thinning;
  bool steps_laid_out = false;  // whether the file has their datasets
  std::vector<std::byte> last;  // the last step, unless it is in its stream
  io::Anchors anchors;
  std::int64_t step_index = -1,
               event_steps = 0;  // of the last step, and how many of them had events
  double event_time = -std::numeric_limits<double>::infinity();
  bool for_anchor = false;       // the checkpoint that was asked for is no more than an anchor
  std::size_t joint_bytes = 16;  // length of names in /events, which not only joints have
  Packed record;
  double last_step = -std::numeric_limits<double>::infinity();
  double resumed_at = -std::numeric_limits<double>::infinity();
  RunResult before;  // totals of the interrupted part
  RunResult total;
  std::string write_error;
  bool begun = false;
  bool asked = false;  // whether a checkpoint is wanted, since the last step
  double flushed_until = -std::numeric_limits<double>::infinity();  // last step in the file; s
  std::chrono::steady_clock::duration interval = kFirstFlush;
  std::chrono::steady_clock::time_point next_flush = std::chrono::steady_clock::now() + interval;

  [[nodiscard]] const freeplay::Record& wishes() const { return options.record; }
  void choose_channels();
  static void describe(io::Hdf5Dataset& dataset, const std::string& unit,
                       const std::string& long_name, const std::string& frame = {});
  void describe_contact(const Model& model, JointIndex joint);
  [[nodiscard]] std::size_t step_bytes() const;
  void make_streams();
  void drop_streams() { steps.reset(), uniform.reset(), events.reset(), impacts.reset(); }
  void create(io::RowStream& stream, const std::string& path, const io::RowType& row,
              const std::string& unit, const std::string& long_name, const std::string& frame = {});
  void create_streams();
  void create_steps(std::size_t rows);
  void open_streams();
  void open_steps();
  void cut_back();
  void cut_back_steps(double until);
  void cut_back_tables();
  void put_step(const State& state, std::span<const double> row, const StepInfo& info);
  void write_all(bool at_end = false);
  void write_anchors();
  [[nodiscard]] std::string kept_steps() const;
  void flush_if_due();
  void flush(std::chrono::steady_clock::time_point begin);
  void expect_finite(std::span<const double> row, double time) const;
  void store_totals(const RunResult& result);
  void store_counters(const char* object);

  /// When the run stopped for want of room or place, and what is left of it.
  [[nodiscard]] std::string what_is_left() const;

  // After a failed write the file is let go as it was at the last flush; later calls do nothing.
  template <class F>
  void writing(F&& work) {
    if (!hdf5) return;
    try {
      work();
    } catch (const IoError& error) {
      write_error = error.what();
      if (hdf5) hdf5->abandon();
      drop_streams();
      hdf5.reset();
      write_error += what_is_left();
      throw IoError(write_error);
    }
  }
};

}  // namespace freeplay
