// SPDX-License-Identifier: Apache-2.0
#include "study/measure.hpp"

#include "io/expression.hpp"
#include "io/parameters.hpp"
#include "io/text.hpp"
#include "study/series_columns.hpp"
#include "study/study_words.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace freeplay::study {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Lobatto's rule of six points on [0, 1]: exact for polynomials up to degree 9, and with both ends
/// among its points, where extremes of what jumps at events lie.
constexpr std::size_t kNodes = kLookPoints;
/// Of a leg: in so narrow a window, rounding of a quintic is all that is left of its error. chosen
constexpr double kWindow = 0.1;
constexpr double kInner = 0.2852315164806451, kOuter = 0.7650553239294647;
constexpr std::array<double, kNodes> kNode{
    0, (1 - kOuter) / 2, (1 - kInner) / 2, (1 + kInner) / 2, (1 + kOuter) / 2, 1};
constexpr std::array<double, kNodes> kWeight{1.0 / 30,
                                             0.3784749562978470 / 2,
                                             0.5548583770354864 / 2,
                                             0.5548583770354864 / 2,
                                             0.3784749562978470 / 2,
                                             1.0 / 30};

/// The polynomial through the points of a leg (Lagrange).
double through_nodes(const std::array<double, kNodes>& value, double x) {
  double out = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    double weight = 1;
    for (std::size_t k = 0; k < kNodes; ++k)
      if (k != i) weight *= (x - kNode[k]) / (kNode[i] - kNode[k]);
    out += weight * value[i];
  }
  return out;
}

/// Its largest value next to the largest point, and where: golden sections, to where rounding hides
/// the rest.
struct Top {
  double value = 0, at = 0;
};
Top largest(const std::array<double, kNodes>& value) {
  const auto best =
      static_cast<std::size_t>(std::max_element(value.begin(), value.end()) - value.begin());
  double low = kNode[best > 0 ? best - 1 : 0], high = kNode[std::min(best + 1, kNodes - 1)];
  const double ratio = 0.5 * (std::sqrt(5.0) - 1);
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double fa = through_nodes(value, a), fb = through_nodes(value, b);
  for (int k = 0; k < 45; ++k) {  // until 1e-10 of the leg, the square of which is rounding
    if (fa > fb) {
      high = b, b = a, fb = fa;
      a = high - ratio * (high - low), fa = through_nodes(value, a);
    } else {
      low = a, a = b, fa = fb;
      b = low + ratio * (high - low), fb = through_nodes(value, b);
    }
  }
  if (value[best] >= std::max(fa, fb)) return {value[best], kNode[best]};
  return fa > fb ? Top{fa, a} : Top{fb, b};
}

/// "3 ms"; nothing where it is no time.
std::optional<double> time_of(const std::string& text) {
  try {
    const io::Quantity q = io::evaluate(io::parse_expression(text), io::Parameters().lookup());
    const auto second = io::parse_unit("s");
    if (io::fits(q.dimension, second->dimension)) return q.value;
  } catch (const io::ExpressionError&) {  // no number
  }
  return {};
}

const std::vector<std::string> kEvents{"touch", "separation", "stick", "slip"};

/// "touch 2 joints/pin"
std::optional<Measure> parse_event(const std::string& text, std::string& why) {
  const std::size_t blank = text.find(' ');
  const std::string word = text.substr(0, blank);
  if (std::ranges::find(kEvents, word) == kEvents.end()) return {};
  Measure out;
  out.kind = Measure::What::event;
  out.name = text;
  out.unit = "s";
  out.event = word;
  std::string rest = blank == std::string::npos ? "" : text.substr(blank + 1);
  double number = 1;
  if (const std::size_t length = io::scan_number(rest, number); length > 0) {
    rest.erase(0, length);
    if (rest.starts_with(' ')) rest.erase(0, 1);
  }
  constexpr std::string_view group = "joints/";
  if (!rest.starts_with(group) || rest.size() == group.size() || !(number >= 1) ||
      number != std::floor(number)) {
    why = "expected \"" + word + " joints/NAME\" or \"" + word + " 3 joints/NAME\"";
    return {};
  }
  out.number = static_cast<int>(number);
  out.joint = rest.substr(group.size());
  return out;
}

ModelError no_measure(const std::string& name, const std::string& message,
                      const std::string& hint) {
  Issue issue;
  issue.path = "of";
  issue.message = io::quote(name) + " " + message;
  issue.hint = hint;
  return ModelError(issue);
}

}  // namespace

std::optional<Measure> measure_of(const Observable& o, std::string& why) {
  using What = Measure::What;
  Measure out;
  out.series = o.series;
  out.name =
      o.take == Take::at
          ? o.series
          : kTakes[std::min<std::size_t>(static_cast<std::size_t>(o.take), kTakes.size() - 1)] +
                " " + o.series;
  switch (o.take) {
    case Take::at:
      return out;
    case Take::min:
      out.kind = What::lowest;
      return out;
    case Take::max:
      out.kind = What::highest;
      return out;
    case Take::mean:
      out.kind = What::mean;
      return out;
    case Take::rms:
      out.kind = What::rms;
      return out;
    case Take::range:
      out.kind = What::range;
      return out;
    case Take::contacts:
      why = "a count has no gradient: it stays, or jumps";
      return {};
    case Take::peak_force:
      why =
          "the largest force of all joints has no gradient where it changes its joint; use "
          "\"max joints/NAME/normal_force\"";
      return {};
    case Take::energy_residual:
      why = "the residual of the energy audit is an error, which has no gradient";
      return {};
  }
  return {};
}

