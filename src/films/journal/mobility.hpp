// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/journal/journal_film.hpp"

#include <algorithm>

// Mobility maps give the velocity of the journal that a load causes; a mechanism asks the other way
// round. The load is the root of V = |F| M(eps, F/|F|), found by its direction alone, because M
// does not depend on the size of the load (theory/films (F.16)).
namespace freeplay::films {

/// Components of the mobility along and across (90 degrees ahead of) the load, from the ratio along
/// and across it.
template <class T>
struct Mobility {
  T along, across;
};

template <class L>
struct MobilityFilm : JournalFilm<L> {
  static double axial_weight(double) { return 1; }

  template <class T>
  Resistance<T> resist(const T& ax, const T& ay, const T& vx, const T& vy) const {
    const T shear = full_shear_integral(ax, ay);
    const double unit = 2 * this->viscosity * this->length * this->R * this->R * this->R /
                        (this->c * this->c * this->c);
    const double speed = std::hypot(value_of(vx), value_of(vy));
    if (speed == 0) {
      // Force in proportion to the velocity, with the mobility of a load in its own direction.
      const Mobility<T> m = static_cast<const L&>(*this).mobility(T(0.0), T(0.0));
      const T k = -0.5 * unit / m.along;
      return {{k * vx, k * vy}, shear};
    }
    // In units of `unit` x speed.
    const double wx = value_of(vx) / speed, wy = value_of(vy) / speed;
    const Planar<double> load = find_load(value_of(ax), value_of(ay), wx, wy);
    // One Newton step in the dual numbers turns the root into a function of its arguments.
    using D = Dual<2>;
    const D lx = D::variable(load.x, 0), ly = D::variable(load.y, 1);
    const Planar<D> slope = velocity<D>(D(value_of(ax)), D(value_of(ay)), lx, ly);
    const double a = slope.x.d[0], b = slope.x.d[1], d = slope.y.d[0], e = slope.y.d[1];
    const double determinant = a * e - b * d;
    const Planar<T> at = velocity<T>(ax, ay, T(load.x), T(load.y));
    const T rx = vx / speed - at.x, ry = vy / speed - at.y;
    const T fx = load.x + (e * rx - b * ry) / determinant;
    const T fy = load.y + (a * ry - d * rx) / determinant;
    return {{-unit * speed * fx, -unit * speed * fy}, shear};
  }

 private:
  /// Velocity that a load causes, both without unit.
  template <class T>
  Planar<T> velocity(const T& ax, const T& ay, const T& lx, const T& ly) const {
    using std::sqrt;
    const T size = sqrt(lx * lx + ly * ly);
    const T along = (ax * lx + ay * ly) / size, across = (ay * lx - ax * ly) / size;
    const Mobility<T> m = static_cast<const L&>(*this).mobility(along, across);
    return {m.along * lx - m.across * ly, m.along * ly + m.across * lx};
  }

  /// The load of a unit velocity (wx, wy). Its direction lies within 90 degrees of the velocity:
  /// the film dissipates. Bisection with secant steps on M x w = 0.
  [[nodiscard]] Planar<double> find_load(double ax, double ay, double wx, double wy) const {
    const auto cross = [&](double angle) {
      const double lx = wx * std::cos(angle) - wy * std::sin(angle);
      const double ly = wy * std::cos(angle) + wx * std::sin(angle);
      const Planar<double> v = velocity(ax, ay, lx, ly);
      return (v.x * wy - v.y * wx) / std::hypot(v.x, v.y);
    };
    double low = -0.5 * std::numbers::pi, high = -low;
    double f_low = cross(low), f_high = cross(high);
    double angle = 0;
    for (int i = 0; i < 200 && high - low > 4e-16; ++i) {
      angle = (i % 3 == 2) ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low);
      if (!(angle > low && angle < high)) angle = 0.5 * (low + high);
      if (angle == low || angle == high) break;
      const double f = cross(angle);
      if (f == 0) break;
      if ((f > 0) == (f_low > 0)) {
        low = angle;
        f_low = f;
      } else {
        high = angle;
        f_high = f;
      }
    }
    const double lx = wx * std::cos(angle) - wy * std::sin(angle);
    const double ly = wy * std::cos(angle) + wx * std::sin(angle);
    const Planar<double> v = velocity(ax, ay, lx, ly);
    const double size = (wx * v.x + wy * v.y) / (v.x * v.x + v.y * v.y);
    return {size * lx, size * ly};
  }
};

/// Booker's fit of the short bearing.
struct BookerMobility : MobilityFilm<BookerMobility> {
  static constexpr Text key = "booker-mobility";
  static constexpr Text title = "Short bearing by mobility";
  static constexpr Text cite = "Booker 1965";
  static constexpr Text formula =
      "V = |F| c^3/(eta L D R^2) M; along the load M = (1 - x)^2.5/(pi (L/D)^2); "
      "across it M = -4 y (1 - x)^1.5/(pi^2 (L/D)^2); x, y: eccentricity ratio along and across";
  static constexpr Text limits =
      "A fit of the short bearing with half film: use `short-bearing`, which is exact, unless the "
      "mobility method itself is to be compared. No moments of a tilted journal.";

  static constexpr auto fields() {
    return std::array{viscosity_field(), minimum_film_field(), radius_field()};
  }
  static constexpr std::array samples{
      FilmSample{{27e-6, 0, 0, 0, 0, 600}, -19.3652369, 48.5166502}};

  template <class T>
  Mobility<T> mobility(const T& x, const T& y) const {
    using std::sqrt;
    const double slenderness = length / (2 * R), k = 1 / (slenderness * slenderness);
    const T gap = 1.0 - x, root = sqrt(gap);
    return {k / std::numbers::pi * gap * gap * root,
            -4 * k / (std::numbers::pi * std::numbers::pi) * y * gap * root};
  }
};

/// Moes' fit for bearings of any length.
struct MoesMobility : MobilityFilm<MoesMobility> {
  static constexpr Text key = "moes-mobility";
  static constexpr Text title = "Finite bearing by mobility";
  static constexpr Text cite = "Moes 1969; Childs, Moes & van Leeuwen 1977";
  static constexpr Text formula =
      "V = |F| c^3/(eta L D R^2) M; along the load M = 0.150 E (1 - x)^1.5; "
      "across it M = -0.150 G (1 - x)^1.5; B = (1 - x) (D/L)^2; E = 1 + 2.12 B; "
      "G = 3 y (1 + 3.60 B)/(4 (1 - x)); x, y: eccentricity ratio along and across";
  static constexpr Text limits =
      "1 to 10 % from the finite bearing for L/D up to 1, 20 % at ratio 0.9 or when opening. No "
      "moments of a tilted journal.";

  static constexpr auto fields() {
    return std::array{viscosity_field(), minimum_film_field(), radius_field()};
  }
  static constexpr std::array samples{
      FilmSample{{27e-6, 0, 0, 0, 0, 600}, -14.5093447, 39.3398872}};

  template <class T>
  Mobility<T> mobility(const T& x, const T& y) const {
    using std::sqrt;
    const double slenderness = length / (2 * R), k = 1 / (slenderness * slenderness);
    const T gap = 1.0 - x, root = sqrt(gap), B = k * gap;
    return {0.150 * (1.0 + 2.12 * B) * gap * root, -0.1125 * y * (1.0 + 3.60 * B) * root};
  }
};

}  // namespace freeplay::films
