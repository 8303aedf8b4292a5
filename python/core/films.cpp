// SPDX-License-Identifier: Apache-2.0
#include "films/catalogue.hpp"
#include "films/chart.hpp"
#include "films/evaluate.hpp"
#include "io/text.hpp"
#include "law_arguments.hpp"

#include <array>
#include <cmath>

// Oil films, transitions and bushings on arrays; the chart of a journal bearing.
namespace freeplay::python {
namespace {

using films::FilmSite;
using namespace py::literals;

films::FilmLaw film_law(const std::string& key, const py::dict& parameters) {
  auto law = make_law<films::FilmLaw>(key, parameters, films::film_catalogue());
  if (const auto faults = films::faults(law); !faults.empty()) refuse(key, faults);
  return law;
}

FilmSite site_of(const films::FilmLaw& law, const py::dict& given) {
  FilmSite site = std::visit([]<class L>(const L&) -> FilmSite { return L::sample_site; }, law);
  if (given.empty()) return site;
  site = {};
  site.spherical = films::is_spherical(law);
  for (const auto& [name, value] : given) {
    const auto key = name.cast<std::string>();
    if (key == "radius")
      site.radius = quantity(key, value, "m");
    else if (key == "clearance")
      site.clearance = quantity(key, value, "m");
    else if (key == "length")
      site.length = quantity(key, value, "m");
    else
      throw py::type_error("a film site has no " + key);
  }
  return site;
}

class PreparedFilm {
 public:
  PreparedFilm(const std::string& key, const py::dict& parameters, const py::dict& site)
      : law_(film_law(key, parameters)) {
    const FilmSite where = site_of(law_, site);
    if (const std::string why = films::misfit(law_, where); !why.empty())
      throw py::value_error("the law '" + key + "' " + why);
    const py::gil_scoped_release released;  // a table may take seconds
    films::prepare(law_, where);
  }
  [[nodiscard]] bool spherical() const { return films::is_spherical(law_); }
  [[nodiscard]] py::dict derived() const { return dict_of(films::derived(law_)); }

  /// [n, 6] ex, ey, ex', ey', spin of the bearing, spin of the journal -> [n, 4] fx, fy, torques.
  [[nodiscard]] py::array journal(const Numbers& motion) const {
    const py::ssize_t n = rows(motion, 6);
    if (spherical()) throw py::type_error("a law for a ball, not for a journal");
    Numbers out({n, py::ssize_t{4}});
    for (py::ssize_t i = 0; i < n; ++i) {
      const double* m = motion.data() + 6 * i;
      const auto f =
          films::journal_force(law_, films::FilmMotion<double>{m[0], m[1], m[2], m[3], m[4], m[5]});
      double* to = out.mutable_data() + 4 * i;
      to[0] = f.fx, to[1] = f.fy, to[2] = f.torque_inner, to[3] = f.torque_outer;
    }
    return out;
  }
  /// [n, 12] e, e', spin of the socket, spin of the ball -> [n, 9] force, torques on ball, socket.
  [[nodiscard]] py::array ball(const Numbers& motion) const {
    const py::ssize_t n = rows(motion, 12);
    if (!spherical()) throw py::type_error("a law for a journal, not for a ball");
    Numbers out({n, py::ssize_t{9}});
    for (py::ssize_t i = 0; i < n; ++i) {
      const Eigen::Map<const Eigen::Matrix<double, 3, 4>> m(motion.data() + 12 * i);
      const auto f = films::ball_force(
          law_, films::BallMotion<double>{m.col(0), m.col(1), m.col(2), m.col(3)});
      Eigen::Map<Eigen::Matrix<double, 3, 3>> to(out.mutable_data() + 9 * i);
      to.col(0) = f.force, to.col(1) = f.torque_inner, to.col(2) = f.torque_outer;
    }
    return out;
  }

