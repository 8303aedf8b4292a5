// SPDX-License-Identifier: Apache-2.0
#include "unit/io/model_text.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace freeplay::testing {

std::string everything_spatial() {
  return R"toml(# every table of a spatial model
[mechanism]
name    = "everything \"spatial\", café"
gravity = [0, 0, -9.81]

[parameters]
crank_length = "80 mm"
rod_length   = "2*crank_length + 140 mm"
ratio        = 2.5
turn_speed   = "300 rpm"

[bodies.crank]
mass        = "120 g"
inertia     = [1e-4, "1000 g cm^2", 1e-5]
position    = [0, 0.1, "0.12 m + crank_length/2"]

[bodies.rod]
mass        = 0.5
inertia     = [4e-4, 4e-3, 4e-3, 1e-5, -2e-5, 3e-5]
position    = [0.1, 0.05, 0.1]
orientation = { euler_parameters = [0.9186, -0.1764, 0.06747, -0.3472] }
velocity    = [0.12, -0.24, 0]
angular_velocity = [1.92, -0.96, "0.48 rad/s"]

[bodies.slider]
mass        = 2
inertia     = [1e-4, 1e-4, 1e-4]
position    = [0.2, 0, 0]
orientation = { axis = [0, 0, 3], angle = "30 deg" }

[bodies.nut]
mass        = 1
inertia     = [1e-3, 1e-3, 1e-3]
position    = [1, 0, 0]
orientation = { rotation_vector = [0.1, 0.2, 0.3] }

[bodies.plate]
mass        = 1
inertia     = [1e-3, 1e-3, 1.5e-3]
position    = [2, 0, 0]
orientation = { xyz = ["10 deg", "20 deg", "30 deg"] }

[bodies.ball]
mass     = 0.1
position = [3, 0, 0]

[bodies."a <b> c"]
mass     = 0.1
inertia  = [1e-5, 1e-5, 1e-5]
position = [4, 0, 0]

[markers.on_ground]
body = "ground"
at   = [1, 0, 0]
axis = [0, 0, 1]

[markers.on_nut]
body  = "nut"
local = [0, 0, 0.01]
axis  = [0, 0.1, 1]

[markers.tip]
body  = "rod"
local = [0.15, 0, 0]

[joints.crank_bearing]
type   = "revolute"
bodies = ["ground", "crank"]
at     = [0, 0.1, 0.12]
axis   = [1, 0, 0]
drive  = { speed = "turn_speed", start = "15 deg" }

[joints.crank_pin]
type   = "spherical"
bodies = ["crank", "rod"]
at     = { crank = [0, 0, "crank_length/2"], rod = ["-rod_length/2", 0, 0] }

[joints.crank_pin.clearance]
socket_radius = "10 mm"
radial        = "0.2 mm"
material      = { young = "207 GPa", poisson = 0.3 }
contact       = { law = "lankarani-nikravesh", restitution = 0.9 }

[joints.wrist]
type        = "universal"
bodies      = ["rod", "slider"]
at          = { rod = [0.15, 0, 0], slider = [0, 0, 0] }
axis        = [0, 2, -1]
second_axis = [1, 0, 1e-4]

[joints.guide]
type   = "translational"
bodies = ["ground", "slider"]
at     = [0, 0, 0]
axis   = [1, 0, 0]

[joints.thread]
type    = "screw"
markers = ["on_ground", "on_nut"]
pitch   = "5 mm"
speed   = "10 rpm"

[joints.table]
type   = "planar"
bodies = ["ground", "plate"]
at     = [2, 0, 0]
axis   = [0, 0, 1]
drive  = [
  { coordinate = "x", sine = { amplitude = "1 cm", frequency = "2 Hz", phase = "90 deg", offset = 0.5 } },
  { coordinate = "y", polynomial = [0, "3 mm/s", 0.1] },
]
speed  = { angle = "1 rev/s" }

[joints.string]
type   = "distance"
bodies = ["ground", "ball"]
at     = [[3, 0, 1], [3, 0, 0]]
length = "1100 mm"

[joints.rail]
type   = "cylindrical"
bodies = ["ground", "a <b> c"]
at     = [4, 0, 0]
axis   = { ground = [0, 1, 0], "a <b> c" = [0, 1, 0.01] }
drive  = { coordinate = "angle", table = { time = [0, 1, "2 s", 3], value = [0, "10 deg", 0.2, 0.1] } }

[couplings.feed]
type   = "rack"
joints = ["crank_bearing", "guide"]
radius = "-20 mm"

[couplings.gears]
type   = "gear"
joints = ["crank_bearing", "thread"]
ratio  = "-ratio"

[springs.link]
bodies      = ["crank", "rod"]
at          = { crank = [0, 0, 0], rod = [0.01, 0, 0] }
stiffness   = "20 N/mm"
damping     = "3 N s/m"
free_length = "80 mm"
preload     = "2 N"

[springs.torsion]
joint     = "crank_bearing"
stiffness = "2 N m/rad"
rest      = "30 deg"

[springs.stop]
markers = ["tip", "on_ground"]
table   = { x = [0, "1 mm", 0.01], force = [0, "5 N", 200] }

[forces.push]
body      = "slider"
direction = [2, 0, 0]
magnitude = { formula = "ratio*sin(2*pi*3*t)^2 - crank_length*t/-2 + exp(-t)*(1 - t)" }

[forces.weight]
body   = "rod"
at     = { rod = [0.1, 0, 0] }
vector = [0, 0, "-5 N"]
frame  = "body"

[torques.brake]
body      = "crank"
direction = [1, 0, 0]
magnitude = { step = { from = 0, to = "2 N m", start = "100 ms", end = 0.5 } }

[efforts.motor]
joint     = "guide"
magnitude = "12 N"

[dampers.shock]
markers   = ["tip", "on_ground"]
damping   = "30 N s/m"
stiffness = "5 N/mm"

[dampers.twist]
joint     = "crank_bearing"
damping   = "2 N m s/rad"
stiffness = "5 N m/deg"

[simulation]
start         = 0.25
duration      = "2 s"
output        = "1 ms"
tolerance     = 1e-10
integrator    = "cvode-bdf"
max_step      = "1 ms"
stabilisation = { baumgarte = [5, "5 1/s"] }
)toml";
}

