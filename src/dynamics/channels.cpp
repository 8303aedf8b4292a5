// SPDX-License-Identifier: Apache-2.0
#include "dynamics/channels.hpp"

#include "core/views.hpp"
#include "dynamics/bodies/beam_line.hpp"
#include "joints/cushion.hpp"
#include "joints/worn_surface.hpp"
#include "model/force_parts.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

// The pieces of a path, put together only when it is announced: filling a row must not allocate.
struct Path {
  std::string_view group, owner, leaf, tail = {};
  [[nodiscard]] std::string text() const {
    std::string out(group);
    for (std::string_view part : {owner, leaf})
      if (!part.empty()) out += "/" + std::string(part);
    if (!tail.empty()) out += "_" + std::string(tail);
    return out;
  }
};

using Films = std::vector<std::shared_ptr<const joints::Cushion>>;

// Walks everything that is recorded, once to announce and once to fill. `Sink` gets
//   (path, unit, long name, frame, width, filler writing `width` numbers)
// and decides which of the two it is.
template <class Sink>
struct Walk {
  const Model& model;
  std::size_t body_count;
  const std::vector<Block>& works;
  const Films& films;
  const Snapshot* s;
  Sink& sink;
  bool planar = model.planar;

  void all() const {
    bodies();
    markers();
    for (std::size_t j = 0; j < model.joints.size(); ++j) joint_channels(j);
    couplings();
    forces();
    signals();
    energies();
  }

 private:
  template <class Get>
  void vector(const Path& path, const char* unit, const char* name, Get get) const {
    const int dimension = planar ? 2 : 3;
    sink(path, unit, name, "global", dimension, [&](double* out) {
      const Vec3 value = get();
      std::copy_n(value.data(), dimension, out);
    });
  }
  /// A quantity of rotation: a vector in space, its z component in the plane.
  template <class Get>
  void axial(const Path& path, const char* unit, const char* name, const char* frame,
             Get get) const {
    sink(path, unit, name, planar ? "global" : frame, planar ? 1 : 3, [&](double* out) {
      const Vec3 value = get();
      if (planar)
        out[0] = value[2];
      else
        std::copy_n(value.data(), 3, out);
    });
  }
  template <class Get>
  void scalar(const Path& path, const char* unit, const char* name, Get get) const {
    sink(path, unit, name, "", 1, [&](double* out) { out[0] = get(); });
  }

  void bodies() const {
    std::size_t sections = 0;  // of the flexible bodies before this one
    for (std::size_t b = 1; b < body_count; ++b) {
      const auto path = [&](std::string_view leaf) {
        return Path{"bodies", model.bodies[b].name, leaf};
      };
      vector(path("position"), "m", "position of the centre of mass",
             [&] { return s->poses[b].r; });
      if (planar)
        scalar(path("angle"), "rad", "rotation about z, not wrapped",
               [&] { return s->poses[b].angle; });
      else
        sink(path("quaternion"), "1", "Euler parameters, w first, body axes to global axes",
             "global", 4, [&](double* out) { vec4(out) = s->quaternion[b]; });
      vector(path("velocity"), "m/s", "velocity of the centre of mass",
             [&] { return s->poses[b].v; });
      axial(path("angular_velocity"), "rad/s", "angular velocity", "body",
            [&]() -> Vec3 { return s->poses[b].R.transpose() * s->poses[b].w; });
      vector(path("acceleration"), "m/s^2", "acceleration of the centre of mass",
             [&] { return s->acceleration[b]; });
      axial(path("angular_acceleration"), "rad/s^2", "angular acceleration", "body",
            [&]() -> Vec3 { return s->poses[b].R.transpose() * s->angular_acceleration[b]; });
      if (model.bodies[b].flexible) {
        bent(model.bodies[b], sections);
        sections += static_cast<std::size_t>(sections_of(*model.bodies[b].flexible));
      }
    }
  }

