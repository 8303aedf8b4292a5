// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/control.hpp>
#include <freeplay/flexible.hpp>
#include <freeplay/index.hpp>
#include <freeplay/math.hpp>
#include <freeplay/motion.hpp>
#include <freeplay/profile.hpp>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// A mechanism as data: bodies, joints, forces. A Model is a plain value, built once (by
// load_model or in code followed by `validate`), then const everywhere and shared by threads.
// References between its parts are indices; bodies[0] is always the ground.
namespace freeplay {

/// A solid that a body is drawn as. What it weighs is in the body's mass already.
struct Shape {
  enum class Kind { box, cylinder, sphere, capsule, mesh };
  Kind kind = Kind::box;
  /// Edges of a box; diameter, bore and length of a cylinder; diameter of a sphere; diameter, 0 and
  /// length between the centres of its ends of a capsule; m. Lengths run along x of its axes.
  Vec3 size = Vec3::Zero();
  Vec3 centre = Vec3::Zero();                 ///< body axes; m
  Mat3 axes = Mat3::Identity();               ///< columns x, y, z in body axes
  std::vector<Vec3> vertices;                 ///< of a mesh, from the centre along the axes; m
  std::vector<std::array<int, 3>> triangles;  ///< of a mesh, anticlockwise from outside
  std::string colour;                         ///< "#rrggbb"; empty: the viewer's choice
};

/// A body, rigid unless it is told to bend. Its frame sits at the centre of mass; planar bodies
/// move in x, y and turn about z.
struct Body {
  std::string name;
  double mass = 0;                       ///< kg
  Mat3 inertia = Mat3::Zero();           ///< about the centre of mass, body axes; kg m^2
  Vec3 position = Vec3::Zero();          ///< centre of mass, global; m
  Vec4 orientation = {1, 0, 0, 0};       ///< Euler parameters (w first), unit length
  double angle = 0;                      ///< planar only: rotation about z, not wrapped; rad
  std::optional<Vec3> velocity;          ///< start velocity, global; m/s; absent = free to follow
  std::optional<Vec3> angular_velocity;  ///< start angular velocity, body axes; rad/s
  std::optional<Flexible> flexible;      ///< absent: rigid
  std::vector<Shape> shapes;             ///< what it looks like; empty: bars between its joints
  int line = 0;                          ///< line of the model file, for messages
};

/// A frame fixed on a body: a marker. z is the joint axis wherever there is one.
struct Frame {
  BodyIndex body = kGround;
  Vec3 point = Vec3::Zero();     ///< from the centre of mass, body axes; m
  Mat3 axes = Mat3::Identity();  ///< columns x, y, z in body axes
};

/// A named frame of the file, whose motion is recorded.
struct Marker {
  std::string name;
  Frame frame;
};

enum class JointType {
  fixed,
  revolute,
  prismatic,
  cylindrical,
  spherical,
  universal,
  planar,
  distance,
  point_on_line,
  point_in_plane,
  screw,
  point_on_curve,
  rack
};

/// What a joint leaves free, one scalar each. Angles are measured about the z axis of the first
/// frame (universal_second: of the second frame), lengths along axes of the first frame, all zero
/// in the pose in which both frames coincide.
enum class Coordinate {
  angle,
  displacement,
  displacement_x,
  displacement_y,
  universal_second,
  length
};

/// The free coordinates of a joint type, in the order in which results list them.
[[nodiscard]] std::span<const Coordinate> coordinates_of(JointType type);
[[nodiscard]] std::string_view name_of(JointType type);
[[nodiscard]] std::string_view name_of(Coordinate coordinate);
[[nodiscard]] bool is_angle(Coordinate coordinate);

/// Prescribed motion of one joint coordinate.
struct Drive {
  Coordinate coordinate = Coordinate::angle;
  Motion motion;
};

/// Start speed the user asks for on one joint coordinate; rad/s or m/s.
struct StartSpeed {
  Coordinate coordinate = Coordinate::angle;
  double speed = 0;
};

/// Linear elastic material of a surface.
struct Material {
  double young = 0;  ///< Pa
  double poisson = 0.3;
};

/// A law written as a formula, of the variables that its catalogue offers and of parameters that
/// the formula names.
struct Expression {
  std::string text;  ///< as written
  struct Parameter {
    std::string name;
    double value = 0;  ///< SI
    std::string unit;  ///< as written, "N/m^1.5"; empty: a number
  };
  std::vector<Parameter> parameters;
};

/// A law chosen from a catalogue (`freeplay laws`) with the parameters that differ from its
/// defaults; switches are 0 or 1.
struct LawChoice {
  std::string key;
  std::vector<std::pair<std::string, double>> parameters;
  std::optional<Expression> expression = {};  ///< of laws that are written as one
};

/// Oil in the gap of a joint with clearance.
struct Film {
  LawChoice law;
  bool torque = true;                   ///< false: forces alone, as published work has it
  std::optional<LawChoice> transition;  ///< between oil and dry contact; absent: both add up
};

/// Rubber in place of an ideal joint.
struct Bushing {
  std::optional<LawChoice> law;  ///< radial; absent: the six components below
  /// Restoring force (N, N m) of displacement (m, rad): a slope, or points.
  struct Curve {
    double slope = 0;
    std::vector<double> x, force;
  };
  Curve radial, axial, twist, tilt;
  std::array<double, 6> damping{};  ///< N s/m along x, y, z; N m s/rad about them
  std::vector<double> coupling;     ///< 36 further stiffnesses, row by row; empty: none
  struct Branch {
    std::array<double, 6> stiffness{};
    double time = 1;  ///< of relaxation; s
  };
  std::vector<Branch> branches;
};

/// Wear of the two surfaces of a joint with clearance, followed in cells of equal area on each of
/// them (theory/wear): sectors round a journal, in space times stations along it; stations along
/// the faces of a guide; zones of cells over a ball.
struct Wear {
  LawChoice law;                  ///< with the coefficients of both parts, `outer` and `inner`
  std::vector<double> x, factor;  ///< of a law with a table: pressures (Pa) or speeds (m/s), and
                                  ///< what its coefficients are multiplied by there
  int sectors = 360;              ///< round a bearing, a journal, a pin, the outline of a slot
  /// What is worn away already, mean over each cell; m. Empty: nothing, the part is new.
  std::vector<double> outer_depth, inner_depth;
  /// The shape that touches follows within a run, whenever a cell has lost so much more than the
  /// shape knows; m. 0: a run keeps the shape that it started with.
  double update = 0;
  int stations = 10;  ///< along the axis of a bearing in space, along the faces of a guide
  int cells = 2000;   ///< of a ball, and of its socket
};

/// Where the surfaces of a contact act on each other. They overlap by the depth; both bodies are
/// pushed at one common point, whose material velocities also give approach and slip.
enum class ForcePoint {
  midway,  ///< halfway between the two surfaces
  socket,  ///< on the surface of the outer part: socket, bearing, guide, slot
  ball     ///< on the surface of the inner part: ball, journal, slider, pin
};

/// Play between the parts of a joint: the joint holds by contact instead of by constraint. Which
/// members count depends on the joint: a ball in its socket (spherical) and a journal in its
/// bearing (revolute, cylindrical) have radii, finite cylinders lengths besides, a slider in its
/// guide (prismatic) widths, a pin in its slot (point-on-line, distance) radii and ends. 0 where
/// there is no such thing.
struct Clearance {
  double outer_radius = 0, inner_radius = 0;  ///< socket, bearing, half slot; ball, journal, pin; m
  /// How the surfaces of a planar bearing and its journal depart from these circles; absent: not.
  /// One that replaces its radius (`own_radius`) has it stand there too.
  std::optional<Profile> outer_profile, inner_profile;
  /// Along the axis: bearing, guide; journal, slider; m. The pin in its slot, across the plane.
  double outer_length = 0, inner_length = 0;
  double outer_width = 0, inner_width = 0;    ///< guide and slider, along x of the frames; m
  double outer_height = 0, inner_height = 0;  ///< box in a tube, along y of the frames; m
  bool through = false;      ///< the journal is longer than its bearing and has flanges
  double flange_radius = 0;  ///< outer radius of the faces of bearing and flange; m
  bool points = false;       ///< contact at rims and corners only, as published; else distributed
  double corner_radius = 0;  ///< of the slider, from which point laws derive their stiffness; m
  double face_modulus = 0;   ///< of end faces; Pa/m; 0: from the materials
  struct Ends {
    double from = 0, to = 0;
  };
  std::optional<Ends> ends;  ///< of a slot's centre line, from the joint point along the axis, m;
                             ///< of an arc, from the direction of the pin as written, rad
  Material outer, inner;
  bool external_curvature =
      false;  ///< stiffness from the sum of the radii, as some papers print it
  LawChoice contact{"exact", {}};
  std::optional<LawChoice> friction;
  std::optional<Film> film;
  std::optional<Wear> wear;          ///< absent: surfaces stay as they are
  double min_approach_speed = 1e-5;  ///< lower bound of the approach speed in damping laws; m/s
  ForcePoint force_point = ForcePoint::midway;
  Vec3 offset = Vec3::Zero();  ///< start: inner minus outer centre, global; m
};

/// Friction in an ideal joint. The load is the joint's reaction plus a preload; the law acts on the
/// slip of the surfaces, which for a turn is `radius` times the rate.
struct JointFriction {
  LawChoice law;
  double preload = 0;  ///< N
  double radius = 0;   ///< of the pin or ball where the joint turns; m
};

/// End stops of a joint coordinate: contact beyond `lower` and `upper`. Laws then work in the
/// coordinate's units (rad and N m for an angle).
struct Stop {
  Coordinate coordinate = Coordinate::angle;
  std::optional<double> lower, upper;  ///< rad or m
  LawChoice contact{"newton", {}};
  double min_approach_speed = 1e-5;  ///< rad/s or m/s
};

/// A smooth curve through points: a quintic spline (src/model/curve.hpp).
class Curve;
/// Throws ModelError when the points are no curve. Points in the first frame of its joint; m.
[[nodiscard]] std::shared_ptr<const Curve> make_curve(std::vector<Vec3> points, bool closed);

/// A joint between two bodies. The first is the outer part (bearing, socket, guide).
/// Reactions are of the first body on the second, global axes, moment about the second's joint
/// point.
struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  Frame first, second;
  double length = 0;                   ///< distance joint; m
  double pitch = 0;                    ///< screw joint: advance per turn; m
  double pitch_radius = 0;             ///< rack: of the pinion; m
  std::shared_ptr<const Curve> curve;  ///< point-on-curve: in the first frame
  std::vector<Drive> drives;
  std::vector<StartSpeed> start_speeds;
  std::optional<Clearance> clearance;     ///< absent: an ideal joint
  std::optional<Bushing> bushing;         ///< in place of an ideal joint
  std::optional<JointFriction> friction;  ///< of an ideal joint
  std::vector<Stop> stops;
  int line = 0;
};