std::optional<Measure> parse_measure(const std::string& text, std::string& why) {
  if (const auto event = parse_event(text, why); event || !why.empty()) return event;
  constexpr std::string_view at = " at ";
  if (const std::size_t place = text.rfind(at); place != std::string::npos) {
    const auto time = time_of(text.substr(place + at.size()));
    if (!time) {
      why = io::quote(text.substr(place + at.size())) + " is no time, such as 3 ms";
      return {};
    }
    Measure out;
    out.kind = Measure::What::instant;
    out.name = text;
    out.series = text.substr(0, place);
    out.instant = *time;
    return out;
  }
  const auto observable = parse_observable(text);
  if (!observable) {
    why = io::quote(text.substr(0, text.find(' '))) + " cannot be taken of a series; use " +
          io::one_of_these(kTakes);
    return {};
  }
  return measure_of(*observable, why);
}

MeasurePlan::MeasurePlan(std::vector<Measure> measures, const RunHeader& header,
                         const sim::Itinerary& way)
    : measures_(std::move(measures)),
      way_(way),
      places_(measures_.size()),
      extremes_(measures_.size()) {
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    Measure& m = measures_[i];
    if (m.kind == Measure::What::event) {
      places_[i].event = find_event(m);
      continue;
    }
    const auto column = column_of(header, m.series);
    if (!column)
      throw no_measure(m.name, "names no series", io::did_you_mean(m.series, all_series(header)));
    m.unit = unit_of(header, m.series);
    const auto known = std::ranges::find(columns_, *column);
    places_[i].column = static_cast<std::size_t>(known - columns_.begin());
    if (known == columns_.end()) columns_.push_back(*column);
  }
  plan();
}

std::size_t MeasurePlan::find_event(const Measure& m) const {
  int seen = 0;
  for (std::size_t e = 0; e < way_.events.size(); ++e)
    if (way_.events[e].kind == m.event && way_.events[e].joint == m.joint && ++seen == m.number)
      return e;
  throw no_measure(
      m.name,
      fmt::format("is not seen: {} such event{} within the run", seen, seen == 1 ? " is" : "s are"),
      "lengthen the run, or look at `freeplay get RESULT.h5 events`");
}

Readings MeasurePlan::readings() const {
  Readings out;
  out.columns = columns_.size();
  out.values.assign(looks_.size() * columns_.size(), kNaN);
  return out;
}

bool MeasurePlan::looks_into_legs() const {
  return std::ranges::any_of(looks_, [](const sim::Look& l) { return !l.by_time && l.at < 1; });
}

std::vector<double> MeasurePlan::instants(const std::vector<Measure>& measures) {
  std::vector<double> out;
  for (const Measure& m : measures) {
    if (m.kind == Measure::What::instant) out.push_back(m.instant);
    if (m.kind == Measure::What::square_misfit) out.insert(out.end(), m.time.begin(), m.time.end());
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool MeasurePlan::searches() const {
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    using What = Measure::What;
    const What kind = measures_[i].kind;
    const bool low = kind == What::lowest || kind == What::range,
               high = kind == What::highest || kind == What::range;
    if ((low && !extremes_[i][0]) || (high && !extremes_[i][1])) return true;
  }
  return false;
}

void MeasurePlan::look_through(const Window& window, std::vector<sim::Look>& out) {
  for (const double node : kNode)
    out.push_back({window.leg, false, window.low + node * (window.high - window.low)});
}
void MeasurePlan::look_everywhere(std::vector<sim::Look>& out) const {
  for (std::size_t leg = 0; leg < way_.legs.size(); ++leg) look_through({leg, 0, 1}, out);
}

/// The looks that all measures take together, in their order.
void MeasurePlan::plan() {
  using What = Measure::What;
  const std::size_t end = way_.legs.size() - 1;
  std::vector<std::vector<sim::Look>> wanted(measures_.size());
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const Measure& m = measures_[i];
    places_[i].leg = end;
    const auto at_time = [&](double t) {
      if (!(t >= way_.legs.front().begin && t <= way_.legs.back().end))
        throw no_measure(m.name,
                         fmt::format("lies outside the run, {:g} s to {:g} s",
                                     way_.legs.front().begin, way_.legs.back().end),
                         "");
      const auto leg = std::ranges::lower_bound(way_.legs, t, {}, &sim::Leg::end);
      const auto number = static_cast<std::size_t>(leg - way_.legs.begin());
      wanted[i].push_back({number, true, t});
      places_[i].leg = number;
    };
    switch (m.kind) {
      case What::end:
        wanted[i].push_back({end, false, 1});
        break;
      case What::instant:
        at_time(m.instant);
        break;
      case What::square_misfit:
        for (const double t : m.time) at_time(t);
        break;
      case What::event: {
        const std::size_t e = places_[i].event;
        const auto leg = std::ranges::find_if(way_.legs, [&](const sim::Leg& l) {
          return e >= l.first_event && e < l.first_event + l.events;
        });
        places_[i].leg = static_cast<std::size_t>(leg - way_.legs.begin());
        break;
      }
      case What::lowest:
      case What::highest:
      case What::range:
        if (!extremes_[i][0] && !extremes_[i][1]) {
          look_everywhere(wanted[i]);
          break;
        }
        places_[i].leg = 0;
        for (const std::optional<Window>& window : extremes_[i]) {
          if (!window) continue;
          look_through(*window, wanted[i]);
          places_[i].leg = std::max(places_[i].leg, window->leg);
        }
        break;
      case What::mean:
      case What::rms:
        look_everywhere(wanted[i]);
        break;
    }
  }
  const auto before = [](const sim::Look& a, const sim::Look& b) {
    return std::tuple(a.leg, a.by_time, a.at) < std::tuple(b.leg, b.by_time, b.at);
  };
  looks_.clear();
  for (const auto& list : wanted) looks_.insert(looks_.end(), list.begin(), list.end());
  std::ranges::sort(looks_, before);
  const auto same = [&](const sim::Look& a, const sim::Look& b) {
    return !before(a, b) && !before(b, a);
  };
  looks_.erase(std::unique(looks_.begin(), looks_.end(), same), looks_.end());
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    places_[i].looks.clear();
    for (const sim::Look& look : wanted[i])
      places_[i].looks.push_back(static_cast<std::size_t>(
          std::ranges::lower_bound(looks_, look, before) - looks_.begin()));
  }
}

