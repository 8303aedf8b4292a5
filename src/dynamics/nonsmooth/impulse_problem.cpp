// SPDX-License-Identifier: Apache-2.0
#include "dynamics/nonsmooth/impulse_problem.hpp"

#include <cmath>

namespace freeplay::dynamics {

// ---- numbers

void ImpulseProblem::add_mass(int i, int k, double value) {
  const auto bi = static_cast<std::size_t>(body_of_[i]), bk = static_cast<std::size_t>(body_of_[k]);
  const bool mirrored = bi < bk || (bi == bk && i < k);
  const auto high = mirrored ? bk : bi;
  const int other = static_cast<int>(mirrored ? bi : bk);
  const int row = (mirrored ? k : i) - body_dof_[high];
  const int column = (mirrored ? i : k) - body_dof_[static_cast<std::size_t>(other)];
  for (const MassBlock& block : mass_[high]) {
    if (block.other != other) continue;
    const int wide = body_width_[static_cast<std::size_t>(other)];
    const std::ptrdiff_t e = block.entry[static_cast<std::size_t>(row * wide + column)];
    if (e < 0) return;
    const auto entry = static_cast<std::size_t>(e);
    (mirrored ? lu_.mirror(entry) : lu_.value(entry)) += value;
    return;
  }
}

void ImpulseProblem::clear_mass() {
  for (std::size_t e = 0; e < mass_entries_; ++e) lu_.value(e) = lu_.mirror(e) = 0;
}

void ImpulseProblem::set_row(int r, int body_in_row, const double* force, const double* rate) {
  const Share& share = row_shares_[static_cast<std::size_t>(r)][body_in_row];
  for (int c = 0; c < share.width; ++c) {
    lu_.value(share.entry + static_cast<std::size_t>(c)) = rate[c];
    lu_.mirror(share.entry + static_cast<std::size_t>(c)) = force[c];
  }
}

void ImpulseProblem::scale_rows() {
  for (int r = 0; r < rows_; ++r) {
    double sum = 0;
    for (const Share& share : row_shares_[static_cast<std::size_t>(r)])
      for (int c = 0; c < share.width; ++c)
        sum += lu_.value(share.entry + static_cast<std::size_t>(c)) *
               lu_.mirror(share.entry + static_cast<std::size_t>(c)) /
               inertia_[static_cast<std::size_t>(share.dof + c)];
    row_scale_[static_cast<std::size_t>(r)] = sum > 0 ? sum : 1;
    lu_.value(row_diagonals_ + static_cast<std::size_t>(r)) = -kRedundant * row_scale_[r];
  }
}

void ImpulseProblem::clear_contacts() {
  contacts_.clear();
  for (Place& place : places_) {
    if (!place.used) continue;
    place.used = false;
    write_identity(place);
  }
}

/// Rows of a place where nothing touches: impulse = 0.
void ImpulseProblem::write_identity(const Place& place) {
  const std::size_t all = static_cast<std::size_t>(place.count * place.width);
  std::size_t e = place.entry;
  for (; e < place.entry + all; ++e) lu_.value(e) = lu_.mirror(e) = 0;
  for (int i = 0; i < place.count; ++i)
    for (int j = 0; j <= i; ++j, ++e) {
      lu_.mirror(e) = 0;
      lu_.value(e) = i == j ? 1 : 0;
    }
  for (std::size_t k = 0; k < place.pressed_by.size(); ++k)
    lu_.value(place.press_entry + k) = lu_.mirror(place.press_entry + k) = 0;
}

int ImpulseProblem::place_of(int surfaces) {
  for (int p : places_of_[static_cast<std::size_t>(surfaces)])
    if (!places_[static_cast<std::size_t>(p)].used) return p;
  return -1;
}

ImpulseProblem::Contact& ImpulseProblem::take(Contact contact, const double* v) {
  Place& place = places_[static_cast<std::size_t>(contact.place)];
  place.used = true;
  double pace[4] = {0, 0, 0, 0};
  for (int i = 0; i < place.count; ++i) {
    const double* h = gradient(contact.place, i);
    const std::size_t first = place.entry + static_cast<std::size_t>(i * place.width);
    contact.before[i] = 0;
    int at = 0;
    for (int side = 0; side < 2; ++side)
      for (int c = 0; c < place.wide[side]; ++c, ++at) {
        const int dof = place.dof[side] + c;
        contact.before[i] += h[at] * v[dof];
        pace[i] += h[at] * h[at] / inertia_[static_cast<std::size_t>(dof)];
        // Columns stay; the rows follow the mode.
        lu_.mirror(first + static_cast<std::size_t>(at)) = i <= contact.tangents ? -h[at] : 0;
      }
  }
  contact.pace_n = pace[0] > 0 ? 1 / pace[0] : 1;
  const double across = std::max({pace[1], pace[2], pace[3]});
  contact.pace_t = across > 0 ? 1 / across : contact.pace_n;
  contact.mu = contact.mode == Mode::stick ? contact.at_rest : contact.sliding;
  contact.ease = 0;
  contact.direction = Along::Zero();
  contact.rubs = place.rubs;
  if (contact.mode == Mode::open && contact.before[0] < 0)
    contact.mode = contact.tangents > 0 ? Mode::slip : Mode::stick;
  if (contact.mode == Mode::slip) {
    const double slip = contact.before.tail<3>().norm();
    if (slip > 0)
      contact.direction.tail<3>() = -contact.before.tail<3>() / slip;
    else
      contact.mode = Mode::stick;
  }
  // What never parts and does not slide is held by the larger coefficient from the first step on.
  if (contact.rubs && contact.mode == Mode::stick) contact.mu = contact.at_rest;
  return contacts_.emplace_back(contact);
}

// ---- one set of modes

void ImpulseProblem::write_contact(const Contact& contact) {
  const Place& place = places_[static_cast<std::size_t>(contact.place)];
  const auto diagonal = [&](int i, int j) {  // i >= j
    return place.entry + static_cast<std::size_t>(place.count * place.width + i * (i + 1) / 2 + j);
  };
  const auto row = [&](int i, const double* h, double factor) {
    const std::size_t first = place.entry + static_cast<std::size_t>(i * place.width);
    for (int c = 0; c < place.width; ++c)
      lu_.value(first + static_cast<std::size_t>(c)) = h ? factor * h[c] : 0;
  };
  const bool closed = contact.mode != Mode::open;
  if (contact.rubs) {
    // P_N - n . R L = P_0, with the direction n in which the last answer pressed.
    const Vec3* presses = &presses_[place.presses];
    for (std::size_t k = 0; k < place.pressed_by.size(); ++k)
      lu_.value(place.press_entry + k) = closed ? -contact.pressing.dot(presses[k]) : 0;
    lu_.value(diagonal(0, 0)) = 1;
  } else {
    row(0, closed ? gradient(contact.place, 0) : nullptr, 1);
    lu_.value(diagonal(0, 0)) = closed ? softness_ / contact.pace_n : 1;
  }
  for (int i = 1; i < place.count; ++i) {
    for (int j = 0; j <= i; ++j) lu_.value(diagonal(i, j)) = lu_.mirror(diagonal(i, j)) = 0;
    if (!closed || i > contact.tangents) {
      row(i, nullptr, 0);
      lu_.value(diagonal(i, i)) = 1;
    } else if (contact.mode == Mode::stick) {
      row(i, gradient(contact.place, i), 1);
      lu_.value(diagonal(i, i)) = softness_ / contact.pace_t;
    }
  }
  if (contact.mode != Mode::slip) return;
  // Alart & Curnier 1991: P_T - mu d P_N - ease Q (P_T - pace u_T), Q = 1 - d d^T.
  const Along& d = contact.direction;
  for (int i = 1; i <= contact.tangents; ++i) {
    lu_.value(diagonal(i, 0)) = -contact.mu * d[i];
    const std::size_t first = place.entry + static_cast<std::size_t>(i * place.width);
    row(i, nullptr, 0);
    for (int j = 1; j <= contact.tangents; ++j) {
      const double Q = contact.ease * ((i == j ? 1.0 : 0.0) - d[i] * d[j]);
      const double P = (i == j ? 1.0 : 0.0) - Q;
      if (i >= j)
        lu_.value(diagonal(i, j)) = P;
      else
        lu_.mirror(diagonal(j, i)) = P;
      if (Q == 0) continue;
      const double* h = gradient(contact.place, j);
      for (int c = 0; c < place.width; ++c)
        lu_.value(first + static_cast<std::size_t>(c)) += Q * contact.pace_t * h[c];
    }
  }
}

bool ImpulseProblem::solve_for_modes(bool factorise, const double* f, const double* g) {
  if (factorise) {
    for (const Contact& contact : contacts_) write_contact(contact);
    ++factorisations_;
    if (!lu_.factorise()) return false;
  }
  x_.setZero();
  std::copy_n(f, dofs_, x_.data());
  for (int r = 0; r < rows_; ++r)
    x_[dofs_ + r] =
        g[r] - kRedundant * row_scale_[static_cast<std::size_t>(r)] * centre_[dofs_ + r];
  for (const Contact& contact : contacts_) {
    if (contact.mode == Mode::open) continue;
    const int row = places_[static_cast<std::size_t>(contact.place)].row;
    x_[row] = contact.rubs
                  ? contact.load
                  : bounce(contact) - contact.before[0] + softness_ / contact.pace_n * centre_[row];
    for (int i = 1; i <= contact.tangents; ++i) {
      double& rhs = x_[row + i];
      if (contact.mode == Mode::stick) {
        rhs = -contact.before[i] + softness_ / contact.pace_t * centre_[row + i];
        continue;
      }
      for (int j = 1; j <= contact.tangents; ++j)
        rhs -= contact.ease * ((i == j ? 1.0 : 0.0) - contact.direction[i] * contact.direction[j]) *
               contact.pace_t * contact.before[j];
    }
  }
  lu_.solve(x_.data());
  read_answer();
  return std::isfinite(x_.sum());
}

double ImpulseProblem::speed_along(const Contact& contact, int direction, const VecX& dv) {
  const Place& place = places_[static_cast<std::size_t>(contact.place)];
  const double* h = gradient(contact.place, direction);
  double speed = 0;
  for (int side = 0; side < 2; ++side) {
    for (int c = 0; c < place.wide[side]; ++c) speed += h[c] * dv[place.dof[side] + c];
    h += place.wide[side];
  }
  return speed;
}

/// What the unknowns mean for the contacts.
void ImpulseProblem::read_answer() {
  scale_ = 0;
  for (Contact& contact : contacts_) {
    const Place& place = places_[static_cast<std::size_t>(contact.place)];
    contact.impulse.setZero();
    contact.after.setZero();
    for (int i = 0; i < place.count; ++i) {
      contact.after[i] = contact.before[i] + speed_along(contact, i, x_);
      if (i <= contact.tangents) contact.impulse[i] = x_[place.row + i];
      scale_ = std::max(scale_, std::abs(contact.impulse[i]));
    }
    scale_ = std::max(scale_, contact.pace_n * std::abs(contact.before[0]));
    if (!contact.rubs) continue;
    contact.pressed = pressed_by(contact, x_);
    scale_ = std::max(scale_, std::sqrt(floor_ * contact.pace_t));
  }
  scale_ = std::max(scale_, 1e-300);
}

/// What the multipliers in x press surfaces with.
Vec3 ImpulseProblem::pressed_by(const Contact& contact, const VecX& x) const {
  const Place& place = places_[static_cast<std::size_t>(contact.place)];
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < place.pressed_by.size(); ++k)
    sum += x[dofs_ + place.pressed_by[k]] * presses_[place.presses + k];
  return sum;
}

