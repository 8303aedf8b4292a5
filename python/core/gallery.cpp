// SPDX-License-Identifier: Apache-2.0
#include "gallery/gallery.hpp"

#include "attend.hpp"

// The figures of the papers, run again: `freeplay reproduce`.
namespace freeplay::python {
namespace {

using namespace py::literals;

py::dict dict_of(const gallery::FigureResult& f) {
  py::list claims, diagrams;
  for (std::size_t i = 0; i < f.claims.size(); ++i) {
    const gallery::Claim& claim = f.figure.claims[i];
    py::dict measured;
    for (std::size_t e = 0; e < f.figure.editions.size(); ++e)
      measured[py::str(f.figure.editions[e].name)] = f.claims[i].measured[e].values;
    claims.append(py::dict("id"_a = claim.id, "says"_a = claim.says, "paper"_a = claim.paper,
                           "condition"_a = claim.condition(), "unit"_a = claim.unit,
                           "measured"_a = measured,
                           "verdict"_a = std::string(gallery::name_of(f.claims[i].verdict))));
  }
  for (const auto& pictures : f.pictures)
    for (const gallery::Picture& p : pictures) diagrams.append(py::make_tuple(p.caption, p.svg));
  return py::dict("name"_a = f.figure.name, "paper"_a = f.figure.paper,
                  "figure"_a = f.figure.figure, "shows"_a = f.figure.shows, "claims"_a = claims,
                  "diagrams"_a = diagrams);
}

/// The figures, the page, failures, and what was raised meanwhile.
py::tuple reproduce(const std::vector<std::filesystem::path>& files, int workers,
                    const py::object& show) {
  Progress progress(show);
  std::atomic<bool> stop{false};
  gallery::GalleryResult result;
  std::string page;
  const py::object raised = attend(
      stop,
      [&] {
        std::vector<gallery::Figure> figures;
        for (const auto& file : files) figures.push_back(gallery::read_figure(file));
        gallery::GalleryOptions options;
        options.workers = workers;
        options.stop = &stop;
        options.progress = [&](std::size_t done, std::size_t total, const std::string&) {
          progress.tell(static_cast<double>(done) / static_cast<double>(total),
                        static_cast<double>(done));
        };
        result = gallery::make_gallery(std::move(figures), options);
        if (!result.interrupted) page = gallery::page_of(result);
      },
      [&] { progress.look(); });
  py::list figures;
  if (!result.interrupted)
    for (const gallery::FigureResult& f : result.figures) figures.append(dict_of(f));
  return py::make_tuple(figures, page, result.failures, raised);
}

}  // namespace

void bind_gallery(py::module_& module) {
  module.def("reproduce", &reproduce, py::arg("files"), py::arg("workers"), py::arg("show"));
}

}  // namespace freeplay::python
