// SPDX-License-Identifier: Apache-2.0
#include "laws/plugin_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <stdexcept>

namespace freeplay::laws {
namespace {

struct Kind {
  std::string_view name;
  std::array<std::string_view, 5> arguments;  // those that move; empty: there are no more
  std::array<std::string_view, 10> taken;     // keys of their tables
};
constexpr std::array kKinds{
    Kind{"contact", {"d", "v", "v0"}, {"law", "plugin", "digest", "tension", "min_approach_speed"}},
    Kind{"friction", {"v", "load"}, {"law", "plugin", "digest", "preload", "radius"}},
    Kind{"wear",
         {"k", "p", "v", "shear", "h"},
         {"law", "plugin", "digest", "outer", "inner", "x", "factor", "sectors", "outer_depth",
          "inner_depth"}}};
const Kind* kind_named(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &Kind::name);
  return found == kKinds.end() ? nullptr : &*found;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string text_of(const char* text) { return text ? text : ""; }

/// Plug-ins that are open, by digest, and laws of this program, by "@NAME".
struct Open {
  std::mutex mutex;
  std::map<std::string, PluginLaws> plugins;
};
Open& open() {
  static auto* const all = new Open;  // laws are let go of at the very end as well
  return *all;
}

std::atomic<bool> allowed{false};

}  // namespace

PluginReference PluginReference::read(std::string_view text) {
  constexpr std::string_view mark = " sha256:";
  PluginReference out;
  if (const auto at = text.rfind(mark); at != text.npos) {
    out.digest = text.substr(at + mark.size());
    text = text.substr(0, at);
  }
  const auto hash = text.rfind('#');
  out.file = text.substr(0, hash);
  if (hash != text.npos) out.name = text.substr(hash + 1);
  return out;
}

std::string PluginReference::text() const {
  return file + (name.empty() ? "" : "#" + name) + (digest.empty() ? "" : " sha256:" + digest);
}

std::shared_ptr<const PluginLaw> copied(const freeplay_law& law,
                                        std::shared_ptr<const void> owner) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(law.name ? fmt::format("law '{}': {}", law.name, what) : what);
  };
  auto out = std::make_shared<PluginLaw>();
  out->kind = text_of(law.kind);
  out->name = text_of(law.name);
  out->doc = text_of(law.doc);
  if (out->name.empty() || out->name.size() > 100) refuse("a law needs a name");
  const Kind* const kind = kind_named(out->kind);
  if (!kind) refuse(fmt::format("its kind is '{}'; expected contact, friction or wear", out->kind));
  if (!law.evaluate) refuse("it has no function");
  if (law.slopes != FREEPLAY_FINITE_SLOPES && law.slopes != FREEPLAY_EXACT_SLOPES)
    refuse(fmt::format("its slopes are {}; expected 0 or 1", law.slopes));
  if (law.parameter_count < 0 || law.parameter_count > 1000 ||
      (law.parameter_count > 0 && !law.parameters))
    refuse("its list of parameters makes no sense");
  for (int k = 0; k < law.parameter_count; ++k) {
    const freeplay_parameter& p = law.parameters[k];
    PluginParameter added{text_of(p.name), text_of(p.unit), text_of(p.doc),
                          p.fallback,      p.least,         p.most};
    if (!is_name(added.name))
      refuse(fmt::format("parameter {} has no name of letters, digits and _", k + 1));
    if (std::ranges::find(kind->taken, added.name) != kind->taken.end())
      refuse(
          fmt::format("the table of the law has a key '{}' already; give the parameter another "
                      "name",
                      added.name));
    if (std::ranges::find(out->parameters, added.name, &PluginParameter::name) !=
        out->parameters.end())
      refuse(fmt::format("two parameters are called '{}'", added.name));
    if (added.unit == "1") added.unit.clear();
    if (!(added.least <= added.most))
      refuse(fmt::format("the bounds of '{}' are {:g} and {:g}", added.name, p.least, p.most));
    if (!std::isnan(p.fallback) && !(p.fallback >= p.least && p.fallback <= p.most))
      refuse(fmt::format("the default of '{}' is beyond its bounds", added.name));
    out->parameters.push_back(std::move(added));
  }
  out->exact = law.slopes == FREEPLAY_EXACT_SLOPES;
  out->evaluate = law.evaluate;
  out->context = law.context;
  out->owner = std::move(owner);
  return out;
}

void keep_plugin(const std::string& id, PluginLaws laws) {
  PluginLaws before;  // whose owners are let go of without the lock
  const std::lock_guard lock(open().mutex);
  before = std::exchange(open().plugins[id], std::move(laws));
}

PluginLaws find_plugin(const std::string& id) {
  const std::lock_guard lock(open().mutex);
  const auto found = open().plugins.find(id);
  return found == open().plugins.end() ? PluginLaws{} : found->second;
}

std::vector<std::string> registered_laws(std::string_view kind) {
  std::vector<std::string> out;
  const std::lock_guard lock(open().mutex);
  for (const auto& [id, laws] : open().plugins)
    if (id.starts_with('@') &&
        std::ranges::any_of(laws, [&](const auto& law) { return law->kind == kind; }))
      out.push_back(id);
  return out;
}