std::string everything_planar() {
  return R"toml(
[mechanism]
name    = "everything planar"
planar  = true
gravity = [0, -9.81]

[parameters]
r = "50 mm"

[bodies.crank]
mass     = 0.3
inertia  = "1 kg cm^2"
position = ["r/2", 0]

[bodies.rod]
mass     = 0.2
inertia  = 1e-4
position = [0.1, 0]
angle    = "-10 deg"
velocity = [0.1, 0]
angular_velocity = "-3 rad/s"

[bodies.slider]
mass     = 0.1
position = [0.2, 0]

[markers.a]
body = "rod"
at   = [0.2, 0]
axis = [1, 0]

[markers.b]
body  = "slider"
local = [0, 0]
axis  = [1, 0.2]

[joints.crank_bearing]
type   = "revolute"
bodies = ["ground", "crank"]
at     = [0, 0]
drive  = { formula = "31.4*t + 0.1*sin(3*t)" }

[joints.crank_pin]
type   = "revolute"
bodies = ["crank", "rod"]
at     = { crank = ["r/2", 0], rod = [-0.05, 0] }

[joints.crank_pin.clearance]
bearing_radius = "10 mm"
journal_radius = "9.8 mm"
material       = "steel"
inner_material = "bronze"
curvature      = "external"
offset         = ["0.1 mm", 0]
contact        = { restitution = 0.8 }

[joints.pin]
type    = "point-on-line"
markers = ["a", "b"]

[joints.guide]
type   = "prismatic"
bodies = ["ground", "slider"]
at     = [0, 0]
axis   = [1, 1]
speed  = 0.5

[joints.rope]
type   = "distance"
bodies = ["ground", "slider"]
at     = [[0, 1], [0.2, 0]]

[torques.motor]
body  = "crank"
value = "2 N m"

[torques.ripple]
body      = "rod"
magnitude = { sine = { amplitude = 1, frequency = 50 } }

[forces.wind]
body   = "rod"
at     = [0.1, 0.01]
vector = ["3 N", 0]

[simulation]
duration   = 1
integrator = "rk4"
step       = "10 us"
)toml";
}

