// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/errors.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <vector>

// freeplay._core: the engine as the pure-Python package beside it sees it. One file per subject,
// each of which adds its part to the module. What is nice to type (attributes, units, tables,
// pictures) is written in Python, on top of these few functions.
namespace freeplay::python {

namespace py = pybind11;

/// As the list of Python objects that a ModelError carries.
py::list issues_of(const std::vector<Issue>& issues);

void bind_errors(py::module_& module);
void bind_model(py::module_& module);
void bind_result(py::module_& module);
void bind_run(py::module_& module);
void bind_simulator(py::module_& module);
void bind_study(py::module_& module);
void bind_laws(py::module_& module);
void bind_own_laws(py::module_& module);
void bind_films(py::module_& module);
void bind_report(py::module_& module);
void bind_gallery(py::module_& module);

}  // namespace freeplay::python