std::shared_ptr<const PluginLaw> choose(const PluginLaws& laws, std::string_view kind,
                                        const std::string& name, std::string& why) {
  std::vector<std::string> names;
  for (const auto& law : laws) {
    if (law->kind != kind) continue;
    if (law->name == name) return law;
    names.push_back(law->name);
  }
  if (names.size() == 1 && name.empty())
    return *std::ranges::find(laws, kind, [](const auto& law) { return law->kind; });
  const std::string known = fmt::format("'{}'", fmt::join(names, "', '"));
  if (names.empty())
    why = fmt::format("it has no {} law", kind);
  else if (name.empty())
    why = fmt::format("it has several {} laws: FILE#LAW chooses one of {}", kind, known);
  else
    why = fmt::format("it has no {} law '{}', only {}", kind, name, known);
  return {};
}

std::shared_ptr<const PluginFunction> PluginFunction::make(
    std::shared_ptr<const PluginLaw> law,
    std::span<const std::pair<std::string, double>> parameters) {
  std::vector<double> numbers;
  for (const PluginParameter& p : law->parameters) numbers.push_back(p.fallback);
  for (const auto& [name, value] : parameters) {
    const auto found = std::ranges::find(law->parameters, name, &PluginParameter::name);
    if (found == law->parameters.end())
      throw std::invalid_argument(fmt::format("law '{}' has no parameter '{}'", law->name, name));
    if (!(value >= found->least && value <= found->most))
      throw std::invalid_argument(
          fmt::format("{}: {:g} is outside [{:g}, {:g}]", name, value, found->least, found->most));
    numbers[static_cast<std::size_t>(found - law->parameters.begin())] = value;
  }
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (std::isnan(numbers[k]))
      throw std::invalid_argument(fmt::format("'{}' is missing", law->parameters[k].name));
  return std::make_shared<const PluginFunction>(std::move(law), std::move(numbers));
}

void PluginFunction::note(const double* at, int status) const {
  if (troubled_) return;
  const Kind& kind = *kind_named(law_->kind);
  for (std::size_t k = 0; k < where_.size() && !kind.arguments[k].empty(); ++k) {
    where_[k] = at[k];
    if (!std::isfinite(at[k])) return;  // not the law's fault
  }
  troubled_ = true;
  status_ = status;
}

bool PluginFunction::ask(const double* at, bool slopes, double* out) const {
  std::array<double, 7> all;  // contact: four that move, three of the site
  if (is_contact_) {
    std::copy_n(at, 4, all.begin());
    std::copy_n(site_.begin(), 3, all.begin() + 4);
    at = all.data();
  }
  const int status = law_->evaluate(at, parameters_.data(), slopes ? 1 : 0, out, law_->context);
  const double sum = slopes ? out[0] + out[1] + out[2] : out[0];
  if (status == 0 && std::isfinite(sum)) return true;
  note(at, status);
  return false;
}

std::shared_ptr<const PluginFunction> PluginFunction::at_site(
    const std::array<double, 3>& modulus_radius_length) const {
  auto out = std::make_shared<PluginFunction>(law_, parameters_);
  out->site_ = modulus_radius_length;
  return out;
}

double PluginFunction::value(const double* at) const {
  double out = std::nan("");
  return ask(at, false, &out) ? out : std::nan("");
}

std::array<double, 1 + PluginFunction::kSlopes> PluginFunction::with_slopes(
    const double* at) const {
  std::array<double, 1 + kSlopes> out;
  out.fill(std::nan(""));
  if (law_->exact) {
    if (!ask(at, true, out.data())) out.fill(std::nan(""));
    return out;
  }
  // Central differences; where an argument must not become negative, to one side at zero.
  constexpr double kShare = 6e-6;   // the third root of the rounding of a number
  constexpr double kAtZero = 1e-9;  // m/s, N: what no law tells from rest
  std::array<double, 5> x{};
  const std::size_t count = is_contact_ ? 4 : law_->kind == "friction" ? 2 : 5;
  std::copy_n(at, count, x.begin());
  out[0] = value(at);
  for (std::size_t k = 0; k < kSlopes; ++k) {
    const bool signed_rate = k == 1 && is_contact_;
    const double scale = signed_rate ? std::max(std::abs(at[1]), at[2]) : std::abs(at[k]);
    const double h = scale > 0 ? kShare * scale : kAtZero;
    x[k] = at[k] + h;
    const double up = x[k], above = value(x.data());
    x[k] = scale > 0 ? at[k] - h : at[k];
    out[k + 1] = (above - value(x.data())) / (up - x[k]);
    x[k] = at[k];
  }
  return out;
}

std::string PluginFunction::trouble() const {
  if (!troubled_) return {};
  const Kind& kind = *kind_named(law_->kind);
  std::string place;
  for (std::size_t k = 0; k < where_.size() && !kind.arguments[k].empty(); ++k)
    place += fmt::format("{}{} = {:.4g}", k ? ", " : "", kind.arguments[k], where_[k]);
  if (status_ != 0)
    return fmt::format("the {} law '{}' gave up with {} at {}", kind.name, law_->name, status_,
                       place);
  return fmt::format("the {} law '{}' returned no finite number at {}", kind.name, law_->name,
                     place);
}

}  // namespace freeplay::laws

namespace freeplay {

void allow_plugins(bool allowed) { laws::allowed = allowed; }
bool plugins_allowed() { return laws::allowed; }

void register_law(const freeplay_law& law, std::shared_ptr<const void> owner) {
  auto added = laws::copied(law, std::move(owner));
  const std::string id = "@" + added->name;
  laws::PluginLaws all = laws::find_plugin(id);
  std::erase_if(all, [&](const auto& other) { return other->kind == added->kind; });
  all.push_back(std::move(added));
  laws::keep_plugin(id, std::move(all));
}

}  // namespace freeplay