/// Held by forces (contact, oil, rubber) instead of by constraints.
[[nodiscard]] inline bool holds_by_force(const Joint& joint) {
  return joint.clearance || joint.bushing;
}

/// A coordinate of a joint, as couplings, springs and efforts refer to it.
struct JointCoordinate {
  JointIndex joint;
  Coordinate coordinate = Coordinate::angle;
};

/// Play between the teeth of a coupling, which then holds by contact instead of by constraint.
/// Lengths, speeds and forces are those along the pitch line: the second part is ahead by
///
///     s = second travel - first travel - offset of the start - error,
///
/// and the teeth touch where |s| > backlash/2.
struct Teeth {
  double backlash = 0;               ///< the whole gap; m
  double pitch_radius = 1;           ///< two angles: of the second wheel; m. Two lengths, rack: 1
  double offset = 0;                 ///< s at the start, error apart; m
  LawChoice contact;                 ///< of either flank
  double min_approach_speed = 1e-5;  ///< lower bound in damping laws; m/s
  std::optional<Formula> stiffness;  ///< factor on the force, of x, the first coordinate
  std::optional<Formula> error;      ///< of transmission, of x; m
  /// Friction on the flanks of a screw, the first part, that turns against the second.
  struct Thread {
    LawChoice law;
    double radius = 0;       ///< pitch radius of the screw; m
    double flank_angle = 0;  ///< of the flank against the normal of the axis; rad
  };
  std::optional<Thread> thread;
};

