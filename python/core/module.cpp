// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"
#include <freeplay/version.hpp>

PYBIND11_MODULE(_core, module) {
  namespace python = freeplay::python;
  module.doc() = "The engine of Freeplay. Use the package `freeplay`, which is made of it.";
  module.def("version", &freeplay::version, "Version of the engine: \"0.1.0\".");
  python::bind_errors(module);
  python::bind_model(module);
  python::bind_result(module);
  python::bind_run(module);
  python::bind_simulator(module);
  python::bind_study(module);
  python::bind_laws(module);
  python::bind_own_laws(module);
  python::bind_films(module);
  python::bind_report(module);
  python::bind_gallery(module);
}
