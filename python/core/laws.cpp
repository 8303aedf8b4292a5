// SPDX-License-Identifier: Apache-2.0
#include "law_arguments.hpp"

#include <cmath>

// Contact and friction laws on arrays.
namespace freeplay::python {
namespace {

using laws::ContactSite;

// ---- contact

/// What is known of the contact: by default the site of the law's worked samples.
ContactSite site_of(const laws::ContactLaw& law, const py::dict& given) {
  ContactSite site =
      std::visit([]<class L>(const L&) -> ContactSite { return L::sample_site; }, law);
  if (given.empty()) return site;
  site = {};
  for (const auto& [name, value] : given) {
    const auto key = name.cast<std::string>();
    if (key == "composite_modulus")
      site.composite_modulus = quantity(key, value, "Pa");
    else if (key == "outer_radius")
      site.outer_radius = quantity(key, value, "m");
    else if (key == "inner_radius")
      site.inner_radius = quantity(key, value, "m");
    else if (key == "length")
      site.length = quantity(key, value, "m");
    else if (key == "face_half_width")
      site.face_half_width = quantity(key, value, "m");
    else if (key == "mass")
      site.mass = quantity(key, value, "kg");
    else if (key == "spherical")
      site.spherical = value.cast<bool>();
    else if (key == "external_curvature")
      site.external_curvature = value.cast<bool>();
    else
      throw py::type_error("a contact site has no " + key);
  }
  return site;
}

class PreparedContact {
 public:
  PreparedContact(const std::string& key, const py::dict& parameters, const py::dict& site)
      : law_(make_law<laws::ContactLaw>(key, parameters, laws::contact_catalogue())) {
    if (const auto faults = laws::faults(law_); !faults.empty()) refuse(key, faults);
    const ContactSite where = site_of(law_, site);
    if (const std::string why = laws::misfit(law_, where); !why.empty())
      throw py::value_error("the law '" + key + "' " + why);
    laws::prepare(law_, where);
  }

  [[nodiscard]] py::array force(const Numbers& depth, const Numbers& rate, const Numbers& approach,
                                double mass_ratio) const {
    const py::ssize_t n = common_size({&depth, &rate, &approach});
    Numbers out(n);
    const double *d = depth.data(), *v = rate.data(), *v0 = approach.data();
    double* to = out.mutable_data();
    std::visit(
        [&](const auto& law) {
          for (py::ssize_t i = 0; i < n; ++i)
            to[i] = d[i] > 0 ? law.force(laws::Contact<>{d[i], v[i], v0[i], mass_ratio}) : 0;
        },
        law_);
    return out;
  }
  [[nodiscard]] py::array elastic(const Numbers& depth) const {
    return over(depth, [](const auto& law, double d) { return law.elastic(d); });
  }
  [[nodiscard]] py::array potential(const Numbers& depth) const {
    return over(depth, [](const auto& law, double d) { return law.potential(d); });
  }
  [[nodiscard]] py::dict derived() const { return dict_of(laws::derived(law_)); }
  [[nodiscard]] bool impulsive() const {
    return std::visit([]<class L>(const L&) { return L::impulsive; }, law_);
  }

 private:
  template <class F>
  [[nodiscard]] py::array over(const Numbers& depth, F&& value) const {
    Numbers out(depth.size());
    double* to = out.mutable_data();
    std::visit(
        [&](const auto& law) {
          for (py::ssize_t i = 0; i < depth.size(); ++i)
            to[i] = depth.data()[i] > 0 ? value(law, depth.data()[i]) : 0;
        },
        law_);
    return out;
  }
  laws::ContactLaw law_;
};

// ---- friction, along a line

class PreparedFriction {
 public:
  PreparedFriction(const std::string& key, const py::dict& parameters)
      : law_(make_law<laws::FrictionLaw>(key, parameters, laws::friction_catalogue())) {
    if (const auto faults = laws::faults(law_); !faults.empty()) refuse(key, faults);
  }

  [[nodiscard]] int states() const {
    return std::visit([]<class L>(const L&) { return L::states; }, law_);
  }

  /// Force on the inner part, and the rate of the bristles; [n, states], both empty for slip laws.
  [[nodiscard]] py::tuple force(const Numbers& velocity, const Numbers& load,
                                const Numbers& load_rate, const Numbers& bristles) const {
    const py::ssize_t n = common_size({&velocity, &load, &load_rate});
    const auto states = static_cast<py::ssize_t>(this->states());
    if (bristles.size() != n * states)
      throw py::value_error("bristles: expected " + std::to_string(states) + " numbers a point");
    Numbers out(n), rates(n * states);
    double *to = out.mutable_data(), *rate_to = rates.mutable_data();
    std::visit(
        [&]<class L>(const L& law) {
          for (py::ssize_t i = 0; i < n; ++i) {
            const laws::Slip<> slip{{velocity.data()[i], 0, 0}, load.data()[i]};
            if constexpr (L::states == 0) {
              to[i] = law.force(slip)[0];
            } else {
              const laws::BristleState<double, L::states> z =
                  Eigen::Map<const laws::BristleState<double, L::states>>(bristles.data() +
                                                                          i * L::states);
              const auto rate = law.evaluate(slip, load_rate.data()[i], z);
              to[i] = rate.force[0];
              for (int k = 0; k < L::states; ++k) rate_to[i * L::states + k] = rate.rate[k];
            }
          }
        },
        law_);
    return py::make_tuple(out, rates);
  }
  [[nodiscard]] py::array bound(const Numbers& speed) const {
    Numbers out(speed.size());
    for (py::ssize_t i = 0; i < speed.size(); ++i)
      out.mutable_data()[i] =
          std::visit([&](const auto& law) { return law.bound(std::abs(speed.data()[i])); }, law_);
    return out;
  }

 private:
  laws::FrictionLaw law_;
};

}  // namespace

void bind_laws(py::module_& module) {
  module.def(
      "quantity",
      [](const py::object& value, const std::string& unit) {
        return quantity("value", value, unit);
      },
      py::arg("value"), py::arg("unit"),
      "A number in SI units; of a string with a unit, which has to fit.");
  module.def("contact_catalogue", [] { return list_of(laws::contact_catalogue()); });
  module.def("friction_catalogue", [] { return list_of(laws::friction_catalogue()); });

  py::class_<PreparedContact>(module, "PreparedContact")
      .def(py::init<const std::string&, const py::dict&, const py::dict&>(), py::arg("key"),
           py::arg("parameters"), py::arg("site"))
      .def("force", &PreparedContact::force, py::arg("depth"), py::arg("rate"), py::arg("approach"),
           py::arg("mass_ratio"))
      .def("elastic", &PreparedContact::elastic, py::arg("depth"))
      .def("potential", &PreparedContact::potential, py::arg("depth"))
      .def("derived", &PreparedContact::derived)
      .def("impulsive", &PreparedContact::impulsive);

  py::class_<PreparedFriction>(module, "PreparedFriction")
      .def(py::init<const std::string&, const py::dict&>(), py::arg("key"), py::arg("parameters"))
      .def("states", &PreparedFriction::states)
      .def("force", &PreparedFriction::force, py::arg("velocity"), py::arg("load"),
           py::arg("load_rate"), py::arg("bristles"))
      .def("bound", &PreparedFriction::bound, py::arg("speed"));
}

}  // namespace freeplay::python
