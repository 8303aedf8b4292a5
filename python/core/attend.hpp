// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core.hpp"

#include <atomic>
#include <chrono>
#include <functional>

// Long work beside Python, without the interpreter's lock, that hears Ctrl-C and shows how far it
// is.
namespace freeplay::python {

/// Does `work` in a thread of its own, for work that cannot look up by itself, and returns None; or
/// the exception that a signal or `look` (called some fifty times a second, with the lock) raised
/// meanwhile: `stop` was then set, for `work` to end early, and it has ended. What `work` throws is
/// thrown here.
[[nodiscard]] py::object attend(std::atomic<bool>& stop, const std::function<void()>& work,
                                const std::function<void()>& look = {});

/// The same for work that looks up by itself, in the calling thread: a thread costs as much as a
/// short run.
class Lookout {
 public:
  /// With the lock.
  Lookout(std::atomic<bool>& stop, std::function<void()> look, bool shows);
  /// Called by the work as often as it likes, without the lock, which is taken when it is time to
  /// look and there is something to be heard or shown.
  void glance();
  /// What was raised meanwhile, or None.
  [[nodiscard]] const py::object& raised() const { return raised_; }

 private:
  std::atomic<bool>& stop_;
  std::function<void()> look_;
  bool wanted_;  ///< only the main thread hears signals
  std::chrono::steady_clock::time_point last_;
  py::object raised_ = py::none();
};

/// How far work has come: written by its thread, read by the one that attends.
class Progress {
 public:
  /// `show(fraction, text)`, or None.
  explicit Progress(py::object show) : show_(std::move(show)) {}
  void tell(double fraction, double where) {
    where_ = where;
    fraction_ = fraction;
  }
  [[nodiscard]] bool wanted() const { return !show_.is_none(); }
  /// With the lock.
  void look() {
    const double fraction = fraction_;
    if (!wanted() || fraction == shown_) return;
    shown_ = fraction;
    show_(fraction, where_.load());
  }

 private:
  py::object show_;
  std::atomic<double> fraction_{-1}, where_{0};
  double shown_ = -1;
};

}  // namespace freeplay::python
