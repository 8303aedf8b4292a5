// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contact_problem/contact_problem.hpp"
#include "dynamics/constraints/sparse_lu.hpp"
#include <freeplay/math.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

// The impulses of one non-smooth time step: how the velocities of a mechanism change over the step,
// and what its joints and rigid contacts pass on meanwhile, theory/time_stepping (N.4),
//
//     M dv + J^T L - H P = f,      J dv = g,
//     contacts   0 <= P_N,  0 <= u_N + e u_N-,  complementary
//     friction   |P_T| <= mu P_N where u_T = 0,  P_T = -mu P_N u_T/|u_T| elsewhere
//     in joints  likewise, under P_N = P_0 + |R L|, the reaction that presses the surfaces
//
// with u- = H^T v before and u = u- + H^T dv after the step. Contacts stand in places that are
// laid out once for each pair of surfaces, so that the pattern of the matrix stays while contacts
// come and go. For given modes (open, sticking, slipping along d) the conditions are linear; the
// modes are found by Newton's method on the projection form of the conditions (Alart & Curnier
// 1991), from those of the step before. Each of its steps is one sparse factorisation, linear in
// the number of bodies for chains.
namespace freeplay::dynamics {

class ImpulseProblem {
 public:
  /// A body's share of the velocities.
  struct Block {
    int width = 6;
    std::function<bool(int i, int k)> couples;  ///< may velocities i > k be coupled by its mass?
  };
  /// A row of J: the bodies it touches.
  struct Row {
    std::vector<int> bodies;
  };
  /// A pair of surfaces: the bodies that move there, and the most contacts at once. Those of an
  /// ideal joint only rub, under what multipliers of its rows pass on.
  struct Surfaces {
    int first = -1, second = -1;  ///< bodies; -1: the ground
    int tangents = 0;             ///< directions of friction
    int places = 1;
    bool rubs = false;                 ///< they never part, and their load is no unknown of theirs
    std::vector<int> pressed_by = {};  ///< rows of J
  };
  struct Pattern {
    std::vector<Block> bodies;
    std::vector<bool> light;                   ///< velocities without inertia
    std::vector<std::pair<int, int>> coupled;  ///< bodies coupled by implicit forces
    std::vector<Row> rows;
    std::vector<Surfaces> surfaces;
  };
  enum class Mode { open, stick, slip };
  /// Along the normal, then along up to three tangents; of surfaces that only rub the first is the
  /// load.
  using Along = Vec4;

  /// A contact that may take part in the step.
  struct Contact {
    int place = 0;     ///< from `place_of`
    int tangents = 0;  ///< of its surfaces, or 0: without friction
    double restitution = 0;
    double at_rest = 0, sliding = 0;  ///< coefficients of friction
    Mode mode = Mode::open;           ///< guess in, answer out
    bool rubs = false;                ///< friction alone, under load + |pressed|
    double load = 0;                  ///< N s
    Vec3 pressing = Vec3::Zero();     ///< direction of `pressed`: guess in, answer out
    Along before = Along::Zero();     ///< speed of opening and of slip; from take()
    Along impulse = Along::Zero();    ///< normal or load, then along the tangents; N s
    Along after = Along::Zero();

   private:
    friend class ImpulseProblem;
    int closings = 0;                                 // in the search under way
    double mu = 0, pace_n = 0, pace_t = 0, ease = 0;  // 1/W of its rows; |P_T| over |target|
    Vec3 pressed = Vec3::Zero();                      // by the multipliers; N s
    Along direction = Along::Zero();                  // of the friction, along the tangents
  };

  void build(const Pattern& pattern);
  [[nodiscard]] int dofs() const { return dofs_; }
  [[nodiscard]] int rows() const { return rows_; }

  // ---- numbers of a step

  /// Adds to M at (i, k).
  void add_mass(int i, int k, double value);
  void clear_mass();
  /// Coefficients of row r for a body's velocities: as forces act on them, and as the rates at the
  /// end of the step see them.
  void set_row(int r, int body_in_row, const double* force, const double* rate);
  /// Inertia that a velocity has by itself, for the scale of rows.
  void set_scale(int dof, double inertia) { inertia_[static_cast<std::size_t>(dof)] = inertia; }
  /// Takes the scale of every row of J from its coefficients.
  void scale_rows();

  void clear_contacts();
  /// A free place of these surfaces; -1: there is none left.
  [[nodiscard]] int place_of(int surfaces);
  /// Where the gradient of the contact in a place lies, direction by direction (normal first): of
  /// the first body, then of the second.
  double* gradient(int place, int direction) {
    const Place& at = places_[static_cast<std::size_t>(place)];
    return &gradient_[at.gradient + static_cast<std::size_t>(direction * at.width)];
  }
  /// What multipliers press the surfaces in a place with, one by one as in `pressed_by`.
  Vec3* presses(int place) { return &presses_[places_[static_cast<std::size_t>(place)].presses]; }
  /// Takes part with what stands there; `v` are the velocities before the step.
  Contact& take(Contact contact, const double* v);
  [[nodiscard]] std::vector<Contact>& contacts() { return contacts_; }

  // ---- answers

