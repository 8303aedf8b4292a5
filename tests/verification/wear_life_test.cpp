// SPDX-License-Identifier: Apache-2.0
#include "support/paths.hpp"
#include "support/recording.hpp"
#include "verification/pressed_slider_crank.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/study.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

// Wear over a life, with surfaces that change: theory/wear (W.9) to (W.13), verification cases W.
namespace freeplay::testing {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

struct Life {
  StudySummary summary;
  [[nodiscard]] const std::vector<double>& numbers(const std::string& name) const {
    for (const StudyNumber& number : summary.numbers)
      if (number.name == "life/" + name) return number.values;
    throw std::out_of_range(name);
  }
  [[nodiscard]] double last(const std::string& name) const { return numbers(name).back(); }
  /// Profile of the last point.
  [[nodiscard]] std::vector<double> profile(const std::string& part) const {
    const auto& all = numbers(part + "_profile");
    const std::size_t points = numbers("cycles").size(), sectors = all.size() / points;
    return {all.end() - static_cast<std::ptrdiff_t>(sectors), all.end()};
  }
};

Life live(const Model& model, const std::string& study, const std::string& name,
          bool resume = false, const std::atomic<bool>* stop = nullptr,
          const std::function<void(const StudyProgress&)>& progress = {}) {
  static const std::filesystem::path folder = scratch_dir();
  StudyOptions options;
  options.output = folder / (name + ".h5");
  options.resume = resume;
  options.stop = stop;
  options.progress = progress;
  Life out{run_study(model, "kind = \"wear\"\n" + study, options)};
  for (const StudyFailure& failure : out.summary.failures) ADD_FAILURE() << failure.error;
  return out;
}

const std::string kBed =
    "law = \"elastic-foundation\", layer_modulus = 1e10, layer_poisson = 0, layer_thickness = "
    "1e-3, restitution = 0.3, min_approach_speed = 0.05";

/// W1: a pin that turns in a bushing, 1000 N and 10 rad/s; only the bearing wears.
Model pin() {
  return model_from(fmt::format(R"(
[mechanism]
planar = true
gravity = [0, 0]
[bodies.pin]
mass = 10
inertia = 1
angular_velocity = 10
[joints.bore]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
[joints.bore.clearance]
bearing_radius = "10 mm"
journal_radius = "9.9 mm"
bearing_length = "15 mm"
offset = [1.023441724e-4, 0]
force_point = "ball"
contact = {{ {} }}
wear = {{ law = "archard", outer = "1e-14 1/Pa", inner = 0 }}
[forces.load]
body = "pin"
at = [0, 0]
vector = [1000, 0]
[simulation]
duration = 1
)",
                                kBed));
}

TEST(WearLife, APinDigsIntoItsBushing) {
  Check check("W1 (d) elastic bed, shape updated",
              "quadrature of the force balance with 4001 sectors and 16000 steps");
  const double turn = 2 * std::numbers::pi / 10;
  for (const auto& [share, depth, volume] :
       {std::tuple(0.1, 1.549957e-6, 7.468606e-11), std::tuple(1.0, 9.152604e-6, 7.553808e-10)}) {
    const Life life = live(
        pin(),
        fmt::format("cycle = {:.17g}\nuntil = {{ cycles = {:.17g} }}", turn, share * 750 / turn),
        fmt::format("pin_{}", share));
    const auto profile = life.profile("bore/outer");
    check.near("depth at the load", profile[0] / depth, 1, 5e-3);
    check.near("volume", life.last("bore/outer_volume") / volume, 1, 2e-3);
    check.near("volume audit",
               std::accumulate(profile.begin(), profile.end(), 0.0) * 0.01 * 0.015 * kDegree /
                   life.last("bore/outer_volume"),
               1, 1e-10);
    std::printf("W1 d %g: %g simulated cycles\n", share, life.last("simulated_cycles"));
    if (share < 1) continue;
    // (c): without the elastic part of the bed the worn arc is that of two circles.
    check.near("depth in the limit of a rigid bed", profile[0] / 9.172893e-6, 1, 5e-3);
    check.near("volume in that limit", life.last("bore/outer_volume") / 7.552535e-10, 1, 2e-3);
  }
}