 private:
  [[nodiscard]] static py::ssize_t rows(const Numbers& motion, py::ssize_t width) {
    if (motion.ndim() != 2 || motion.shape(1) != width)
      throw py::value_error("expected " + std::to_string(width) + " numbers a row");
    return motion.shape(0);
  }
  films::FilmLaw law_;
};

/// Shares of film and contact at eccentricities.
py::tuple transition_shares(const std::string& key, const py::dict& parameters,
                            const Numbers& eccentricity, double clearance) {
  const auto law = make_law<films::TransitionLaw>(key, parameters, films::transition_catalogue());
  if (const auto faults = films::faults(law); !faults.empty()) refuse(key, faults);
  Numbers film(eccentricity.size()), dry(eccentricity.size());
  for (py::ssize_t i = 0; i < eccentricity.size(); ++i)
    std::visit(
        [&](const auto& l) {
          const auto shares = l.shares(eccentricity.data()[i], clearance);
          film.mutable_data()[i] = shares.film;
          dry.mutable_data()[i] = shares.dry;
        },
        law);
  return py::make_tuple(film, dry);
}

py::array bushing_force(const std::string& key, const py::dict& parameters,
                        const Numbers& displacement, const Numbers& rate) {
  const auto law = make_law<films::BushingLaw>(key, parameters, films::bushing_catalogue());
  if (const auto faults = films::faults(law); !faults.empty()) refuse(key, faults);
  const py::ssize_t n = common_size({&displacement, &rate});
  Numbers out(n);
  for (py::ssize_t i = 0; i < n; ++i)
    out.mutable_data()[i] = std::visit(
        [&](const auto& l) {
          return l.force(Vec3(displacement.data()[i], 0, 0), Vec3(rate.data()[i], 0, 0))[0];
        },
        law);
  return out;
}

// ---- the chart

py::dict dict_of(const films::BearingPoint& p) {
  const auto four = [](const std::array<double, 4>& v) {
    Numbers out({2, 2});
    std::copy(v.begin(), v.end(), out.mutable_data());
    return out;
  };
  return py::dict("ratio"_a = p.ratio, "attitude"_a = p.attitude, "load"_a = p.load,
                  "sommerfeld"_a = p.sommerfeld, "friction"_a = p.friction, "torque"_a = p.torque,
                  "power"_a = p.power, "min_film"_a = p.min_film, "side_flow"_a = p.side_flow,
                  "max_pressure"_a = p.max_pressure, "stiffness"_a = four(p.stiffness),
                  "damping"_a = four(p.damping), "stiffness_number"_a = four(p.stiffness_number),
                  "damping_number"_a = four(p.damping_number), "critical_mass"_a = p.critical_mass,
                  "cells_around"_a = p.cells_around, "cells_along"_a = p.cells_along,
                  "load_error"_a = p.load_error, "stiffness_error"_a = p.stiffness_error);
}

/// One dictionary a ratio, or one for the load; None where nothing carries it.
py::list bearing_chart(const std::string& key, const py::dict& parameters, const py::dict& site,
                       const py::object& speed, const std::vector<double>& ratios,
                       const py::object& load, bool inlet) {
  films::BearingCase bearing;
  bearing.law = film_law(key, parameters);
  bearing.site = site_of(bearing.law, site);
  bearing.speed = quantity("speed", speed, "rad/s");
  bearing.inlet_at_widest_gap = inlet;
  // A grid the user chose is kept.
  bearing.refine = !parameters.contains("cells_around") && !parameters.contains("cells_along");
  for (const auto& [name, value] :
       {std::pair{"radius", bearing.site.radius}, std::pair{"clearance", bearing.site.clearance},
        std::pair{"length", bearing.site.length}, std::pair{"speed", bearing.speed}})
    if (!(value > 0) || !std::isfinite(value))
      throw py::value_error(std::string(name) + ": " + io::brief(value) + " is not positive");
  if (const std::string why = films::misfit(bearing.law, bearing.site); !why.empty())
    throw py::value_error("law '" + key + "': " + why);
  if (inlet && !laws::find_parameter(bearing.law, "grooves"))
    throw py::value_error("inlet needs one of the reynolds laws");
  py::list out;
  const auto add = [&](auto&& find) {
    std::optional<films::BearingPoint> point;
    {
      const py::gil_scoped_release released;
      point = find();
    }
    out.append(point ? py::object(dict_of(*point)) : py::none());
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  };
  if (!load.is_none()) {
    const double newtons = quantity("load", load, "N");
    if (!(newtons > 0) || !std::isfinite(newtons))
      throw py::value_error("load: " + io::brief(newtons) + " is not positive");
    add([&] { return films::point_at_load(bearing, newtons); });
    return out;
  }
  for (const double ratio : ratios) {
    if (!(ratio > 0 && ratio < 1))
      throw py::value_error("ratio: " + io::brief(ratio) + " is not between 0 and 1");
    add([&] { return films::point_at_ratio(bearing, ratio); });
  }
  return out;
}

}  // namespace

void bind_films(py::module_& module) {
  module.def("film_catalogue", [] { return list_of(films::film_catalogue()); });
  module.def("transition_catalogue", [] { return list_of(films::transition_catalogue()); });
  module.def("bushing_catalogue", [] { return list_of(films::bushing_catalogue()); });
  py::class_<PreparedFilm>(module, "PreparedFilm")
      .def(py::init<const std::string&, const py::dict&, const py::dict&>(), py::arg("key"),
           py::arg("parameters"), py::arg("site"))
      .def("spherical", &PreparedFilm::spherical)
      .def("derived", &PreparedFilm::derived)
      .def("journal", &PreparedFilm::journal, py::arg("motion"))
      .def("ball", &PreparedFilm::ball, py::arg("motion"));
  module.def("transition_shares", &transition_shares, py::arg("key"), py::arg("parameters"),
             py::arg("eccentricity"), py::arg("clearance"));
  module.def("bushing_force", &bushing_force, py::arg("key"), py::arg("parameters"),
             py::arg("displacement"), py::arg("rate"));
  module.def("bearing_chart", &bearing_chart, py::arg("key"), py::arg("parameters"),
             py::arg("site"), py::arg("speed"), py::arg("ratios"), py::arg("load"),
             py::arg("inlet"));
}

}  // namespace freeplay::python