/// A reaction is known to the round-off of all that joints pass on, not of what it is itself: how
/// much energy goes to and fro in the step, where anything asks for it.
void ImpulseProblem::find_floor(const double* f, const double* g) {
  floor_ = 0;
  if (std::none_of(contacts_.begin(), contacts_.end(), [](const Contact& c) { return c.rubs; }))
    return;
  for (int d = 0; d < dofs_; ++d)
    if (inertia_[static_cast<std::size_t>(d)] > 0)
      floor_ += f[d] * f[d] / inertia_[static_cast<std::size_t>(d)];
  for (int r = 0; r < rows_; ++r) floor_ += g[r] * g[r] / row_scale_[static_cast<std::size_t>(r)];
}

// ---- the modes

double ImpulseProblem::slack() const { return kMet * scale_; }

/// What is open slides as it closes: before it presses there is nothing that could hold it. Where
/// that has led back to open, it sticks, or slides the other way.
ImpulseProblem::Mode ImpulseProblem::closing(const Contact& contact, const Along& speed,
                                             Along& along) {
  const double slip = speed.tail<3>().norm();
  if (contact.tangents == 0 || !(slip > 0) || contact.closings % 3 == 1) return Mode::stick;
  along = -speed / (contact.closings % 3 == 2 ? -slip : slip);
  along[0] = 0;
  return Mode::slip;
}