/// The reference of W3 counts the slip that the journal's turn alone makes, R_j |phi'|. Material
/// also slides as the centre goes round with the load: (R_j + c) |phi'| together while the bearing
/// is round, R_j |phi'| again once the journal has dug itself in.
constexpr double kReferenceSlip = 9.9 / 10;

/// W3: the slider-crank of W2 on an elastic bed, only the bearing of the pin wears. Settings of the
/// simulation are the defaults.
Model slider_crank(double coefficient, int sectors = 360) {
  return pressed_slider_crank(fmt::format(R"(bearing_radius = "10 mm"
radial = "0.1 mm"
bearing_length = "10 mm"
offset = ["0.1 mm", 0]
force_point = "ball"
contact = {{ {} }}
wear = {{ law = "archard", outer = {}, inner = 0, sectors = {} }})",
                                          kBed, coefficient, sectors),
                              "duration = 0.2");
}

/// W3 in another way: the force of the ideal mechanism pressed on the bed at every crank angle, and
/// explicit updates that are short enough to be stable.
class PressedBearing {
 public:
  PressedBearing(int angles, int sectors) : sectors_(sectors) {
    constexpr double r = 0.05, l = 0.12, rod = 0.21, inertia = 2.5e-4, slider = 0.14;
    for (int k = 0; k < angles; ++k) {
      const double turn = 2 * std::numbers::pi * k / angles, s = std::sin(turn), c = std::cos(turn);
      // Rod at the angle p, with its derivatives by the angle of the crank.
      const double sp = -r / l * s, p = std::asin(sp), cp = std::cos(p), dp = -r * c / (l * cp),
                   ddp = (r / l * s + sp * dp * dp) / cp;
      const double w = kSpeed * kSpeed;
      const double ax = w * (-r * c - l * (cp * dp * dp + sp * ddp)),  // of the slider
          cx = w * (-r * c - 0.5 * l * (cp * dp * dp + sp * ddp)),     // of the middle of the rod
          cy = w * (-r * s + 0.5 * l * (-sp * dp * dp + cp * ddp));
      const double fx = slider * ax + 100;
      const double moment = inertia * w * ddp + rod * 0.5 * l * (cp * cy - sp * cx);
      const double fy = (l * sp * fx - moment) / (l * cp);
      places_.push_back({{fx, fy}, {1.005e-4, 0}, dp});
    }
    for (int k = 0; k < sectors; ++k) {
      const double angle = 2 * std::numbers::pi * k / sectors;
      rays_.push_back({std::cos(angle), std::sin(angle)});
    }
  }
  /// Depths after so many turns, `updates` of equal length. The material slides as the journal
  /// turns and as its centre moves.
  std::vector<double> after(double turns, int updates) {
    std::vector<double> depth(rays_.size(), 0.0), rate(rays_.size());
    for (int n = 0; n < updates; ++n) {
      std::fill(rate.begin(), rate.end(), 0.0);
      for (Place& at : places_) settle(at, depth);
      const std::size_t last = places_.size();
      for (std::size_t i = 0; i < last; ++i) {
        const Place &at = places_[i], &before = places_[(i + last - 1) % last],
                    &after = places_[(i + 1) % last];
        const double twice = 4 * std::numbers::pi / static_cast<double>(last);
        const double vx = (after.centre[0] - before.centre[0]) / twice,
                     vy = (after.centre[1] - before.centre[1]) / twice;
        for (std::size_t k = 0; k < rays_.size(); ++k) {
          const auto& [c, s] = rays_[k];
          const double d = at.centre[0] * c + at.centre[1] * s - 1e-4 - depth[k];
          if (d > 0) rate[k] += d * std::abs(0.0099 * at.turn + vy * c - vx * s);
        }
      }
      const double each = 1e-14 * kStiffness * 2 * std::numbers::pi /
                          static_cast<double>(places_.size()) * turns / updates;
      for (std::size_t k = 0; k < rays_.size(); ++k) depth[k] += each * rate[k];
    }
    return depth;
  }