/// At the points of a window, of which `from` is the first.
std::array<double, kNodes> MeasurePlan::values_from(const Place& place, const Readings& r,
                                                    std::size_t from, double sign) {
  std::array<double, kNodes> out{};
  for (std::size_t k = 0; k < kNodes; ++k)
    out[k] = sign * r.at(place.looks[from + k], place.column);
  return out;
}

/// Around the extreme, so narrow that the polynomial through it is as good as the motion.
MeasurePlan::Window MeasurePlan::window(const Place& place, const Readings& r, double sign) const {
  Window out;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t leg = 0; leg < way_.legs.size(); ++leg) {
    const Top top = largest(values_from(place, r, leg * kNodes, sign));
    if (!(top.value > most)) continue;
    most = top.value;
    const double low = std::clamp(top.at - 0.5 * kWindow, 0.0, 1 - kWindow);
    out = {leg, low, low + kWindow};
  }
  return out;
}

void MeasurePlan::settle(const Readings& readings) {
  using What = Measure::What;
  for (std::size_t i = 0; i < measures_.size(); ++i) {
    const What kind = measures_[i].kind;
    if (kind == What::lowest || kind == What::range)
      extremes_[i][0] = window(places_[i], readings, -1);
    if (kind == What::highest || kind == What::range)
      extremes_[i][1] = window(places_[i], readings, 1);
  }
  plan();
}

double MeasurePlan::value(std::size_t measure, const Readings& r) const {
  using What = Measure::What;
  const Measure& m = measures_[measure];
  const Place& place = places_[measure];
  if (place.leg >= r.legs) return kNaN;
  const auto at = [&](std::size_t k) { return r.at(place.looks[k], place.column); };
  const auto extreme = [&](std::size_t from, double sign) {
    return sign * largest(values_from(place, r, from, sign)).value;
  };
  switch (m.kind) {
    case What::end:
    case What::instant:
      return at(0);
    case What::event:
      return (*r.events)[place.event].time;
    case What::lowest:
      return extreme(0, -1);
    case What::highest:
      return extreme(0, 1);
    case What::range:
      return extreme(kNodes, 1) - extreme(0, -1);
    case What::square_misfit: {
      double square = 0;
      for (std::size_t k = 0; k < m.time.size(); ++k) square += std::pow(at(k) - m.value[k], 2);
      return square / static_cast<double>(m.time.size());
    }
    case What::mean:
    case What::rms: {
      double integral = 0, begin = r.start;
      for (std::size_t leg = 0; leg < r.ends->size(); ++leg) {
        const double width = (*r.ends)[leg] - begin;
        begin = (*r.ends)[leg];
        for (std::size_t k = 0; k < kNodes; ++k) {
          const double y = at(leg * kNodes + k);
          integral += width * kWeight[k] * (m.kind == What::rms ? y * y : y);
        }
      }
      const double mean = integral / (begin - r.start);
      return m.kind == What::rms ? std::sqrt(std::max(0.0, mean)) : mean;
    }
  }
  return kNaN;
}

std::size_t MeasurePlan::last_leg(std::size_t measure) const { return places_[measure].leg; }

}  // namespace freeplay::study
