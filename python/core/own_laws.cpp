// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"
#include "laws/plugin_law.hpp"
#include <freeplay/plugins.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <string>
#include <vector>

// Laws of a Python program behind the C interface of plug-ins (<freeplay/plugin.h>): an address of
// compiled code as it is, a callable through one function that takes the interpreter's lock.
namespace freeplay::python {
namespace {

using ParameterList =
    std::vector<std::tuple<std::string, std::string, std::string, double, double, double>>;
using Clock = std::chrono::steady_clock;

/// A Python callable as a law. Runs keep it as long as they need it.
struct Callable {
  PyObject* function = nullptr;
  /// Its arguments: numbers of the place, then the parameters.
  std::vector<int> arguments;
  int moving = 0;  // how many numbers a place has; parameters come behind
  bool exact = false;
  std::atomic<std::int64_t> calls{0}, nanoseconds{0};
  /// Since something was raised the law has no value, so that everything that asks it ends soon.
  std::atomic<bool> broken{false};
  PyObject* raised = nullptr;  // with the lock of the interpreter

  Callable() = default;
  Callable(const Callable&) = delete;
  Callable& operator=(const Callable&) = delete;
  ~Callable() {
    if (!Py_IsInitialized()) return;  // the last run may outlive the interpreter
    const py::gil_scoped_acquire held;
    Py_XDECREF(function);
    Py_XDECREF(raised);
  }
};

/// What was returned: a number, or three with slopes. False with an error set where it is neither.
bool read(PyObject* answer, bool exact, double* out) {
  if (!exact) {
    out[0] = PyFloat_AsDouble(answer);
    return !PyErr_Occurred();
  }
  PyObject* const list = PySequence_Fast(answer, "a law with exact slopes returns three numbers");
  if (!list) return false;
  bool sound = PySequence_Fast_GET_SIZE(list) == 3;
  if (!sound) PyErr_SetString(PyExc_ValueError, "a law with exact slopes returns three numbers");
  for (Py_ssize_t k = 0; sound && k < 3; ++k) {
    out[k] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(list, k));
    sound = !PyErr_Occurred();
  }
  Py_DECREF(list);
  return sound;
}

void keep_raised(Callable& law) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  law.broken = true;
  if (law.raised)
    Py_XDECREF(value);
  else
    law.raised = value;
  Py_XDECREF(type);
  Py_XDECREF(trace);
}

bool ask(Callable& law, const double* at, const double* parameters, double* out) {
  std::vector<PyObject*> numbers;
  numbers.reserve(law.arguments.size());
  bool sound = true;
  for (const int k : law.arguments) {
    PyObject* const number =
        PyFloat_FromDouble(k < law.moving ? at[k] : parameters[k - law.moving]);
    if (!number) sound = false;
    numbers.push_back(number);
  }
  PyObject* const answer =
      sound ? PyObject_Vectorcall(law.function, numbers.data(), numbers.size(), nullptr) : nullptr;
  for (PyObject* number : numbers) Py_XDECREF(number);
  sound = answer && read(answer, law.exact, out);
  Py_XDECREF(answer);
  if (!sound) keep_raised(law);
  return sound;
}

/// freeplay_evaluate of every callable.
int evaluate(const double* at, const double* parameters, int slopes, double* out, void* context) {
  Callable& law = *static_cast<Callable*>(context);
  if (law.broken || !Py_IsInitialized()) return 1;
  const auto begin = Clock::now();
  double answer[3] = {std::nan(""), std::nan(""), std::nan("")};
  bool sound = false;
  {
    const py::gil_scoped_acquire held;
    sound = ask(law, at, parameters, answer);
  }
  law.nanoseconds +=
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  ++law.calls;
  std::copy_n(answer, slopes ? 3 : 1, out);
  return sound ? 0 : 1;
}

/// Of one law that was registered here.
class Registered {
 public:
  Registered(const std::string& kind, const std::string& name, const std::string& doc,
             const ParameterList& parameters, bool exact, std::uintptr_t address,
             const py::object& function, std::vector<int> arguments, int moving) {
    std::vector<freeplay_parameter> list;
    for (const auto& [word, unit, what, fallback, least, most] : parameters)
      list.push_back({word.c_str(), unit.c_str(), what.c_str(), fallback, least, most});
    freeplay_law law{kind.c_str(),
                     name.c_str(),
                     doc.c_str(),
                     exact ? FREEPLAY_EXACT_SLOPES : FREEPLAY_FINITE_SLOPES,
                     static_cast<int>(list.size()),
                     list.data(),
                     nullptr,
                     nullptr};
    std::shared_ptr<const void> owner;
    if (address != 0) {
      law.evaluate = reinterpret_cast<freeplay_evaluate*>(address);  // NOLINT: an address it is
      owner = std::shared_ptr<PyObject>(py::object(function).release().ptr(), [](PyObject* kept) {
        if (!Py_IsInitialized()) return;
        const py::gil_scoped_acquire held;
        Py_XDECREF(kept);
      });
    } else {
      callable_ = std::make_shared<Callable>();
      callable_->function = py::object(function).release().ptr();
      callable_->arguments = std::move(arguments);
      callable_->moving = moving;
      callable_->exact = exact;
      law.evaluate = &evaluate;
      law.context = callable_.get();
      owner = callable_;
    }
    register_law(law, std::move(owner));
  }

  [[nodiscard]] std::int64_t calls() const { return callable_ ? callable_->calls.load() : 0; }
  [[nodiscard]] double seconds() const {
    return callable_ ? 1e-9 * static_cast<double>(callable_->nanoseconds.load()) : 0;
  }
  /// What the callable raised, once; from then on it may be asked again.
  [[nodiscard]] py::object take_raised() {
    if (!callable_ || !callable_->raised) return py::none();
    py::object out = py::reinterpret_steal<py::object>(std::exchange(callable_->raised, nullptr));
    callable_->broken = false;
    return out;
  }

 private:
  std::shared_ptr<Callable> callable_;
};

}  // namespace

void bind_own_laws(py::module_& module) {
  module.def("allow_plugins", &allow_plugins, py::arg("allowed"));
  module.def("plugins_allowed", &plugins_allowed);
  py::class_<Registered>(module, "RegisteredLaw")
      .def(
          py::init<const std::string&, const std::string&, const std::string&, const ParameterList&,
                   bool, std::uintptr_t, const py::object&, std::vector<int>, int>(),
          py::arg("kind"), py::arg("name"), py::arg("doc"), py::arg("parameters"), py::arg("exact"),
          py::arg("address"), py::arg("function"), py::arg("arguments"), py::arg("moving"))
      .def("calls", &Registered::calls)
      .def("seconds", &Registered::seconds)
      .def("take_raised", &Registered::take_raised);
}

}  // namespace freeplay::python
