// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"
#include "io/text.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

// Exceptions of the engine become those of freeplay/_errors.py: same names, same words.
namespace freeplay::python {
namespace {

py::object issue_of(const Issue& issue, const py::object& type) {
  // Whoever writes Python did not write `--set`.
  const bool by_set = issue.file == "--set";
  return type(by_set ? std::string() : issue.file, issue.line, issue.column, issue.path,
              issue.message, issue.hint, issue.fatal);
}

void raise(const char* type, const py::object& argument) {
  const py::object made = py::module_::import("freeplay._errors").attr(type)(argument);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const ModelError& error) {
    raise("ModelError", issues_of(error.issues()));
  } catch (const AssemblyError& error) {
    raise("AssemblyError", py::str(error.what()));
  } catch (const NotInResult& error) {
    raise("PathError", py::str(error.what()));
  } catch (const IoError& error) {
    raise("IoError", py::str(error.what()));
  }
}

}  // namespace

py::list issues_of(const std::vector<Issue>& issues) {
  const py::object type = py::module_::import("freeplay._errors").attr("Issue");
  py::list out;
  for (const Issue& issue : issues) out.append(issue_of(issue, type));
  return out;
}

void bind_errors(py::module_& module) {
  py::register_exception_translator(&translate);
  module.def(
      "did_you_mean",
      [](const std::string& word, const std::vector<std::string>& known) {
        return io::did_you_mean(word, known);
      },
      py::arg("word"), py::arg("known"),
      "\"did you mean 'radial'?\", a list of what there is, or nothing.");
  module.def(
      "nearest",
      [](const std::string& word, const std::vector<std::string>& known) {
        return io::nearest(word, known);
      },
      py::arg("word"), py::arg("known"), "The candidate most likely meant; empty if none is near.");
}

}  // namespace freeplay::python