/// Gear or rack: second = ratio * first + constant (the constant from the assembled start pose).
struct Coupling {
  std::string name;
  JointCoordinate first, second;
  double ratio = 1;  ///< 1 for gears, m/rad for a rack driven by its pinion
  int line = 0;
  std::optional<Teeth> teeth = {};  ///< absent: without play, as a constraint
};

/// Force against elongation by a table: piecewise cubic by `smooth_slopes`, end slopes continued.
struct ForceTable {
  std::vector<double> x, force, slope;
  std::vector<double> area;  ///< integral of the force from x = 0 to each knot; J
};
/// Table through the points; x must increase strictly.
[[nodiscard]] ForceTable make_force_table(std::vector<double> x, std::vector<double> force);

/// Spring and damper between two points. Pulls when longer than `free_length`.
struct PointSpring {
  Frame first, second;
  double stiffness = 0;             ///< N/m
  double damping = 0;               ///< N s/m
  double free_length = 0;           ///< m
  double preload = 0;               ///< constant tension; N
  std::optional<ForceTable> table;  ///< replaces stiffness: tension (N) of elongation (m)
  std::optional<Formula> formula;   ///< likewise, of elongation x (m), its rate v (m/s) and time
};
/// Spring and damper on a joint coordinate (torsion spring on a revolute, return spring on a
/// slide).
struct CoordinateSpring {
  JointCoordinate on;
  double stiffness = 0;  ///< N m/rad or N/m
  double damping = 0;    ///< N m s/rad or N s/m
  double rest = 0;       ///< coordinate without force; rad or m
  double preload = 0;    ///< constant restoring effort; N m or N
  std::optional<ForceTable> table;
  std::optional<Formula> formula;  ///< of x = coordinate - rest, its rate v and time
};
/// Force at a point of a body; fixed in global axes, or following the body. A formula may use x and
/// v, position and velocity of the point along the direction; following the body, v alone.
struct PointForce {
  Frame at;
  Vec3 direction = Vec3::UnitX();  ///< unit vector (or any scale); multiplied by the motion, N
  Motion magnitude;
  bool follows_body = false;
};
/// Torque on a body; fixed in global axes, or following the body. A formula may use v, the angular
/// velocity along the direction, and in the plane x, the angle of the body.
struct BodyTorque {
  BodyIndex body = kGround;
  Vec3 direction = Vec3::UnitZ();
  Motion magnitude;  ///< N m
  bool follows_body = false;
};
/// Effort of a motor or actuator on a joint coordinate: on the second body, reacted by the first. A
/// formula may use x and v, the coordinate and its rate.
struct JointEffort {
  JointCoordinate on;
  Motion magnitude;  ///< N m or N
};