std::string everything_short() {
  return R"toml([mechanism]
planar  = true
gravity = "g"
[parameters]
g     = [0, "-9.81 m/s^2"]
L     = "200 mm"
units = 3
h     = "L*cos(20 deg)"
[points]
O    = [0, 0]
A    = "O + polar(L/2, 30 deg)"
B    = "meet(A, L, C, 0.9*L)"
C    = ["1.2*L", "A.y/2"]
low  = { repeat = "units + 1", at = ["(i - 1)*L", "-1 m"] }
high = { repeat = { count = "units + 1", first = 0, index = "k" }, at = ["k*L", "h - 1 m"] }
[bodies]
crank = { link = ["O", "A"], mass = 0.5 }
rod   = { link = ["A", "B"], section = { diameter = "10 mm", bore = "4 mm" }, density = "7850 kg/m^3" }
plate = { link = ["C", "B", "(B + C)/2 + polar(50 mm, angle(C, B) + 90 deg)"], section = { thickness = "3 mm" }, density = 2700 }
up    = { repeat = "units", link = ["low_{i}", "high_{i}"], mass = "i*0.1 kg", inertia = 1e-3 }
down  = { repeat = "units", link = ["high_{i-1}", "low_{i+1}"], mass = 0.1 }
[clearances.pin]
bearing_radius = "5 mm"
radial   = "0.05 mm"
contact  = { law = "flores", restitution = 0.5 }
[clearances.wide]
use      = "pin"
radial   = "0.1 mm"
[defaults.clearance]
material = "bronze"
friction = { law = "ambrosio", kinetic = 0.1 }
[markers]
tip = { body = "up_{units}", at = "high_{units}" }
[joints]
O      = { type = "revolute", bodies = ["ground", "crank"], at = "O", drive = { formula = "2*t" } }
A      = { type = "revolute", bodies = ["crank", "rod"], at = "A", clearance = "pin" }
B      = { type = "revolute", bodies = ["plate", "rod"], at = "B", clearance = { use = "wide", friction = false } }
C      = { type = "revolute", bodies = ["ground", "plate"], at = "C", clearance = { journal_radius = "5 mm", radial = "10 um" } }
middle = { repeat = "units", type = "revolute", bodies = ["up_{i}", "down_{i}"], at = "(low_{i} + high_{i})/2" }
top    = { repeat = "units - 1", type = "revolute", bodies = ["up_{i}", "down_{i+1}"], at = "high_{i}", clearance = "pin" }
foot   = { type = "revolute", bodies = ["ground", "up_1"], at = "low_1" }
rail   = { type = "point-on-line", bodies = ["ground", "down_1"], at = "high_0", axis = "high_0 - low_1" }
[springs]
s = { repeat = 2, bodies = ["ground", "up_{i}"], at = ["low_1", "high_{i}"], stiffness = "i*100 N/m" }
[forces]
f = { body = "rod", at = "(A + B)/2", direction = "B - A", magnitude = "5 N" }
[simulation]
duration = 1
)toml";
}

std::string everything_short_spatial() {
  return R"toml([mechanism]
gravity = [0, 0, -9.81]
[parameters]
e = [0, "80 mm", 0]
[points]
L = ["-200 mm", 0, 0]
R = ["200 mm", 0, 0]
P = "(L + R)/2 + e"
[bodies]
shaft = { link = ["L", "R"], section = { width = "40 mm", thickness = "20 mm" }, density = "7850 kg/m^3" }
disc  = { repeat = 2, link = [["i*50 mm", 0, 0], ["i*50 mm + 20 mm", 0, 0]], section = { diameter = "0.2 m", bore = "40 mm" }, density = 7850 }
plate = { link = ["L", "R", "P"], mass = 1 }
hub   = { density = 7850, shape = [{ box = ["10 mm", "20 mm", "30 mm"], at = "P" }, { cylinder = { diameter = "20 mm", length = "40 mm" }, at = "P + e", axis = "R - P", density = 2700 }, { capsule = { diameter = 0.01, length = 0.02 } }, { sphere = "5 mm" }, { plate = { corners = ["L", "P", "R"], thickness = "1 mm" } }] }
[clearances.oil]
bearing_radius = "20 mm"
radial         = "40 um"
bearing_length = "20 mm"
film           = { law = "short-bearing", viscosity = "30 cP" }
[joints]
left  = { type = "revolute", bodies = ["ground", "shaft"], at = "L", axis = "R - L", clearance = "oil" }
right = { type = "cylindrical", bodies = ["ground", "shaft"], at = "R", axis = [1, 0, 0], clearance = { use = "oil", journal_length = "distance(L, R)/20" } }
key   = { repeat = 2, type = "fixed", bodies = ["shaft", "disc_{i}"], at = [0, 0, 0] }
weld  = { type = "fixed", bodies = ["shaft", "plate"], at = "P" }
glue  = { type = "fixed", bodies = ["shaft", "hub"], at = "P" }
[simulation]
duration = 1
)toml";
}

