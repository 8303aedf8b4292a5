// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace freeplay::cli {
namespace {

bool output_ended = false;  // the one state of the process that standard output has anyway
int output_error = 0;

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool coloured(std::FILE* stream) {
  const char* no = std::getenv("NO_COLOR");
  return is_terminal(stream) && (!no || !*no);
}

// Whatever a file or a name contains, a message is one line and commands no terminal.
std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = c == '\n' ? ' ' : '?';
  return out;
}

void message(const char* colour, const char* kind, std::string_view text) {
  std::fflush(stdout);  // in the order in which things were said
  const bool colours = coloured(stderr);
  const auto line = fmt::format("{}freeplay:{} {}{}\n", colours ? colour : "",
                                colours ? "\033[0m" : "", kind, one_line(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// Columns are measured in characters, not in bytes of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.e") == text.npos;
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 3600) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  if (seconds < 48 * 3600) return fmt::format("{:.0f} h", std::ceil(seconds / 3600));
  return fmt::format("{:.0f} days", std::ceil(seconds / 86400));
}

}  // namespace

bool is_terminal_stderr() { return is_terminal(stderr); }

void open_standard_streams() {
  // The lowest free number is what open() returns.
  for (int descriptor = open("/dev/null", O_RDWR); descriptor >= 0;
       descriptor = open("/dev/null", O_RDWR)) {
    if (descriptor <= 2) continue;
    close(descriptor);
    return;
  }
}

bool print(std::string_view text) {
  if (output_ended) return false;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return true;
  output_ended = true;
  output_error = errno;
  return false;
}

int finish_output(int status) {
  if (!output_ended && std::fflush(stdout) != 0) {
    output_ended = true;
    output_error = errno;
  }
  if (!output_ended || output_error == EPIPE) return status;
  complain("cannot write to standard output: " + std::generic_category().message(output_error));
  return status == 0 ? 5 : status;
}

void complain(std::string_view text) { message("\033[1;31m", "", text); }
void warn(std::string_view text) { message("\033[1;33m", "warning: ", text); }
void note(std::string_view text) { message("\033[1m", "note: ", text); }

std::string bold(std::string_view text) {
  return coloured(stdout) ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
}

std::string digits15(double value) { return fmt::format("{:.15g}", value); }
std::string bytes_text(double count) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int i = 0;
  for (; count >= 1000 && i < 5; ++i) count /= 1000;
  return fmt::format("{:.3g} {}", count, units[i]);
}

std::string brief(double value) { return fmt::format("{:.4g}", value); }

Table::Table(std::vector<std::string> headings) {
  if (headings.empty()) return;
  rows_.push_back(std::move(headings));
  headed_ = true;
}

void Table::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t k = 0; k < rows_[i].size(); ++k) {
      if (k == widths.size()) {
        widths.push_back(0);
        right.push_back(headed_);
      }
      widths[k] = std::max(widths[k], width_of(rows_[i][k]));
      if (i > 0 && !is_number(rows_[i][k]) && rows_[i][k] != "-") right[k] = false;
    }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string gap(widths[k] - width_of(row[k]), ' ');
      line += "  " + (right[k] ? gap + row[k] : row[k] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

ProgressBar::ProgressBar(bool wanted) : wanted_(wanted && is_terminal(stderr)) {}
ProgressBar::~ProgressBar() { clear(); }

double ProgressBar::seconds_left(double fraction) const {
  // Recent means the last half of the time spent: a run that slows down in its contacts says so
  // soon.
  const double now = history_.back().first;
  auto since = history_.front();
  for (const auto& point : history_)
    if (point.first <= 0.5 * now) since = point;
  const double speed = (fraction - since.second) / std::max(now - since.first, 1e-9);
  return speed > 0 ? (1 - fraction) / speed : INFINITY;
}

void ProgressBar::show(double fraction, const std::string& label) {
  if (!wanted_) return;
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  history_.emplace_back(elapsed, fraction);
  if (history_.size() > 400) {  // every second one is enough
    std::deque<std::pair<double, double>> thinned;
    for (std::size_t i = 0; i < history_.size(); i += 2) thinned.push_back(history_[i]);
    history_ = std::move(thinned);
  }
  if (elapsed < 1 || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  visible_ = true;
  constexpr int kCells = 24;
  const int full = static_cast<int>(kCells * std::clamp(fraction, 0.0, 1.0));
  const double left = seconds_left(fraction);
  const auto line = fmt::format(
      "\r[{}{}] {:3.0f} %  {}  {}\033[K", std::string(static_cast<std::size_t>(full), '#'),
      std::string(static_cast<std::size_t>(kCells - full), '.'), 100 * fraction, label,
      std::isfinite(left) ? "about " + duration(left) + " left" : "");
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!visible_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace freeplay::cli