  /// A flexible body at places evenly along its axis, ends included.
  void bent(const Body& body, std::size_t first) const {
    using State = DeformingBody::SectionState;
    const Flexible& is = *body.flexible;
    const int number = sections_of(is), dimension = planar ? 2 : 3;
    const auto path = [&](std::string_view leaf, std::string_view tail = {}) {
      return Path{"bodies", body.name, leaf, tail};
    };
    const auto section = [this, first](int k) -> const State& {
      return s->sections[first + static_cast<std::size_t>(k)];
    };
    sink(path("deflection"), "m",
         is.part ? "of the interfaces by the deformation, one after the other"
                 : "of the axis from the straight one, place by place",
         "body", dimension * number, [&](double* out) {
           for (int k = 0; k < number; ++k)
             std::copy_n(section(k).deflection.data(), dimension, out + dimension * k);
         });
    if (is.part) return;
    const auto along = [&](const Path& at, const char* unit, const char* name, double State::*of) {
      sink(at, unit, name, "body", number, [&](double* out) {
        for (int k = 0; k < number; ++k) out[k] = section(k).*of;
      });
    };
    along(path("axial_force"), "N", "tension along the axis", &State::force);
    if (planar) {
      along(path("bending_moment"), "N m", "along the axis", &State::moment_z);
    } else {
      along(path("bending_moment", "y"), "N m", "about y of the section, along the axis",
            &State::moment_y);
      along(path("bending_moment", "z"), "N m", "about z of the section, along the axis",
            &State::moment_z);
      along(path("torque"), "N m", "along the axis", &State::torque);
    }
    if (is.young <= 0 || is.fibre_y <= 0) return;
    scalar(path("stress"), "Pa", "largest normal stress of the outer fibres, magnitude", [&] {
      double most = 0;
      for (int k = 0; k < number; ++k) {
        const State& at = section(k);
        double sum = std::abs(at.force) * is.young / is.EA +
                     std::abs(at.moment_z) * is.young * is.fibre_y / is.EI_z;
        if (!planar) sum += std::abs(at.moment_y) * is.young * is.fibre_z / is.EI_y;
        most = std::max(most, sum);
      }
      return most;
    });
  }

  void markers() const {
    for (const Marker& marker : model.markers) {
      const auto path = [&](std::string_view leaf) { return Path{"markers", marker.name, leaf}; };
      const auto arm = [&]() -> Vec3 { return s->poses[marker.frame.body].R * marker.frame.point; };
      const BodyIndex b = marker.frame.body;
      vector(path("position"), "m", "position of the marker",
             [&]() -> Vec3 { return s->poses[b].r + arm(); });
      vector(path("velocity"), "m/s", "velocity of the marker",
             [&]() -> Vec3 { return s->poses[b].v + s->poses[b].w.cross(arm()); });
      vector(path("acceleration"), "m/s^2", "acceleration of the marker", [&]() -> Vec3 {
        const Vec3 w = s->poses[b].w;
        return s->acceleration[b] + s->angular_acceleration[b].cross(arm()) +
               w.cross(w.cross(arm()));
      });
    }
  }