 private:
  static constexpr double kSpeed = 300 * 2 * std::numbers::pi / 60, kStiffness = 1e13;
  struct Place {
    std::array<double, 2> force, centre;
    double turn;  // of the rod, over that of the crank
  };
  /// Newton's method on the balance of forces, which is convex.
  void settle(Place& at, const std::vector<double>& depth) const {
    const double area = kStiffness * 0.01 * 0.01 * 2 * std::numbers::pi / sectors_;
    auto& [x, y] = at.centre;
    for (int step = 0; step < 200; ++step) {
      double fx = -at.force[0], fy = -at.force[1], xx = 1e3, xy = 0, yy = 1e3;
      for (std::size_t k = 0; k < rays_.size(); ++k) {
        const auto& [c, s] = rays_[k];
        const double d = x * c + y * s - 1e-4 - depth[k];
        if (!(d > 0)) continue;
        fx += area * d * c, fy += area * d * s;
        xx += area * c * c, xy += area * c * s, yy += area * s * s;
      }
      if (std::hypot(fx, fy) < 1e-8) return;
      const double det = xx * yy - xy * xy;
      const double ux = -(yy * fx - xy * fy) / det, uy = -(xx * fy - xy * fx) / det;
      const double most = std::min(1.0, 1e-6 / std::hypot(ux, uy));
      x += most * ux, y += most * uy;
    }
    ADD_FAILURE() << "no balance";
  }

  int sectors_;
  std::vector<Place> places_;
  std::vector<std::array<double, 2>> rays_;
};

/// Every sector inside 30 degrees, over the greatest depth of all.
void compare_sectors(Check& check, const std::string& what, const std::vector<double>& found,
                     const std::vector<double>& expected, double tolerance) {
  const double most = std::ranges::max(expected);
  for (int k = -30; k <= 30; ++k) {
    const auto at = static_cast<std::size_t>((k + 360) % 360);
    check.near(what, found[at] / most, expected[at] / most, tolerance);
  }
}

TEST(WearLife, ASliderCrankAfterTenThousandTurns) {
  Check check("W3 slider-crank, 1e4 turns",
              "quasi-static force balance, 480 crank angles, 1440 sectors, 200 updates");
  const Life life = live(slider_crank(kReferenceSlip * 1e-14),
                         "cycle = \"0.2 s\"\nuntil = { cycles = 1e4 }", "slider_crank_early");
  const auto profile = life.profile("pin/outer");
  for (const auto& [angle, depth] :
       {std::pair(0, 2.0512e-6), std::pair(10, 2.0954e-6), std::pair(20, 1.7271e-6),
        std::pair(25, 9.301e-7), std::pair(30, 3.76e-8)})
    check.near("depth over the greatest", profile[static_cast<std::size_t>(angle)] / 2.1014e-6,
               depth / 2.1014e-6, 1e-2);
  check.near("volume", life.last("pin/outer_volume") / 1.73964e-10, 1, 3e-3);
}

TEST(WearLife, ASliderCrankAfterAHundredThousandTurns) {
  Check check("W3 slider-crank, 1e5 turns",
              "quasi-static force balance, 480 crank angles, 1440 sectors, 200 updates");
  const std::string study = "cycle = \"0.2 s\"\nuntil = { cycles = 1e5 }\n";
  const Life life = live(slider_crank(1e-14), study, "slider_crank");
  const auto profile = life.profile("pin/outer");
  for (const auto& [angle, depth] :
       {std::pair(0, 2.17181e-5), std::pair(10, 1.98770e-5), std::pair(20, 1.44032e-5),
        std::pair(25, 1.03516e-5), std::pair(30, 5.4629e-6)})
    check.near("depth over the greatest", profile[static_cast<std::size_t>(angle)] / 2.17181e-5,
               depth / 2.17181e-5, 1e-2);
  // The same balance with the slip of the material.
  const auto pressed = PressedBearing(240, 360).after(1e5, 200);
  compare_sectors(check, "every sector, force balance", profile, pressed, 1e-2);
  check.near("volume, force balance",
             std::accumulate(profile.begin(), profile.end(), 0.0) /
                 std::accumulate(pressed.begin(), pressed.end(), 0.0),
             1, 3e-3);
  check.near("volume audit",
             std::accumulate(profile.begin(), profile.end(), 0.0) * 0.01 * 0.01 * kDegree /
                 life.last("pin/outer_volume"),
             1, 1e-10);
  std::printf("W3: %g simulated turns\n", life.last("simulated_cycles"));
  EXPECT_LE(life.last("simulated_cycles"), 300);
  // Steps of half the length, whose errors are an eighth.
  const Life finer = live(slider_crank(1e-14), study + "precision = 6.25e-4", "slider_crank_finer");
  compare_sectors(check, "half the factor", profile, finer.profile("pin/outer"), 5e-3);
  // Twice the sectors: means over the same 61 places.
  const Life narrow = live(slider_crank(1e-14, 720), study, "slider_crank_720");
  const auto halves = narrow.profile("pin/outer");
  std::vector<double> means(360);
  for (std::size_t k = 0; k < 360; ++k)
    means[k] = 0.25 * halves[(2 * k + 719) % 720] + 0.5 * halves[2 * k] + 0.25 * halves[2 * k + 1];
  compare_sectors(check, "720 sectors", profile, means, 5e-3);
}

