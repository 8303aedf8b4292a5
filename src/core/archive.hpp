// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

// What an object remembers, as numbers in a row. One function of the object names its members, and
// serves to save them and to restore them: the two cannot drift apart.
namespace freeplay {

class Archive {
 public:
  /// Appends to `numbers`.
  static Archive saving(std::vector<double>& numbers) { return Archive(&numbers, nullptr); }
  /// Takes from the front of `numbers`; throws std::invalid_argument where they do not fit.
  static Archive restoring(const std::vector<double>& numbers) {
    return Archive(nullptr, &numbers);
  }

  template <class... Members>
  void operator()(Members&... members) {
    (exchange(members), ...);
  }
  [[nodiscard]] bool restores() const { return from_ != nullptr; }
  /// Restored to the last number; true while saving.
  [[nodiscard]] bool at_end() const { return !from_ || at_ == from_->size(); }

 private:
  Archive(std::vector<double>* to, const std::vector<double>* from) : to_(to), from_(from) {}

  void exchange(double& x) {
    if (to_)
      to_->push_back(std::isnan(x) ? kNothing : x);
    else if (at_ >= from_->size())
      throw std::invalid_argument("what was saved is cut short");
    else
      x = (*from_)[at_++];
    if (from_ && x == kNothing) x = std::numeric_limits<double>::quiet_NaN();
  }
  /// Counts, flags and modes; exact up to 2^53.
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void exchange(T& x) {
    double number = static_cast<double>(x);
    exchange(number);
    x = static_cast<T>(number);
  }
  /// Vectors keep their length: it follows from the model.
  void exchange(VecX& x) {
    for (Eigen::Index i = 0; i < x.size(); ++i) exchange(x[i]);
  }
  template <class T>
  void exchange(std::vector<T>& x) {
    for (T& one : x) exchange(one);
  }

  /// Stands for NaN, which no file shall have.
  static constexpr double kNothing = std::numeric_limits<double>::lowest();

  std::vector<double>* to_;
  const std::vector<double>* from_;
  std::size_t at_ = 0;
};

}  // namespace freeplay
