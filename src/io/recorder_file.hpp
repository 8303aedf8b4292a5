// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/hdf5_file.hpp"
#include "io/row_stream.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

// What a Recorder keeps while a run goes on: written in result_writer.cpp, taken up again after an
// interruption in result_resume.cpp.
namespace freeplay {

struct Recorder::File {
  static constexpr std::size_t kKindBytes = 16;  // "separation" is the longest so far
  // Flushes come soon at first, so that a place that cannot be written is noticed early, and never
  // more than some seconds apart.
  static constexpr std::chrono::milliseconds kFirstFlush{500}, kFlushInterval{2000},
      kLongestInterval{10000};

  /// Record under construction: numbers one behind the other, as the streams want them.
  class Record {
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

  std::filesystem::path target, partial, now;  // now: where the result is
  Options options;
  std::optional<io::Hdf5File> hdf5;
  std::optional<io::RowStream> steps, uniform, events, impacts;
  std::vector<Channel> channels;
  RunHeader header;              // sizes only; its model is gone after begin()
  std::size_t joint_bytes = 16;  // length of names in /events, which not only joints have
  Record record;
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

  void describe(const std::string& path, const char* unit, const char* long_name,
                const char* frame = "");
  void describe_contact(const Model& model, JointIndex joint);
  void make_streams();
  void drop_streams() { steps.reset(), uniform.reset(), events.reset(), impacts.reset(); }
  void create_streams();
  void open_streams();
  void cut_back();
  void write_all();
  void flush_if_due();
  void flush(std::chrono::steady_clock::time_point begin);
  void expect_finite(std::span<const double> row, double time) const;
  void store_totals(const RunResult& result);

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