/// By how much the load of surfaces that only rub is not what presses them.
double ImpulseProblem::load_error(const Contact& contact) {
  if (!contact.rubs || contact.mode == Mode::open) return 0;
  return std::abs(contact.load + contact.pressed.norm() - contact.impulse[0]);
}

/// How far a contact is from its conditions, in impulses; the mode they ask for, and along which
/// direction friction then acts.
double ImpulseProblem::mode_error(Contact& contact, double slack, Mode& wanted, Along& along) {
  wanted = contact.mode;
  along = contact.direction;
  const double P = contact.impulse[0];
  const double opening = contact.after[0] - bounce(contact);
  if (contact.mode == Mode::open) {
    if (contact.rubs) return 0;  // let go on purpose
    const double missing = -contact.pace_n * opening;
    if (missing > slack) wanted = closing(contact, contact.after, along);
    return missing;
  }
  if (P < -slack && !contact.rubs) {
    wanted = Mode::open;
    return -P;
  }
  if (contact.tangents == 0) return 0;
  const double most = contact.mu * std::max(0.0, P);
  Along friction = contact.impulse, target = contact.impulse - contact.pace_t * contact.after;
  friction[0] = target[0] = 0;
  if (contact.mode == Mode::stick) {
    const double size = friction.norm();
    if (size <= most + slack) return 0;
    wanted = Mode::slip;
    along = friction / size;
    return size - most;
  }
  const double size = target.norm();
  if (size < most - slack) {
    wanted = Mode::stick;
    return most - size;
  }
  if (!(size > 0)) return 0;
  along = target / size;
  return (friction - most * along).norm();
}

