// SPDX-License-Identifier: Apache-2.0
#include "attend.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace freeplay::python {
namespace {

// chosen: a fifth of the tenth of a second within which Ctrl-C has to be answered
constexpr std::chrono::milliseconds kLook{20};

/// Signals and `look`, with the lock; what they raise is kept, the first of it, and ends the work.
void look_up(std::atomic<bool>& stop, const std::function<void()>& look, py::object& raised) {
  const py::gil_scoped_acquire held;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (look && !stop) look();
  } catch (py::error_already_set& error) {
    if (raised.is_none()) raised = error.value();
    stop = true;
  }
}

bool in_main_thread() {
  const py::object main = py::module_::import("threading").attr("main_thread")();
  return main.attr("ident").cast<unsigned long>() == PyThread_get_thread_ident();
}

}  // namespace

Lookout::Lookout(std::atomic<bool>& stop, std::function<void()> look, bool shows)
    : stop_(stop),
      look_(std::move(look)),
      wanted_(shows || in_main_thread()),
      last_(std::chrono::steady_clock::now()) {}

void Lookout::glance() {
  if (!wanted_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kLook) return;
  look_up(stop_, look_, raised_);
  last_ = std::chrono::steady_clock::now();
}

py::object attend(std::atomic<bool>& stop, const std::function<void()>& work,
                  const std::function<void()>& look) {
  std::exception_ptr thrown;
  py::object raised = py::none();
  {
    const py::gil_scoped_release released;
    std::mutex mutex;
    std::condition_variable changed;
    bool finished = false;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      finished = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kLook, [&] { return finished; })) {
      lock.unlock();
      look_up(stop, look, raised);
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (thrown) std::rethrow_exception(thrown);
  return raised;
}

}  // namespace freeplay::python