std::string small_model(std::string_view extra) {
  return "[mechanism]\ngravity = [0, 0, -9.81]\n[simulation]\nduration = 1\n[bodies.a]\nmass = "
         "1\ninertia = [1, 1, 1]\n" +
         std::string(extra);
}

Model read(std::string_view text, std::vector<Override> overrides, std::vector<Issue>* warnings) {
  return parse_model(text, "model.toml", {std::move(overrides), warnings});
}

std::string mistakes(std::string_view text, std::vector<Override> overrides) {
  try {
    static_cast<void>(read(text, std::move(overrides)));
    return {};
  } catch (const ModelError& error) {
    return error.what();
  }
}

std::string warnings(std::string_view text) {
  std::vector<Issue> issues;
  static_cast<void>(read(text, {}, &issues));
  std::string out;
  for (const Issue& issue : issues) out += (out.empty() ? "" : "\n") + issue.text();
  return out;
}

namespace {

class Dump {
 public:
  void word(std::string_view text) { out_ << text << ' '; }
  void number(double value) { out_ << std::hexfloat << value << ' '; }
  template <class M>
  void matrix(const M& m) {
    for (int i = 0; i < m.size(); ++i) number(m.data()[i]);
  }
  void list(const std::vector<double>& values) {
    for (const double v : values) number(v);
  }
  void end(std::string_view text = {}) { out_ << text << '\n'; }
  void frame(const Frame& f) {
    out_ << "on " << f.body << " at ";
    matrix(f.point);
    matrix(f.axes);
  }
  void on(const JointCoordinate& c) {
    out_ << "joint " << c.joint << ' ' << name_of(c.coordinate) << ' ';
  }

  void motion(const Motion& m) {
    std::visit([this](const auto& x) { of(x); }, m);
  }
  void of(const Constant& m) { word("constant"), number(m.value); }
  void of(const ConstantSpeed& m) {
    word(m.from_pose ? "speed" : "speed from"), number(m.speed), number(m.start);
  }
  void of(const Follow& m) { word("signal"), word(m.signal); }
  void of(const Polynomial& m) { word("polynomial"), list(m.coefficients); }
  void of(const Sine& m) {
    word("sine"), number(m.amplitude), number(m.frequency), number(m.phase), number(m.offset);
  }
  void of(const SmoothStep& m) {
    word("step"), number(m.from), number(m.to), number(m.t0), number(m.t1);
  }
  void of(const Table& m) { word("table"), list(m.time), list(m.value), list(m.slope); }
  void of(const Formula& m) {
    word("formula"), word(m.text);
    for (const auto& i : m.code) out_ << static_cast<int>(i.op) << ' ', number(i.value);
  }
  void of(const Input& m) {
    word(m.from_pose ? "input" : "input from"), word(m.name), number(m.start);
  }
  void table(const std::optional<ForceTable>& t) {
    if (t) word("table"), list(t->x), list(t->force), list(t->slope);
  }
  void of(const LawChoice& law) {
    word(law.key);
    auto parameters = law.parameters;  // in any order
    std::ranges::sort(parameters);
    for (const auto& [key, value] : parameters) word(key), number(value);
    if (!law.expression) return;
    word(law.expression->text);
    auto named = law.expression->parameters;
    std::ranges::sort(named, {}, &Expression::Parameter::name);
    for (const auto& p : named) word(p.name), number(p.value), word(p.unit);
  }
  void of(const Clearance& c) {
    word("clearance"), list({c.outer_radius, c.inner_radius, c.outer.young, c.outer.poisson});
    list({c.inner.young, c.inner.poisson, c.min_approach_speed}), matrix(c.offset);
    list({c.outer_length, c.inner_length, c.outer_width, c.inner_width, c.outer_height,
          c.inner_height, c.flange_radius, c.corner_radius, c.face_modulus});
    word(c.through ? "through" : "captive"), word(c.points ? "points" : "distributed");
    if (c.ends) list({c.ends->from, c.ends->to});
    word(c.external_curvature ? "external" : "internal"), of(c.contact);
    if (c.friction) of(*c.friction);
    if (c.film) {
      word(c.film->torque ? "film" : "film without torque"), of(c.film->law);
      if (c.film->transition) of(*c.film->transition);
    }
    number(static_cast<double>(c.force_point));
  }
  void of(const Bushing& b) {
    word("bushing");
    if (b.law) of(*b.law);
    for (const Bushing::Curve* c : {&b.radial, &b.axial, &b.twist, &b.tilt})
      number(c->slope), list(c->x), list(c->force);
    list({b.damping.begin(), b.damping.end()}), list(b.coupling);
    for (const Bushing::Branch& branch : b.branches)
      list({branch.stiffness.begin(), branch.stiffness.end()}), number(branch.time);
  }
  void of(const JointFriction& f) { of(f.law), number(f.preload), number(f.radius); }
  void of(const Stop& s) {
    word("stop"), word(name_of(s.coordinate)), of(s.contact), number(s.min_approach_speed);
    for (const auto& end : {s.lower, s.upper}) end ? number(*end) : word("none");
  }
  void teeth(const std::optional<Teeth>& t) {
    if (!t) return;
    word("teeth"), list({t->backlash, t->pitch_radius, t->offset, t->min_approach_speed});
    of(t->contact);
    if (t->stiffness) word("stiffness"), of(*t->stiffness);
    if (t->error) word("error"), of(*t->error);
    if (t->thread) of(t->thread->law), number(t->thread->radius), number(t->thread->flank_angle);
  }
  void of(const PointSpring& s) {
    word("spring"), frame(s.first), frame(s.second);
    list({s.stiffness, s.damping, s.free_length, s.preload}), table(s.table);
  }
  void of(const CoordinateSpring& s) {
    word("spring"), on(s.on), list({s.stiffness, s.damping, s.rest, s.preload}), table(s.table);
  }
  void of(const PointForce& f) {
    word(f.follows_body ? "body force" : "force"), frame(f.at), matrix(f.direction),
        motion(f.magnitude);
  }
  void of(const BodyTorque& f) {
    out_ << (f.follows_body ? "body torque " : "torque ") << f.body << ' ', matrix(f.direction),
        motion(f.magnitude);
  }
  void of(const JointEffort& f) { word("effort"), on(f.on), motion(f.magnitude); }
  void of(const SeriesDamper& s) {
    word("damper"), list({s.damping, s.stiffness});
    if (const auto* points = std::get_if<PointPair>(&s.along))
      frame(points->first), frame(points->second);
    else
      on(std::get<JointCoordinate>(s.along));
  }
  template <class L>
  void law(const L& l) {
    std::visit([this](const auto& x) { this->of(x); }, l);
  }

  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
};

}  // namespace