/// The largest error of the projection form of all conditions; the contact that has it.
double ImpulseProblem::judge() {
  double most = 0;
  worst_ = -1;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& c = contacts_[k];
    double error =
        c.rubs ? load_error(c)
               : std::abs(c.impulse[0] -
                          std::max(0.0, c.impulse[0] - c.pace_n * (c.after[0] - bounce(c))));
    if (c.tangents > 0) {
      const Vec3 P = c.impulse.tail<3>(), target = P - c.pace_t * c.after.tail<3>();
      const double limit = c.mu * std::max(0.0, c.impulse[0]), size = target.norm();
      error = std::max(error, (P - (size > limit ? limit / size : 1.0) * target).norm());
    }
    if (!(error <= most)) most = error, worst_ = static_cast<int>(k);
  }
  residual_ = most / scale_;
  return residual_;
}

/// Takes the modes and directions of friction that the last answer asks for; false when nothing has
/// to change.
bool ImpulseProblem::look(bool one_by_one) {
  const double slack = this->slack();
  bool changed = false;
  double most = 0;
  std::size_t which = contacts_.size();
  Mode wanted = Mode::open;
  Along along = Along::Zero();
  const auto change = [&](Contact& contact, Mode mode, const Along& direction) {
    if (contact.mode == Mode::open) ++contact.closings;
    contact.mode = mode;
    contact.direction = direction;
  };
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& contact = contacts_[k];
    const double error = mode_error(contact, slack, wanted, along);
    if (load_error(contact) > slack) {
      contact.pressing = contact.pressed.normalized();
      changed = true;
    }
    if (contact.mode == Mode::slip || wanted == Mode::slip) {
      const Vec3 target = contact.impulse.tail<3>() - contact.pace_t * contact.after.tail<3>();
      const double size = target.norm();
      contact.ease = contact.tangents > 1 && size > 0
                         ? std::min(1.0, contact.mu * std::max(0.0, contact.impulse[0]) / size)
                         : 0;
    }
    if (wanted != contact.mode || (wanted == Mode::slip && error > slack)) {
      if (!one_by_one) {
        changed = true;
        change(contact, wanted, along);
      } else if (error > most) {
        most = error;
        which = k;
      }
    }
  }
  if (which < contacts_.size()) {
    static_cast<void>(mode_error(contacts_[which], slack, wanted, along));
    changed = true;
    change(contacts_[which], wanted, along);
  }
  return changed;
}

}  // namespace freeplay::dynamics