  void joint_channels(std::size_t j) const {
    const Joint& joint = model.joints[j];
    const auto path = [&](std::string_view leaf, std::string_view tail = {}) {
      return Path{"joints", joint.name, leaf, tail};
    };
    vector(path("reaction_force"), "N", "force of the first body on the second",
           [&] { return s->joints[j].force; });
    axial(path("reaction_moment"), "N m",
          "moment of the first body on the second, about the second's joint point", "global",
          [&] { return s->joints[j].moment; });
    if (joint.clearance) contact(j, path);
    if (joint.clearance && joint.clearance->film) film(j, path);
    if (joint.clearance && joint.clearance->wear) wear(j, path);
    if (joint.friction) friction(j, path);
    const auto coordinates = coordinates_of(joint.type);
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      const bool angle = is_angle(coordinates[c]);
      const std::string_view tail = coordinates.size() > 1 ? name_of(coordinates[c]) : "";
      scalar(path("coordinate", tail), angle ? "rad" : "m",
             "joint coordinate, zero where both frames coincide",
             [&] { return s->joints[j].coordinate[c]; });
      scalar(path("rate", tail), angle ? "rad/s" : "m/s", "rate of the joint coordinate",
             [&] { return s->joints[j].rate[c]; });
    }
    for (std::size_t d = 0; d < joint.drives.size(); ++d) {
      const bool angle = is_angle(joint.drives[d].coordinate);
      const std::string_view tail =
          joint.drives.size() > 1 ? name_of(joint.drives[d].coordinate) : "";
      scalar(path("drive_effort", tail), angle ? "N m" : "N",
             "effort of the drive on the second body, along its coordinate",
             [&] { return s->joints[j].effort[d]; });
    }
  }

  template <class PathOf>
  void contact(std::size_t j, const PathOf& path) const {
    const Joint& joint = model.joints[j];
    vector(path("eccentricity"), "m", "inner minus outer centre",
           [&] { return s->joints[j].contact.eccentricity; });
    scalar(path("ratio"), "1", "eccentricity over clearance",
           [&] { return s->joints[j].contact.ratio; });
    scalar(path("gap"), "m", "distance of the surfaces, 0 in contact",
           [&] { return s->joints[j].contact.gap; });
    scalar(path("penetration"), "m", "depth of the contact",
           [&] { return s->joints[j].contact.penetration; });
    scalar(path("normal_force"), "N", "normal contact force",
           [&] { return s->joints[j].contact.normal_force; });
    if (joint.clearance->friction)
      vector(path("friction_force"), "N", "friction force of the first body on the second",
             [&] { return s->joints[j].contact.friction_force; });
    scalar(path("slip_speed"), "m/s", "sliding speed of the surfaces in contact",
           [&] { return s->joints[j].contact.slip_speed; });
    scalar(path("mode"), "1", "0 free flight, 1 impact, 2 following, 3 stick",
           [&] { return s->joints[j].contact.mode; });
    scalar(path("contact_state"), "1", "which surfaces touch; 0: none",
           [&] { return s->joints[j].contact.contact_state; });
  }

  template <class PathOf>
  void film(std::size_t j, const PathOf& path) const {
    const Joint& joint = model.joints[j];
    scalar(path("film_thickness"), "m", "smallest gap; negative under contact",
           [&] { return s->joints[j].contact.film_thickness; });
    scalar(path("film_pressure"), "Pa", "largest pressure; 0 where the law does not know it",
           [&] { return s->joints[j].contact.film_pressure; });
    scalar(path("film_power"), "W", "power of the film on both parts",
           [&] { return s->joints[j].contact.film_power; });
    if (const joints::Cushion* oil = films[j].get()) {
      const auto pose = [&](const Frame& frame) -> const Pose<double>& {
        return s->poses[frame.body];
      };
      scalar(path("film_wet"), "1", "share of the film that bears pressure",
             [&] { return oil->observe(pose(joint.first), pose(joint.second)).wet_share; });
      sink(path("pressure"), "Pa", "at every node: angles around, for each those along the axis",
           "bearing", static_cast<int>(oil->pressure_nodes()), [&](double* out) {
             const auto field = oil->pressure_field(pose(joint.first), pose(joint.second));
             std::copy(field.begin(), field.end(), out);
           });
    }
  }

  /// From the record of the joint among those that wear (joints/wearing.hpp).
  template <class PathOf>
  void wear(std::size_t j, const PathOf& path) const {
    std::size_t before = 0;  // numbers of the records of joints before this one
    for (std::size_t k = 0; k < j; ++k)
      if (const auto& play = model.joints[k].clearance; play && play->wear)
        before += 2 * static_cast<std::size_t>(joints::worn_cells(model.joints[k], planar)) + 4;
    const int cells = joints::worn_cells(model.joints[j], planar);
    const auto depth = [&](std::string_view tail, const char* name, int first) {
      sink(path("wear_depth", tail), "m", name, "body", cells, [&](double* out) {
        std::copy_n(s->worn.data() + before + static_cast<std::size_t>(first), cells, out);
      });
    };
    const auto number = [&](std::size_t at) {
      return s->worn[before + 2 * static_cast<std::size_t>(cells) + at];
    };
    depth("outer", "depth worn off the outer part, cell by cell", 0);
    depth("inner", "depth worn off the inner part, cell by cell", cells);
    scalar(path("worn_volume", "outer"), "m^3",
           "time integral of wear rate x area over the outer part", [&] { return number(0); });
    scalar(path("worn_volume", "inner"), "m^3",
           "time integral of wear rate x area over the inner part", [&] { return number(1); });
    scalar(path("load_ratio"), "1", "sum of the pressures over the load, mean along the slip",
           [&] { return number(3) > 0 ? number(2) / number(3) : 1; });
  }

  template <class PathOf>
  void friction(std::size_t j, const PathOf& path) const {
    scalar(path("normal_force"), "N", "load of the friction: reaction and preload",
           [&] { return s->joints[j].contact.normal_force; });
    scalar(path("friction_force"), "N", "friction at the surface, magnitude",
           [&] { return s->joints[j].contact.friction_force.norm(); });
    scalar(path("slip_speed"), "m/s", "sliding speed of the surfaces",
           [&] { return s->joints[j].contact.slip_speed; });
    scalar(path("mode"), "1", "2 slip, 3 stick", [&] { return s->joints[j].contact.mode; });
  }

  void couplings() const {
    std::size_t mesh = 0;  // couplings with play before this one
    for (std::size_t c = 0; c < model.couplings.size(); ++c) {
      const Coupling& coupling = model.couplings[c];
      scalar({"couplings", coupling.name, "effort"},
             is_angle(coupling.second.coordinate) ? "N m" : "N",
             "effort of the coupling on its second coordinate",
             [&] { return s->coupling_effort[c]; });
      if (!coupling.teeth) continue;
      scalar({"couplings", coupling.name, "lead"}, "m",
             "how far the second part is ahead of the first along the pitch line",
             [&] { return s->meshes[mesh].lead; });
      scalar({"couplings", coupling.name, "force"}, "N",
             "force of the teeth on the second part, along the pitch line",
             [&] { return s->meshes[mesh].force; });
      if (coupling.teeth->thread)
        scalar({"couplings", coupling.name, "friction_power"}, "W",
               "power of the friction on the thread",
               [&] { return s->meshes[mesh].friction_power; });
      ++mesh;
    }
  }

  void forces() const {
    for (std::size_t k = 0; k < model.forces.size(); ++k) {
      const Force& force = model.forces[k];
      scalar({"forces", force.name, "effort"}, turns(force) ? "N m" : "N",
             "tension, magnitude or effort", [&] { return s->forces[k].effort; });
      if (has_extension(force))
        scalar({"forces", force.name, "extension"}, turns(force) ? "rad" : "m",
               "length or joint coordinate", [&] { return s->forces[k].extension; });
    }
  }

  void signals() const {
    for (std::size_t k = 0; k < model.signals.size(); ++k)
      scalar({"signals", model.signals[k].name, ""}, model.signals[k].unit.c_str(),
             "what the signal says", [&] { return s->signals[k]; });
    for (std::size_t k = 0; k < model.controllers.size(); ++k)
      scalar({"controllers", model.controllers[k].name, "output"},
             model.controllers[k].unit.c_str(), "output of the controller",
             [&] { return s->signals[model.signals.size() + k]; });
  }

  void energies() const {
    scalar({"energy", "kinetic", ""}, "J", "kinetic energy", [&] { return s->kinetic; });
    scalar({"energy", "potential", ""}, "J", "potential energy of gravity",
           [&] { return s->potential; });
    scalar({"energy", "elastic", ""}, "J", "energy stored in springs and bodies",
           [&] { return s->elastic; });
    for (std::size_t w = 0; w < works.size(); ++w)
      scalar({"energy", "work", works[w].name}, "J", "work done on the mechanism since the start",
             [&] { return s->work[w]; });
    scalar({"energy", "residual", ""}, "J", "energy audit: E - E(0) - work",
           [&] { return s->residual; });
  }
};

