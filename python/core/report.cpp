// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "core.hpp"
#include "report/figure.hpp"
#include "report/study_page.hpp"
#include <freeplay/result.hpp>

// Results to look at. All of it reads files, as the command line does.
namespace freeplay::python {
namespace {

using Files = std::vector<std::filesystem::path>;

std::vector<Result> opened(const Files& files) {
  std::vector<Result> out;
  out.reserve(files.size());
  for (const auto& file : files) out.emplace_back(file);
  return out;
}

std::string report_of(const Files& files) {
  const py::gil_scoped_release released;
  return report::render(opened(files));
}

py::bytes figure_of(const Files& files, const std::vector<std::string>& series,
                    const std::string& against, const std::string& name, double width,
                    double height, double dpi) {
  report::FigureRequest request{.series = series, .against = std::nullopt};
  if (!against.empty()) request.against = against;
  // A phase portrait wants to be about square.
  const double high = height > 0 ? height : against.empty() ? 60 : 0.7 * width;
  const auto format = report::figure_format(name);
  if (!format)
    throw py::value_error("a picture is FILE.svg, FILE.pdf or FILE.png, not '" + name + "'");
  std::string picture;
  {
    const py::gil_scoped_release released;
    picture = report::draw(report::figure_of(opened(files), request), *format, {width, high, dpi});
  }
  return picture;
}

}  // namespace

void bind_report(py::module_& module) {
  module.def("report", &report_of, py::arg("files"), "The page of `freeplay report`.");
  module.def(
      "study_report",
      [](const std::filesystem::path& file) {
        const py::gil_scoped_release released;
        return report::render_study(file);
      },
      py::arg("file"), "The page of a study.");
  module.def("figure", &figure_of, py::arg("files"), py::arg("series"), py::arg("against"),
             py::arg("name"), py::arg("width"), py::arg("height"), py::arg("dpi"),
             "The picture of `freeplay plot`.");
  module.def(
      "export_csv",
      [](const std::filesystem::path& file, const std::filesystem::path& folder) {
        const py::gil_scoped_release released;
        return export_csv(Result(file), folder);
      },
      py::arg("file"), py::arg("folder"), "Tables for other programs.");
}

}  // namespace freeplay::python