std::string dump(const Model& model) {
  Dump d;
  d.word(model.name), d.word(model.planar ? "planar" : "spatial"), d.matrix(model.gravity), d.end();
  for (const Body& b : model.bodies) {
    d.word(b.name), d.number(b.mass), d.matrix(b.inertia), d.matrix(b.position),
        d.matrix(b.orientation), d.number(b.angle);
    if (b.velocity) d.word("v"), d.matrix(*b.velocity);
    if (b.angular_velocity) d.word("w"), d.matrix(*b.angular_velocity);
    d.end();
  }
  for (const Marker& m : model.markers) d.word(m.name), d.frame(m.frame), d.end();
  for (const Joint& j : model.joints) {
    d.word(j.name), d.word(name_of(j.type)), d.frame(j.first), d.frame(j.second),
        d.number(j.length), d.number(j.pitch);
    if (j.clearance) d.of(*j.clearance);
    if (j.bushing) d.of(*j.bushing);
    if (j.friction) d.of(*j.friction);
    for (const Stop& x : j.stops) d.of(x);
    for (const Drive& x : j.drives) d.word(name_of(x.coordinate)), d.motion(x.motion);
    for (const StartSpeed& x : j.start_speeds) d.word(name_of(x.coordinate)), d.number(x.speed);
    d.end();
  }
  for (const Coupling& c : model.couplings)
    d.word(c.name), d.on(c.first), d.on(c.second), d.number(c.ratio), d.teeth(c.teeth), d.end();
  for (const Force& f : model.forces) d.word(f.name), d.law(f.element), d.end();
  const Simulation& s = model.simulation;
  d.list({s.start, s.duration, s.output, s.tolerance, s.step, s.max_step,
          static_cast<double>(s.analysis), static_cast<double>(s.formulation),
          static_cast<double>(s.method)});
  if (s.baumgarte) d.word("baumgarte"), d.number(s.baumgarte->alpha), d.number(s.baumgarte->beta);
  d.end();
  return d.text();
}

}  // namespace freeplay::testing
