// SPDX-License-Identifier: Apache-2.0
#include "films/evaluate.hpp"

#include <limits>

namespace freeplay::films {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

/// The function of N numbers that `f` is, at PairDual arguments.
template <std::size_t N, std::size_t M, class F>
std::array<PairDual, M> through(const std::array<PairDual, N>& inputs, const F& f) {
  using D = Dual<static_cast<int>(N)>;
  std::array<D, N> x;
  for (std::size_t i = 0; i < N; ++i) x[i] = D::variable(inputs[i].value, static_cast<int>(i));
  const std::array<D, M> y = f(x);
  std::array<PairDual, M> out;
  for (std::size_t j = 0; j < M; ++j) {
    std::array<double, N> slopes;
    for (std::size_t i = 0; i < N; ++i) slopes[i] = y[j].d[static_cast<int>(i)];
    out[j] = chained(y[j].value, slopes, inputs);
  }
  return out;
}

template <class L>
FilmForce<PairDual> chained_force(const L& law, const FilmMotion<PairDual>& m) {
  const auto y = through<6, 4>(
      {m.ex, m.ey, m.ex_dot, m.ey_dot, m.spin_outer, m.spin_inner}, [&](const auto& x) {
        const auto f =
            law.force(FilmMotion<std::decay_t<decltype(x[0])>>{x[0], x[1], x[2], x[3], x[4], x[5]});
        return std::array{f.fx, f.fy, f.torque_inner, f.torque_outer};
      });
  return {y[0], y[1], y[2], y[3]};
}

template <class L>
TiltedForce<PairDual> chained_force(const L& law, const TiltedMotion<PairDual>& m) {
  const FilmMotion<PairDual>& c = m.centre;
  const auto y =
      through<10, 6>({c.ex, c.ey, c.ex_dot, c.ey_dot, c.spin_outer, c.spin_inner, m.slope_x,
                      m.slope_y, m.slope_x_dot, m.slope_y_dot},
                     [&](const auto& x) {
                       const auto f = law.force(TiltedMotion<std::decay_t<decltype(x[0])>>{
                           {x[0], x[1], x[2], x[3], x[4], x[5]}, x[6], x[7], x[8], x[9]});
                       return std::array{f.centre.fx,           f.centre.fy, f.centre.torque_inner,
                                         f.centre.torque_outer, f.mx,        f.my};
                     });
  return {{y[0], y[1], y[2], y[3]}, y[4], y[5]};
}

template <class L>
BallForce<PairDual> chained_force(const L& law, const BallMotion<PairDual>& m) {
  std::array<PairDual, 12> inputs;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    inputs[k] = m.e[i];
    inputs[3 + k] = m.e_dot[i];
    inputs[6 + k] = m.spin_outer[i];
    inputs[9 + k] = m.spin_inner[i];
  }
  const auto y = through<12, 9>(inputs, [&](const auto& x) {
    using D = std::decay_t<decltype(x[0])>;
    const BallForce<D> f = law.force(BallMotion<D>{
        {x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}, {x[9], x[10], x[11]}});
    return std::array{f.force[0],        f.force[1],        f.force[2],
                      f.torque_inner[0], f.torque_inner[1], f.torque_inner[2],
                      f.torque_outer[0], f.torque_outer[1], f.torque_outer[2]};
  });
  return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}, {y[6], y[7], y[8]}};
}

/// `none` of the laws of a ball.
template <class T, class Moving, class Force>
Force of_journal(const FilmLaw& law, const Moving& m, const Force& none) {
  return std::visit(
      [&]<class L>(const L& l) -> Force {
        if constexpr (L::spherical)
          return none;
        else if constexpr (std::is_same_v<T, double> || requires { l.solver; })
          return l.force(m);
        else
          return chained_force(l, m);
      },
      law);
}

}  // namespace

bool is_spherical(const FilmLaw& law) {
  return std::visit([]<class L>(const L&) { return L::spherical; }, law);
}

template <class T>
FilmForce<T> journal_force(const FilmLaw& law, const FilmMotion<T>& m) {
  return of_journal<T>(law, m, FilmForce<T>{T(kNan), T(kNan), T(kNan), T(kNan)});
}

template <class T>
TiltedForce<T> journal_force(const FilmLaw& law, const TiltedMotion<T>& m) {
  return of_journal<T>(law, m,
                       TiltedForce<T>{{T(kNan), T(kNan), T(kNan), T(kNan)}, T(kNan), T(kNan)});
}

template <class T>
BallForce<T> ball_force(const FilmLaw& law, const BallMotion<T>& m) {
  return std::visit(
      [&]<class L>(const L& l) -> BallForce<T> {
        if constexpr (L::spherical) {
          if constexpr (std::is_same_v<T, double>)
            return l.force(m);
          else
            return chained_force(l, m);
        } else {
          const Vec3T<T> nothing = Vec3T<T>::Constant(T(kNan));
          return {nothing, nothing, nothing};
        }
      },
      law);
}