template <class Sink>
void walk(const Model& model, std::size_t bodies, const std::vector<Block>& works,
          const Films& films, const Snapshot* s, Sink&& sink) {
  Walk<std::remove_reference_t<Sink>>{model, bodies, works, films, s, sink}.all();
}

}  // namespace

Channels::Channels(const System& system)
    : model_(system.model()), body_count_(system.body_count()) {
  films_.resize(model_.joints.size());
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const auto& play = model_.joints[j].clearance;
    if (!play || !play->film) continue;
    const auto& given = play->film->law.parameters;
    if (std::any_of(given.begin(), given.end(), [](const auto& parameter) {
          return parameter.first == "record_pressure" && parameter.second != 0;
        }))
      films_[j] = std::make_shared<const joints::Cushion>(model_, static_cast<JointIndex>(j));
  }
  walk(model_, body_count_, system.layout()->of(BlockKind::work), films_, nullptr,
       [&](const Path& path, const char* unit, const char* name, const char* frame, int width,
           auto&&) {
         list_.push_back({path.text(), unit, name, frame, width, width_});
         width_ += width;
       });
  layout_ = system.layout();
}

void Channels::fill(const Snapshot& snapshot, std::span<double> row) const {
  std::size_t at = 0;
  walk(model_, body_count_, layout_->of(BlockKind::work), films_, &snapshot,
       [&](const Path&, const char*, const char*, const char*, int width, auto&& write) {
         write(row.data() + at);
         at += static_cast<std::size_t>(width);
       });
}

}  // namespace freeplay::dynamics
