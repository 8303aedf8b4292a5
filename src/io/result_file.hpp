// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/hdf5_file.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/result.hpp>

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

// What a Result knows of its file: series in result_reader.cpp, states in result_states.cpp.
namespace freeplay {

struct Result::File {
  explicit File(const std::filesystem::path& file) : path(file), hdf5(io::Hdf5File::open(file)) {}

  /// A series in the file.
  struct Place {
    std::string dataset;  // path in the file
    std::string channel;  // the same without "uniform/"
    bool uniform = false;
    int component = -1;  // -1: all of them
    bool rows = true;    // false: a channel of which the file keeps no steps
  };
  /// Numbers, as many as a row of the file has.
  static inline const io::RowType kAnyNumbers{io::Scalar::f64, 0, {}};

  std::filesystem::path path;
  io::Hdf5File hdf5;
  mutable std::optional<Model> model;
  mutable std::vector<double> step_times;  // read when first needed
  std::int64_t version = 0;

  [[noreturn]] void refuse(const std::string& why) const {
    throw IoError(fmt::format("cannot read {}: {}", path.string(), why));
  }
  template <class T>
  [[nodiscard]] std::optional<T> attribute(const std::string& object,
                                           const std::string& name) const {
    const auto value = hdf5.attribute(object, name);
    const auto* typed = value ? std::get_if<T>(&*value) : nullptr;
    return typed ? std::optional<T>(*typed) : std::nullopt;
  }

  [[nodiscard]] Channel channel_of(const std::string& dataset) const;
  [[nodiscard]] std::vector<std::string> known_series() const;
  [[nodiscard]] Place find(const std::string& asked) const;
  [[nodiscard]] std::vector<double> numbers(const io::Hdf5Dataset& dataset, std::size_t first,
                                            std::size_t count, const std::string& name) const;
  [[nodiscard]] std::size_t row_before(double time) const;
  [[nodiscard]] State state_at(std::size_t row) const;
  /// The last state with step memory at or before a time; none in files of version 2.
  [[nodiscard]] std::optional<State> anchor_before(double time) const;
  [[nodiscard]] bool has_steps() const { return hdf5.is_dataset("time"); }
  [[nodiscard]] bool wants_steps() const {
    return !attribute<std::string>("/", "record").value_or("").starts_with("{ steps = false");
  }
  /// First and last instant; s.
  [[nodiscard]] std::pair<double, double> span() const;
  [[nodiscard]] std::vector<double> observe(const Channel& channel, double time) const;
  [[nodiscard]] std::shared_ptr<const Layout> layout() const;
  [[nodiscard]] const std::vector<double>& times() const;
  [[nodiscard]] std::string model_text() const;
  [[nodiscard]] const Model& stored_model() const;
};

}  // namespace freeplay
