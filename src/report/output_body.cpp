// SPDX-License-Identifier: Apache-2.0
#include "report/output_body.hpp"

#include "io/model_to_look_at.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::report {
namespace {

bool joins(const Joint& j, BodyIndex body) { return j.first.body == body || j.second.body == body; }
bool is_grounded(const Model& model, BodyIndex body) {
  return std::ranges::any_of(model.joints,
                             [&](const Joint& j) { return joins(j, body) && joins(j, kGround); });
}
bool is_driven(const Model& model, BodyIndex body) {
  return std::ranges::any_of(model.joints,
                             [&](const Joint& j) { return !j.drives.empty() && joins(j, body); });
}
/// The last of an open chain; what is only screwed on is none.
bool ends_chain(const Model& model, BodyIndex body) {
  const auto one = [&](const Joint& j) { return joins(j, body); };
  return std::ranges::count_if(model.joints, one) == 1 && !is_grounded(model, body) &&
         !coordinates_of(std::ranges::find_if(model.joints, one)->type).empty();
}

/// Magnitudes of the rows of a vector series; less those of another of the same rows.
std::vector<double> magnitudes(const Series& series, const Series* less = nullptr) {
  const auto width = static_cast<std::size_t>(series.channel.width);
  std::vector<double> out(width ? series.values.size() / width : 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t k = i * width + c;
      const double x = series.values[k] - (less ? less->values[k] : 0);
      sum += x * x;
    }
    out[i] = std::sqrt(sum);
  }
  return out;
}
double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

/// How much play changes the acceleration of a body, relative to its usual one.
double changed(const Result& played, const Result* ideal, const std::string& body) {
  const std::string path = "uniform/bodies/" + body + "/acceleration";
  const Series own = played.series(path);
  if (ideal) {
    const Series other = ideal->series(path);
    const double usual = largest(magnitudes(other));
    if (other.values.size() == own.values.size() && usual > 0)
      return largest(magnitudes(own, &other)) / usual;
  }
  auto sizes = magnitudes(own);
  if (sizes.empty()) return 0;
  const double most = largest(sizes);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return most / (*middle + 1e-3 * most);
}

bool is_ideal(const Model& model) {
  return std::ranges::none_of(model.joints, [](const Joint& j) { return j.clearance.has_value(); });
}
bool same_bodies(const Model& a, const Model& b) {
  return std::ranges::equal(a.bodies, b.bodies, {}, &Body::name, &Body::name);
}

/// Whether a result has this series: a run may record less.
bool records(const Result& result, const std::string& path) {
  return std::ranges::any_of(result.channels(),
                             [&](const Channel& channel) { return channel.path == path; });
}

}  // namespace

BodyIndex output_body(const Model& model, const Result& result, std::span<const Result> others) {
  std::vector<BodyIndex> held;
  const auto last = static_cast<int>(model.bodies.size()) - 1;
  for (int b = last; b > 0; --b)
    if (const auto body = static_cast<BodyIndex>(b);
        is_grounded(model, body) && !is_driven(model, body))
      held.push_back(body);
  const bool play = !is_ideal(model);
  if (held.empty() || !play)
    for (int b = last; b > 0; --b)
      if (const auto body = static_cast<BodyIndex>(b); ends_chain(model, body)) return body;
  if (held.empty())
    for (const Joint& joint : model.joints)
      if (joint.clearance)
        return joint.second.body != kGround ? joint.second.body : joint.first.body;
  if (held.empty()) return static_cast<BodyIndex>(last);
  if (held.size() == 1 || !play) return held.front();
  const Result* ideal = nullptr;
  for (const Result& other : others) {
    if (&other == &result) continue;
    const Model twin = io::model_to_look_at(other.model_text(), other.path().string() + ": model");
    if (is_ideal(twin) && same_bodies(twin, model)) ideal = &other;
  }
  BodyIndex best = held.front();
  double most = -1;
  for (const BodyIndex body : held) {
    const std::string& name = model.bodies[static_cast<std::size_t>(body)].name;
    const std::string path = "bodies/" + name + "/acceleration";
    if (!records(result, path) || (ideal && !records(*ideal, path))) continue;
    const double by = changed(result, ideal, name);
    if (by > most) {
      most = by;
      best = body;
    }
  }
  return best;
}

}  // namespace freeplay::report
