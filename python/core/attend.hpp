// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core.hpp"

#include <atomic>
#include <functional>

// Long work beside Python: it goes on in a thread of its own without the interpreter's lock, while
// the calling thread listens for Ctrl-C and shows how far it is.
namespace freeplay::python {

/// Does `work` and returns None; or the exception that a signal or `look` (called some fifty times
/// a second, with the lock) raised meanwhile: `stop` was then set, for `work` to end early, and it
/// has ended. What `work` throws is thrown here.
[[nodiscard]] py::object attend(std::atomic<bool>& stop, const std::function<void()>& work,
                                const std::function<void()>& look = {});

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