// ---- W4 (c): a ball that digs into its socket, 200 N and 5 rad/s; only the socket wears

Model ball(int cells) {
  return model_from(fmt::format(R"(
[mechanism]
gravity = [0, 0, 0]
[bodies.ball]
mass = 10
inertia = [1, 1, 1]
angular_velocity = [0, 0, 5]
[joints.ball]
type = "spherical"
bodies = ["ground", "ball"]
at = [0, 0, 0]
[joints.ball.clearance]
socket_radius = "10 mm"
ball_radius = "9.8 mm"
offset = [2.036e-4, 0, 0]
force_point = "ball"
contact = {{ {} }}
wear = {{ law = "archard", outer = "1e-14 1/Pa", inner = 0, cells = {} }}
[forces.load]
body = "ball"
at = [0, 0, 0]
vector = [200, 0, 0]
[simulation]
duration = 1
)",
                                kBed, cells));
}

/// The same by quadrature over the cap about the load: balance of forces along it, and explicit
/// updates that are short enough to be stable. Depth at the load and volume.
std::pair<double, double> pressed_socket(double turns, int updates, int rings) {
  constexpr double K = 1e13, R = 0.01, c = 2e-4, k = 1e-14, F = 200;
  const int sides = 2 * rings;
  const double most = 0.7, dt = most / rings, dp = 2 * std::numbers::pi / sides;
  std::vector<double> depth(static_cast<std::size_t>(rings * sides), 0.0);
  double e = 2.036e-4;
  const auto visit = [&](auto&& f) {
    for (int i = 0; i < rings; ++i)
      for (int j = 0; j < sides; ++j) {
        const double t = (i + 0.5) * dt, p = (j + 0.5) * dp;
        f(static_cast<std::size_t>(i * sides + j), std::cos(t), std::sin(t) * std::sin(p),
          std::sin(t) * dt * dp);
      }
  };
  double volume = 0;
  for (int n = 0; n < updates; ++n) {
    for (int step = 0; step < 30; ++step) {  // Newton's method, convex
      double force = -F, slope = 0;
      visit([&](std::size_t at, double x, double, double area) {
        const double d = e * x - c - depth[at];
        if (d > 0) force += K * R * R * d * x * area, slope += K * R * R * x * x * area;
      });
      e -= force / slope;
      if (std::abs(force) < 1e-9 * F) break;
    }
    const double path = 0.0098 * 2 * std::numbers::pi * turns / updates;
    visit([&](std::size_t at, double x, double z, double area) {
      const double d = e * x - c - depth[at];
      if (!(d > 0)) return;
      const double lost = k * K * d * path * std::sqrt(1 - z * z);
      depth[at] += lost;
      volume += lost * R * R * area;
    });
  }
  return {depth[0], volume};
}