/// Two points, each of its body.
struct PointPair {
  Frame first, second;
};
/// Damper with a spring in series (Maxwell's element): a real shock absorber with its mounts and
/// its oil, which gives way before it flows. Its force is a state of its own, zero at the start.
/// Acts on the distance of two points, or on a joint coordinate.
struct SeriesDamper {
  std::variant<PointPair, JointCoordinate> along;
  double damping = 0;    ///< N s/m or N m s/rad
  double stiffness = 0;  ///< of the spring in series; N/m or N m/rad
};

/// The types of force elements: the only list (src/dynamics/elements/forces/, one file each).
using ForceElement =
    std::variant<PointSpring, CoordinateSpring, PointForce, BodyTorque, JointEffort, SeriesDamper>;

/// One force element of the model, by name.
struct Force {
  std::string name;
  ForceElement element;
  int line = 0;
};

enum class Formulation { automatic, cartesian, tree };
enum class Method {
  automatic,
  dop853,  ///< Freeplay's explicit Runge-Kutta 8(5,3) with dense output of order 7
  radau,   ///< Freeplay's implicit Runge-Kutta of order 5, Radau IIA
  cvode_adams,
  cvode_bdf,
  arkode_erk,
  arkode_dirk,
  ida,
  rk4,
  heun,   ///< fixed step, for studies of convergence
  moreau  ///< non-smooth time stepping of Moreau and Jean: rigid contacts, no events
};
enum class Analysis { dynamic, kinematic };