  /// `f`: n numbers, `g`: m numbers. False when no impulses satisfy the laws.
  [[nodiscard]] bool solve(const double* f, const double* g);
  [[nodiscard]] const double* change() const { return x_.data(); }               ///< dv
  [[nodiscard]] const double* multipliers() const { return x_.data() + dofs_; }  ///< L; N s
  /// Impulses smaller than this are round-off; N s.
  [[nodiscard]] double slack() const;
  /// What is left of the conditions, over the largest impulse at play.
  [[nodiscard]] double residual() const { return residual_; }
  [[nodiscard]] std::int64_t factorisations() const { return factorisations_; }
  /// The contact whose conditions are met worst, or the velocity or row without a pivot.
  [[nodiscard]] int worst_contact() const { return worst_; }
  [[nodiscard]] int failed_unknown() const { return lu_.failed_unknown(); }
  /// Restitution was lessened in the last answer: the contacts would have gained energy, or no
  /// impulses had satisfied all of them.
  [[nodiscard]] bool lessened() const { return lessened_; }
  // Displacements measured like velocities, in the place of change().
  /// That closes rows by g, with the matrix as it stands.
  void displace(const double* g);
  /// That closes rows by g and takes contacts out of walls in which they lie that deep, without
  /// pushing any into theirs. False when there is none.
  [[nodiscard]] bool displace(const double* g, const std::vector<double>& depth);
  /// Lets go of all contacts for displacements to come; false where rows alone cannot be solved.
  [[nodiscard]] bool let_go();

 private:
  struct Place {
    int surfaces = 0, row = 0, count = 1, width = 0;
    int dof[2] = {0, 0}, wide[2] = {0, 0};
    std::size_t gradient = 0, entry = 0;  // coefficients; entries of the matrix
    bool used = false;
    // Of surfaces that only rub: by which rows they are pressed.
    bool rubs = false;
    std::vector<int> pressed_by;
    std::size_t presses = 0, press_entry = 0;
  };
  struct Share {  // of a body in a row
    int dof, width;
    std::size_t entry;
  };
  /// Coefficients between the velocities of a body and those of another, or its own.
  struct MassBlock {
    int other;
    std::vector<std::ptrdiff_t> entry;  // row by row; -1: none
  };
  /// How Newton's method goes about it.
  struct Way {
    int most = 20;            ///< steps
    bool one_by_one = false;  ///< changes only what is worst, not all that is wrong
    bool exact = true;        ///< takes the softness out again
  };

  void lay_masses(const Pattern& pattern, std::vector<std::pair<int, int>>& entries);
  void lay_rows(const Pattern& pattern, std::vector<std::pair<int, int>>& entries);
  void lay_places(const Pattern& pattern, std::vector<std::pair<int, int>>& entries);
  int lay_place(const Surfaces& on, int surfaces, std::vector<std::pair<int, int>>& entries);
  [[nodiscard]] std::vector<int> order_of(const Pattern& pattern) const;
  void write_contact(const Contact& contact);
  void write_identity(const Place& place);
  [[nodiscard]] bool solve_for_modes(bool factorise, const double* f, const double* g);
  [[nodiscard]] double speed_along(const Contact& contact, int direction, const VecX& dv);
  void read_answer();
  double judge();
  [[nodiscard]] bool look(bool one_by_one);
  [[nodiscard]] static Mode closing(const Contact& contact, const Along& speed, Along& along);
  [[nodiscard]] double mode_error(Contact& contact, double slack, Mode& wanted, Along& along);
  [[nodiscard]] static double load_error(const Contact& contact);
  [[nodiscard]] Vec3 pressed_by(const Contact& contact, const VecX& x) const;
  void find_floor(const double* f, const double* g);
  [[nodiscard]] bool newton(const double* f, const double* g, const Way& way);
  [[nodiscard]] bool find(const double* f, const double* g);
  [[nodiscard]] int rows_of_contacts() const;
  [[nodiscard]] bool find_densely(const double* f, const double* g);
  [[nodiscard]] contact_problem::Problem condense(const VecX& free);
  void respond(const VecX& answer, int column, contact_problem::Problem& problem);
  void take_again(const std::vector<Contact>& contacts, const VecX& answer);
  void take_modes(const contact_problem::Solution& found);
  void solve_exactly(const VecX& right, VecX& x);
  [[nodiscard]] bool let_slide();
  [[nodiscard]] bool find_with_friction(const double* f, const double* g);
  [[nodiscard]] double gain() const;
  /// The lower bound of the speed of opening after the step.
  [[nodiscard]] double bounce(const Contact& contact) const {
    return -restitution_ * contact.restitution * std::min(0.0, contact.before[0]);
  }

  int dofs_ = 0, rows_ = 0, unknowns_ = 0;
  SparseLu lu_;
  std::vector<int> body_dof_, body_width_, body_of_;
  std::vector<std::vector<MassBlock>> mass_;  // of each body: with itself and earlier ones
  std::size_t mass_entries_ = 0, row_diagonals_ = 0;
  std::vector<std::vector<Share>> row_shares_;
  std::vector<double> row_scale_, inertia_;
  std::vector<Place> places_;
  std::vector<std::vector<int>> places_of_;  // of each pair of surfaces
  std::vector<double> gradient_;
  std::vector<Vec3> presses_;
  std::vector<Contact> contacts_, answered_;
  VecX x_, centre_, still_;
  /// The conditions count as met when they are to this share of the largest impulse.
  static constexpr double kMet = 1e-12;
  /// Rows that repeat each other (two corners of one face) need something to tell them apart: each
  /// gives way by this share of what it would without the others. That is taken out again: the
  /// motion is exact, the impulses are the least that have it.
  static constexpr double kRedundant = 1e-8;
  double softness_ = 0, residual_ = 0, scale_ = 0, restitution_ = 1;
  double floor_ = 0;  // energy that forces and goals of the step amount to, for round-off; J
  int worst_ = -1;
  contact_problem::Search search_ = contact_problem::Search::thorough;
  bool lessened_ = false;
  std::int64_t factorisations_ = 0;
};

}  // namespace freeplay::dynamics
