// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the user sees: results on standard output, everything else as single lines on standard
// error.
namespace freeplay::cli {

/// Makes closed standard streams harmless: otherwise the next file opened would take their place,
/// and what is printed would end up in it.
void open_standard_streams();

/// Text on standard output. False once nobody reads it any more, so that long outputs can end
/// early.
bool print(std::string_view text);

/// Hands over what was printed; returns the exit status, which is 5 when the disk behind standard
/// output is full. A reader that went away (`| head`) is no error.
[[nodiscard]] int finish_output(int status);

/// "freeplay: message" on standard error, in one line whatever the message contains.
void complain(std::string_view message);
void warn(std::string_view message);
void note(std::string_view message);

/// Is standard error a terminal, on which a progress bar can be drawn?
[[nodiscard]] bool is_terminal_stderr();

/// On a terminal, unless NO_COLOR is set (no-color.org).
[[nodiscard]] std::string bold(std::string_view text);

/// 15 significant digits, as scripts get them; 4 for tables.
[[nodiscard]] std::string digits15(double value);
[[nodiscard]] std::string brief(double value);
/// "1.25 MB"
[[nodiscard]] std::string bytes_text(double count);

/// Columns of text with a heading; numbers to the right. An empty heading line is not printed.
class Table {
 public:
  explicit Table(std::vector<std::string> headings = {});
  void add(std::vector<std::string> row);
  /// Lines, indented by two blanks.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  bool headed_ = false;
};

/// How far a run is and how long it will still take, from its own recent speed. Shown on a terminal
/// only, and only when the work takes over a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `fraction` of the work done; `label` says where that is.
  void show(double fraction, const std::string& label);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double seconds_left(double fraction) const;

  bool wanted_, visible_ = false;
  Clock::time_point begin_ = Clock::now(), drawn_{};
  std::deque<std::pair<double, double>> history_;  // seconds since begin, fraction
};

}  // namespace freeplay::cli