struct Baumgarte {
  double alpha = 5, beta = 5;  ///< 1/s
};

/// The [simulation] table.
struct Simulation {
  double start = 0;         ///< s
  double duration = 1;      ///< s
  double output = 0;        ///< step of the uniform series, s; 0: a thousandth of the duration
  double tolerance = 1e-9;  ///< relative to the mechanism's own scales
  double step = 0;          ///< fixed-step methods only; s
  double theta = 0.5;       ///< moreau: 1/2 (midpoint) to 1 (implicit Euler)
  double max_step = 0;      ///< s; 0: no limit
  Analysis analysis = Analysis::dynamic;
  Formulation formulation = Formulation::automatic;
  Method method = Method::automatic;
  std::optional<Baumgarte> baumgarte;  ///< absent: projection
};

/// The mechanism itself: a value, complete in memory.
struct Mechanism {
  std::string name;
  bool planar = false;
  Vec3 gravity = Vec3::Zero();  ///< m/s^2
  std::vector<Body> bodies;     ///< bodies[0] is the ground
  std::vector<Marker> markers;
  std::vector<Joint> joints;
  std::vector<Coupling> couplings;
  std::vector<Force> forces;  ///< springs, forces, torques, efforts, dampers: as files have them
  std::vector<ControlSignal> signals;
  std::vector<Controller> controllers;

  Mechanism();  ///< empty, with its ground
};

/// What is simulated: a mechanism, and beside it what is to be computed and the text it came from.
struct Model : Mechanism {
  Simulation simulation;
  std::string source;  ///< text as given, for reports; empty when built in code. Means nothing.

  Model() = default;
  explicit Model(Mechanism mechanism, Simulation run = {})
      : Mechanism(std::move(mechanism)), simulation(std::move(run)) {}
};

/// Throws ModelError listing everything that is wrong, each with its place: indices without an
/// object, numbers that are not finite or out of bounds, laws and parameters that no catalogue has,
/// parts that do not fit together, bodies that cannot exist. The rules are those of the model file,
/// read by the same code: what passes can be written (`write_model`) and read back as it is.
void validate(const Model& model);

/// The model as the text of a model file, in canonical form: SI numbers in their shortest exact
/// form, points and axes in body frames, nothing left to a default that depends on something else.
/// Reading it gives the same model to the last bit, and models that differ have different texts.
[[nodiscard]] std::string write_model(const Model& model);

/// Characteristic length (largest distance between joints; m) and time (drive period, or
/// sqrt(L/g), or 1 s), to which `tolerance` is relative.
struct Scales {
  double length = 1, time = 1, mass = 1;
};
[[nodiscard]] Scales scales_of(const Model& model);

}  // namespace freeplay
