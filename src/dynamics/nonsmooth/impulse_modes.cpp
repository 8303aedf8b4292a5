// SPDX-License-Identifier: Apache-2.0
#include "contact_problem/contact_problem.hpp"
#include "dynamics/nonsmooth/impulse_problem.hpp"

#include <cmath>

// Which contacts press, stick and slip: the search for the modes of an impulse problem.
namespace freeplay::dynamics {
namespace {

/// chosen: more unknowns than that are not worth a dense matrix
constexpr int kDense = 240;

}  // namespace

bool ImpulseProblem::newton(const double* f, const double* g, const Way& way) {
  bool factorise = true, polished = false;
  for (int step = 0; step < way.most; ++step) {
    if (!solve_for_modes(factorise, f, g)) return false;
    factorise = look(way.one_by_one);
    if (factorise) continue;
    if (!way.exact) return true;
    if (judge() <= kMet) {
      // A joint that sticks for an hour adds up what is left.
      if (polished || floor_ == 0) return true;
      polished = true;
    }
    centre_ = x_;  // by how much they gave way is taken out
  }
  return false;
}

bool ImpulseProblem::find(const double* f, const double* g) {
  softness_ = kRedundant;
  centre_.setZero();
  Way way;
  if (newton(f, g, way)) return true;
  if (rows_of_contacts() <= kDense && find_densely(f, g)) return true;
  if (search_ == contact_problem::Search::brief) return false;
  // From where every contact is nearly on its own, in decades.
  way.exact = false;
  centre_.setZero();
  for (softness_ = 1; softness_ > 2 * kRedundant; softness_ /= 10)
    static_cast<void>(newton(f, g, way));
  softness_ = kRedundant;
  way.exact = true;
  if (newton(f, g, way)) return true;
  centre_.setZero();
  way.one_by_one = true;
  way.most = 40 + 4 * static_cast<int>(contacts_.size());
  return newton(f, g, way);
}

int ImpulseProblem::rows_of_contacts() const {
  int count = 0;
  for (const Contact& contact : contacts_) count += (contact.rubs ? 0 : 1) + contact.tangents;
  return count;
}

/// What is left of the softness of joints is taken out: `right` on the right side, of which x is
/// the answer.
void ImpulseProblem::solve_exactly(const VecX& right, VecX& x) {
  constexpr int kPasses = 2;
  x = right;
  lu_.solve(x.data());
  for (int pass = 1; pass < kPasses && rows_ > 0; ++pass) {
    const VecX held = x.segment(dofs_, rows_);
    x = right;
    for (int r = 0; r < rows_; ++r)
      x[dofs_ + r] -= kRedundant * row_scale_[static_cast<std::size_t>(r)] * held[r];
    lu_.solve(x.data());
  }
}

/// How impulses along the contacts change the speeds there, all of them open: the problem of
/// contacts at rest, for impulses.
contact_problem::Problem ImpulseProblem::condense(const VecX& free) {
  const int count = rows_of_contacts();
  contact_problem::Problem problem;
  problem.W.resize(count, count);
  problem.b.resize(count);
  int row = 0;
  for (const Contact& contact : contacts_) {
    contact_problem::Contact normal, friction;
    if (!contact.rubs) {
      normal.kind = contact_problem::Contact::Kind::unilateral;
      friction.normal = normal.row = row++;
      problem.elements.push_back(normal);
    }
    if (contact.tangents == 0) continue;
    friction.row = row;
    friction.count = contact.tangents;
    friction.at_rest = friction.sliding = contact.mu;
    if (contact.rubs) {
      friction.fixed = contact.load;
      friction.reaction = pressed_by(contact, free);
      friction.response = MatX::Zero(3, count);
    }
    problem.elements.push_back(friction);
    row += contact.tangents;
  }
  VecX right = VecX::Zero(unknowns_), answer;
  int column = 0;
  for (const Contact& contact : contacts_)
    for (int i = contact.rubs ? 1 : 0; i <= contact.tangents; ++i, ++column) {
      problem.b[column] =
          contact.before[i] + speed_along(contact, i, free) - (i == 0 ? bounce(contact) : 0);
      right.setZero();
      const Place& place = places_[static_cast<std::size_t>(contact.place)];
      const double* h = gradient(contact.place, i);
      for (int side = 0; side < 2; ++side) {
        for (int c = 0; c < place.wide[side]; ++c) right[place.dof[side] + c] += h[c];
        h += place.wide[side];
      }
      solve_exactly(right, answer);
      respond(answer, column, problem);
    }
  return problem;
}

/// The column of what an impulse does to all contacts: the speeds there, and what presses joints.
void ImpulseProblem::respond(const VecX& answer, int column, contact_problem::Problem& problem) {
  int row = 0;
  std::size_t e = 0;
  for (const Contact& contact : contacts_) {
    for (int j = contact.rubs ? 1 : 0; j <= contact.tangents; ++j)
      problem.W(row++, column) = speed_along(contact, j, answer);
    if (!contact.rubs) ++e;
    if (contact.tangents == 0) continue;
    if (contact.rubs) problem.elements[e].response.col(column) = pressed_by(contact, answer);
    ++e;
  }
}

/// By the solver of contacts at rest, which forms the whole matrix of the contacts.
bool ImpulseProblem::find_densely(const double* f, const double* g) {
  if (contacts_.empty()) return false;
  const std::vector<Contact> tried = contacts_;
  for (Contact& contact : contacts_) {
    contact.mode = Mode::open;
    write_contact(contact);
  }
  ++factorisations_;
  if (!lu_.factorise()) return false;
  VecX right = VecX::Zero(unknowns_), answer;
  std::copy_n(f, dofs_, right.data());
  std::copy_n(g, rows_, right.data() + dofs_);
  solve_exactly(right, answer);
  const contact_problem::Solution found = contact_problem::solve(condense(answer), search_);
  if (!found.solved) {
    contacts_ = tried;
    return false;
  }
  int column = 0;
  for (const Contact& contact : contacts_) {
    const int row = places_[static_cast<std::size_t>(contact.place)].row;
    for (int i = contact.rubs ? 1 : 0; i <= contact.tangents; ++i)
      right[row + i] = found.force[column++];
  }
  solve_exactly(right, answer);
  take_modes(found);
  for (Contact& contact : contacts_) {
    if (!contact.rubs) continue;
    const Vec3 pressed = pressed_by(contact, answer);
    answer[places_[static_cast<std::size_t>(contact.place)].row] = contact.load + pressed.norm();
    contact.pressing = pressed.normalized();
  }
  // Best with the modes it found, which leave no more than round-off; as it is, where one of them
  // hangs by that.
  const std::vector<Contact> modes = contacts_;
  Way way;
  way.most = 10;
  centre_.setZero();
  if (newton(f, g, way)) return true;
  take_again(modes, answer);
  return residual_ <= kMet;
}

void ImpulseProblem::take_modes(const contact_problem::Solution& found) {
  std::size_t e = 0;
  for (Contact& contact : contacts_) {
    const bool open = !contact.rubs && found.mode[e++] == contact_problem::Mode::open;
    contact.mode = open ? Mode::open : Mode::stick;
    if (contact.tangents == 0) continue;
    if (!open && found.mode[e] == contact_problem::Mode::slip) {
      contact.mode = Mode::slip;
      contact.direction.setZero();
      contact.ease = 0;
      for (int i = 0; i < contact.tangents; ++i) contact.direction[i + 1] = -found.direction[e][i];
    }
    ++e;
  }
}

// ---- friction at rest, and energy

/// What slips although it was to hold gets the smaller coefficient; true when there is such a one.
bool ImpulseProblem::let_slide() {
  bool any = false;
  for (Contact& contact : contacts_)
    if (contact.mode == Mode::slip && contact.mu != contact.sliding) {
      contact.mu = contact.sliding;
      any = true;
    }
  return any;
}

bool ImpulseProblem::find_with_friction(const double* f, const double* g) {
  for (std::size_t round = 0; round <= contacts_.size(); ++round) {
    if (!find(f, g)) return false;
    if (!let_slide()) break;
  }
  return true;
}

/// Energy that the contacts would add, where it is more than the round-off of what they take; J.
/// What opens already and is held back by a load is not counted: that is no impact.
double ImpulseProblem::gain() const {
  double sum = 0, size = 0;
  for (const Contact& contact : contacts_)
    for (int i = contact.rubs ? 1 : 0; i < 4; ++i) {
      if (i == 0 && contact.before[0] > 0) continue;
      const double work = 0.5 * contact.impulse[i] * (contact.before[i] + contact.after[i]);
      sum += work;
      // And what the impulse alone would do: of a contact at rest the speeds are round-off.
      const double pace = i == 0 ? contact.pace_n : contact.pace_t;
      size += std::abs(contact.impulse[i] * contact.before[i]) +
              contact.impulse[i] * contact.impulse[i] / pace;
    }
  constexpr double kRounding = 1e-12;
  return sum > kRounding * size ? sum : 0;
}

bool ImpulseProblem::solve(const double* f, const double* g) {
  lessened_ = false;
  restitution_ = 1;
  search_ = contact_problem::Search::thorough;
  find_floor(f, g);
  const bool found = find_with_friction(f, g);
  if (found && gain() == 0) return true;
  // Newton's law with friction, or with unequal coefficients, may add energy; and in a wedge it may
  // ask for what no impulses give. All bounce less, as little as will do. Without any bounce they
  // never add more than round-off, and where nothing is driven there are always impulses.
  lessened_ = std::any_of(contacts_.begin(), contacts_.end(),
                          [this](const Contact& contact) { return bounce(contact) > 0; });
  if (!lessened_) {
    static_cast<void>(judge());
    return found;
  }
  search_ = contact_problem::Search::brief;
  double lost = 0, gained = 1;
  VecX best;
  std::vector<Contact> best_contacts;
  constexpr int kHalvings = 12;
  for (int k = 0; k < kHalvings; ++k) {
    restitution_ = 0.5 * (lost + gained);
    const bool fits = find_with_friction(f, g) && gain() == 0;
    (fits ? lost : gained) = restitution_;
    if (fits) best_contacts = contacts_, best = x_;
  }
  restitution_ = lost;
  search_ = contact_problem::Search::thorough;
  if (best.size() > 0) {
    take_again(best_contacts, best);
    return true;
  }
  if (find_with_friction(f, g)) return true;
  static_cast<void>(judge());
  return false;
}

/// An answer of before: another search might end in another one, where there are several.
void ImpulseProblem::take_again(const std::vector<Contact>& contacts, const VecX& answer) {
  contacts_ = contacts;
  for (const Contact& contact : contacts_) write_contact(contact);
  ++factorisations_;
  static_cast<void>(lu_.factorise());
  x_ = answer;
  read_answer();
  static_cast<void>(judge());
}

void ImpulseProblem::displace(const double* g) {
  x_.setZero();
  std::copy_n(g, rows_, x_.data() + dofs_);
  lu_.solve(x_.data());
}

bool ImpulseProblem::displace(const double* g, const std::vector<double>& depth) {
  answered_ = contacts_;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& contact = contacts_[k];
    contact.tangents = 0;
    contact.restitution = 0;
    if (contact.rubs) {
      contact.mode = Mode::open;
      continue;
    }
    contact.before = {-depth[k], 0, 0, 0};
    contact.mode = contact.mode == Mode::open && !(depth[k] > 0) ? Mode::open : Mode::stick;
  }
  still_.setZero(dofs_);
  centre_.setZero();
  const bool found = newton(still_.data(), g, {});
  contacts_.swap(answered_);
  return found;
}

bool ImpulseProblem::let_go() {
  for (Contact contact : contacts_) {
    contact.mode = Mode::open;
    write_contact(contact);
  }
  ++factorisations_;
  return lu_.factorise();
}

}  // namespace freeplay::dynamics