std::size_t film_states(const FilmLaw& law) {
  return std::visit(
      []<class L>(const L& l) -> std::size_t {
        if constexpr (requires { l.states(); })
          return l.states();
        else
          return 0;
      },
      law);
}

template <class T>
FilmForce<T> journal_force(const FilmLaw& law, const FilmMotion<T>& m,
                           std::span<const double> before, double dt, std::span<double> after) {
  if (const auto* conserving = std::get_if<ReynoldsMassConserving>(&law))
    return conserving->force(m, before, dt, after);
  return journal_force(law, m);
}

FilmObservation observe(const FilmLaw& law, const FilmMotion<double>& m) {
  FilmObservation out{kNan, kNan, kNan, kNan};
  std::visit(
      [&]<class L>(const L& l) {
        out.min_film = l.c - std::hypot(m.ex, m.ey);
        if constexpr (requires { l.solver; })
          if (!l.solver->round()) out.min_film = l.solver->thinnest(m.ex, m.ey, m.turn);
        if constexpr (!L::spherical) {
          const FilmForce<> f = l.force(m);
          out.power = f.fx * m.ex_dot + f.fy * m.ey_dot + f.torque_inner * m.spin_inner +
                      f.torque_outer * m.spin_outer;
          if constexpr (requires { l.solver; }) {
            const auto seen = l.seen(m);
            out.max_pressure = seen.max_pressure;
            out.wet_share = seen.wet_share;
          }
        }
      },
      law);
  return out;
}

FilmObservation observe(const FilmLaw& law, const TiltedMotion<double>& m) {
  FilmObservation out{kNan, kNan, kNan, kNan};
  std::visit(
      [&]<class L>(const L& l) {
        if constexpr (!L::spherical) {
          const double half = 0.5 * l.length;
          const auto at_end = [&](double z) {
            return std::hypot(m.centre.ex + z * m.slope_x, m.centre.ey + z * m.slope_y);
          };
          out.min_film = l.c - std::max(at_end(-half), at_end(half));
          const TiltedForce<> f = l.force(m);
          out.power = f.centre.fx * m.centre.ex_dot + f.centre.fy * m.centre.ey_dot +
                      f.centre.torque_inner * m.centre.spin_inner +
                      f.centre.torque_outer * m.centre.spin_outer - f.mx * m.slope_y_dot +
                      f.my * m.slope_x_dot;
          if constexpr (requires { l.solver; }) {
            const ReynoldsResult r = l.solve(m);
            out.max_pressure = r.max_pressure;
            out.wet_share = r.wet_share;
          }
        }
      },
      law);
  return out;
}

bool records_pressure(const FilmLaw& law) {
  return std::visit(
      []<class L>(const L& l) {
        if constexpr (requires { l.record_pressure; })
          return l.record_pressure;
        else
          return false;
      },
      law);
}

std::size_t pressure_nodes(const FilmLaw& law) {
  return std::visit(
      []<class L>(const L& l) -> std::size_t {
        if constexpr (requires { l.solver; })
          return static_cast<std::size_t>(l.solver->nodes_around()) *
                 static_cast<std::size_t>(l.solver->settings().along + 1);
        else
          return 0;
      },
      law);
}

std::vector<double> pressure_field(const FilmLaw& law, const TiltedMotion<double>& m, bool tilts) {
  return std::visit(
      [&]<class L>(const L& l) -> std::vector<double> {
        if constexpr (requires { l.solver; }) {
          static_cast<void>(tilts ? l.solve(m) : l.solve(m.centre));
          return l.solver->pressure(tilts);
        } else {
          return {};
        }
      },
      law);
}

template FilmForce<double> journal_force(const FilmLaw&, const FilmMotion<double>&);
template FilmForce<PairDual> journal_force(const FilmLaw&, const FilmMotion<PairDual>&);
template TiltedForce<double> journal_force(const FilmLaw&, const TiltedMotion<double>&);
template TiltedForce<PairDual> journal_force(const FilmLaw&, const TiltedMotion<PairDual>&);
template BallForce<double> ball_force(const FilmLaw&, const BallMotion<double>&);
template BallForce<PairDual> ball_force(const FilmLaw&, const BallMotion<PairDual>&);
template FilmForce<double> journal_force(const FilmLaw&, const FilmMotion<double>&,
                                         std::span<const double>, double, std::span<double>);
template FilmForce<PairDual> journal_force(const FilmLaw&, const FilmMotion<PairDual>&,
                                           std::span<const double>, double, std::span<double>);

}  // namespace freeplay::films