TEST(WearLife, ABallDigsIntoItsSocket) {
  Check check("W4 (c) ball on an elastic bed, shape updated",
              "quadrature of the force balance, 160 rings of 320 places, 800 updates");
  const double turn = 2 * std::numbers::pi / 5, turns = 490 / (0.0098 * 2 * std::numbers::pi);
  const auto [depth, volume] = pressed_socket(turns, 800, 160);
  const auto [coarse_depth, coarse_volume] = pressed_socket(turns, 400, 80);
  check.near("the reference against a coarser one, depth", coarse_depth / depth, 1, 2e-3);
  check.near("the reference against a coarser one, volume", coarse_volume / volume, 1, 1e-3);
  const Life life =
      live(ball(4000), fmt::format("cycle = {:.17g}\nuntil = {{ cycles = {:.17g} }}", turn, turns),
           "ball");
  const auto profile = life.profile("ball/outer");
  check.near("greatest depth", std::ranges::max(profile) / depth, 1, 1e-2);
  check.near("volume", life.last("ball/outer_volume") / volume, 1, 5e-3);
  check.near("volume audit",
             std::accumulate(profile.begin(), profile.end(), 0.0) * 4 * std::numbers::pi * 1e-4 /
                 4000 / life.last("ball/outer_volume"),
             1, 1e-10);
  std::printf("W4 c: %g simulated cycles, depth %.6g against %.6g\n", life.last("simulated_cycles"),
              std::ranges::max(profile), depth);
}

TEST(WearLife, GoesOnAfterAnInterruptionAsIfNothingHadHappened) {
  const std::string study = "cycle = \"0.2 s\"\nuntil = { cycles = 1500 }";
  const Life whole = live(slider_crank(1e-14), study, "whole");
  std::atomic<bool> stop{false};
  for (int part = 0;; ++part) {
    ASSERT_LT(part, 50);
    int seen = 0;
    stop = false;
    const Life piece = live(slider_crank(1e-14), study, "pieces", part > 0, &stop,
                            [&](const StudyProgress&) { stop = ++seen >= 4; });
    if (!piece.summary.complete) continue;
    for (const StudyNumber& number : whole.summary.numbers)
      EXPECT_EQ(piece.numbers(number.name.substr(5)), number.values) << number.name;
    break;
  }
}

TEST(WearLife, EndsWhereItIsTold) {
  Check check("end of a life", "the first bound that is met");
  const double turn = 2 * std::numbers::pi / 10;
  const std::string head = fmt::format("cycle = {:.17g}\n", turn);
  const Life life =
      live(pin(), head + "until = { cycles = 1e6, clearance = \"0.101 mm\" }", "clearance");
  EXPECT_GE(life.last("bore/clearance"), 0.101e-3);
  EXPECT_LT(life.last("end"), 750 / turn);
  EXPECT_GT(life.last("end"), 0.01 * 750 / turn);
  // Without an update a cycle wears as the first: linear.
  const Life straight = live(pin(), head + "until = { cycles = 100 }\nupdate = false", "straight");
  check.near("linear", straight.last("bore/outer_volume") / straight.numbers("bore/outer_rate")[0],
             100, 1e-8);
}

TEST(WearLife, SaysWhatItCannotDo) {
  using ::testing::HasSubstr;
  const auto message = [](const Model& model, const std::string& study) {
    try {
      static_cast<void>(live(model, study, "refused"));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  Model hertz = pin();
  hertz.joints[0].clearance->contact = LawChoice{"hertz", {{"stiffness", 1e11}}};
  hertz.joints[0].clearance->outer = hertz.joints[0].clearance->inner = Material{207e9, 0.3};
  EXPECT_THAT(message(hertz, "cycle = 1\nuntil = { cycles = 10 }"),
              HasSubstr("radii of the new parts"));
  Model still = pin();
  still.joints[0].clearance->wear.reset();
  EXPECT_THAT(message(still, "cycle = 1\nuntil = { cycles = 10 }"), HasSubstr("no joint"));
  EXPECT_THAT(message(pin(), "until = { cycles = 10 }"), HasSubstr("cycle"));
  EXPECT_THAT(message(pin(), "cycle = 1\nuntil = { clearance = 1 }"), HasSubstr("cycles"));
}

}  // namespace
}  // namespace freeplay::testing
