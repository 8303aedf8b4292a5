// SPDX-License-Identifier: Apache-2.0
#include "laws/catalogue.hpp"

#include "laws/catalogue_of.hpp"

#include <fmt/format.h>

#include <cmath>

namespace freeplay::laws {
namespace {

template <NormalLaw L>
std::vector<std::string> traits_of() {
  std::vector<std::string> out;
  const L law;
  if (law.misfit(kBallSite).empty()) out.emplace_back("ball in socket");
  if (law.misfit(kJournalSite).empty()) out.emplace_back("journal in bearing");
  if (law.misfit(kFaceSite).empty()) out.emplace_back("plane faces");
  if constexpr (FormulaLaw<L>)
    out.emplace_back("as its formula says");
  else if constexpr (PluginUser<L>)
    out.emplace_back("as its code says");
  else if (L::uses_impact_rate)
    out.emplace_back("uses the approach speed at first touch");
  if (L::impulsive) out.emplace_back("impulse instead of force");
  for (const MemoryField& field : memory_of<L>())
    out.push_back(fmt::format("remembers `{}`", field.name));
  if constexpr (requires { L::pulls; }) out.emplace_back("pulls before it lets go");
  return out;
}

template <FrictionLawType L>
std::vector<std::string> traits_of() {
  std::vector<std::string> out;
  out.emplace_back(L::can_hold_load ? "holds a load at rest" : "creeps under a load");
  if (L::sticks_by_events) out.emplace_back("sticks by located events");
  if (L::states > 0) out.push_back(fmt::format("{} states", L::states));
  return out;
}

template <WearLawType L>
std::vector<std::string> traits_of() {
  std::vector<std::string> out;
  if (L{}.uses_shear) out.emplace_back("needs friction in the joint");
  if (L::table == WearTable::pressure) out.emplace_back("table of pressure");
  if (L::table == WearTable::speed) out.emplace_back("table of speed");
  return out;
}

template <ControlLawType L>
std::vector<std::string> traits_of() {
  std::vector<std::string> out;
  out.emplace_back(L::sampled ? "at all times or sampled" : "at all times");
  if constexpr (requires(L law) { law.tau; }) out.emplace_back("remembers a period");
  if constexpr (requires { L::lists(); }) out.emplace_back("lists of numbers");
  return out;
}

/// What keeps a loaded contact where it is, or does not.
template <FrictionLawType L>
std::string at_rest_of() {
  if (L::sticks_by_events) return "sticks: rest is located as an event and held as a constraint";
  if (L::states > 0) return "bends its bristles until they carry the load";
  return "its force vanishes with the speed, so a load keeps it creeping";
}

/// The most friction over load that the law can give, with its defaults.
template <FrictionLawType L>
std::string bound_of() {
  const L law;
  return fmt::format("{:.4g} of the load at rest, {:.4g} at 1 mm/s, {:.4g} at 0.1 m/s",
                     law.bound(0), law.bound(1e-3), law.bound(0.1));
}

std::string described(const ContactSite& s) {
  if (s.face_half_width > 0)
    return fmt::format("steel faces of {:g} m, 1 kg", 2 * s.face_half_width);
  return fmt::format("steel {} of {:g} m radius{} in {:g} m, 1 kg",
                     s.spherical ? "ball" : "journal", s.inner_radius,
                     s.length > 0 ? fmt::format(" and {:g} m length", s.length) : "",
                     s.outer_radius);
}
std::string described(const ContactSample& s, std::span<const MemoryField> memory = {}) {
  std::string past;
  for (std::size_t k = 0; s.at.memory && k < memory.size(); ++k)
    past += fmt::format(", {} {:g}", memory[k].name, s.at.memory[k]);
  return fmt::format("depth {:g} m, rate {:g} m/s after an approach at {:g} m/s{}: {:.6g} N",
                     s.at.depth, s.at.rate, s.at.impact_rate, past, s.force);
}
std::string described(const SlipSample& s) {
  return fmt::format("at {:g} m/s: {:.6g} of the load", s.speed, s.coefficient);
}
std::string described(const BristleSample& s) {
  return fmt::format("at {:g} m/s, load {:g} N, deflection {:g} m: {:.6g} N, dz/dt = {:.6g} m/s",
                     s.velocity, s.load, s.deflection, s.force, s.rate);
}
std::string described(const WearSample& s) {
  std::string at = fmt::format("{:g} Pa at {:g} m/s", s.at.pressure, s.at.slip);
  if (s.at.shear > 0) at += fmt::format(", friction {:g} Pa", s.at.shear);
  if (s.at.depth > 0) at += fmt::format(", {:g} m lost", s.at.depth);
  if (s.at.factor != 1) at += fmt::format(", factor {:g}", s.at.factor);
  return at + fmt::format(": {:.6g} m/s", s.rate);
}

std::string described(const ControlSample& s) {
  return fmt::format("input {:g}, what it remembers {:g}: {:.6g}", s.first, s.state, s.output);
}

/// Samples of contact laws begin with their site.
template <class V>
std::vector<Entry> with_sites(std::string_view kind) {
  auto out = catalogue_of<V>(
      kind, []<class L>(std::type_identity<L>) { return traits_of<L>(); },
      [](const auto& sample) { return described(sample); });
  std::size_t i = 0;
  for_each_type<V>([&]<class L>(std::type_identity<L>) {
    if constexpr (FrictionLawType<L>) {
      out[i].holds_load = L::can_hold_load;
      out[i].at_rest = at_rest_of<L>();
      out[i].bound = bound_of<L>();
    }
    if constexpr (RemembersContact<L>)
      for (std::size_t k = 0; k < L::samples.size(); ++k)
        out[i].samples[k] = described(L::samples[k], L::memory_fields);
    if constexpr (requires { L::sample_site; })
      for (std::string& sample : out[i].samples) sample.insert(0, described(L::sample_site) + ", ");
    ++i;
  });
  return out;
}

std::string fallback_text(const Parameter& p) {
  if (p.formula) return "required";
  if (p.required) return "required";
  if (p.is_flag) return "false";
  return std::isnan(p.fallback) ? "-" : fmt::format("{:g}", p.fallback);
}
std::string unit_text(const Parameter& p) {
  if (p.is_flag) return "true/false";
  return p.unit_at_reference_load.empty()
             ? std::string(p.unit)
             : fmt::format("{} ({})", p.unit, p.unit_at_reference_load);
}
std::string unit_text(const Variable& v) {
  return v.angular_unit.empty()
             ? std::string(v.unit)
             : fmt::format("{} ({} at a stop of an angle)", v.unit, v.angular_unit);
}
std::string range_text(const Parameter& p) {
  return p.is_flag || p.formula || p.unit == kTextUnit ? ""
                                                       : fmt::format("{:g} ... {:g}", p.min, p.max);
}

/// A formula with each of its parts on a line of its own.
std::string lines(std::string_view formula, std::string_view indent) {
  std::string out(indent);
  for (const char c : formula) {
    if (c == ' ' && out.back() == ';') {
      out.back() = '\n';
      out += indent;
    } else {
      out += c;
    }
  }
  return out;
}

/// Markdown reads | as the end of a cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\\');
  return text;
}

/// How the law departs from its publication by default; empty: it does not.
std::string departure(const Entry& law) {
  if (law.departs.empty()) return {};
  return fmt::format("Departs from the publication unless `as_published = true`: {}.{}{}",
                     law.departs, law.departs_by.empty() ? "" : " ", law.departs_by);
}

}  // namespace

std::vector<Entry> contact_catalogue() { return with_sites<ContactLaw>("contact"); }
std::vector<Entry> friction_catalogue() { return with_sites<FrictionLaw>("friction"); }
std::vector<Entry> control_catalogue() { return with_sites<ControlLaw>("control"); }
std::vector<Entry> wear_catalogue() { return with_sites<WearLaw>("wear"); }

std::string to_text(const Entry& law) {
  std::string out = fmt::format("{} law `{}`: {}\n  {}\n\n{}\n\n", law.kind, law.key, law.title,
                                law.cite, lines(law.formula, "    "));
  for (const Parameter& p : law.parameters)
    out += fmt::format("  {:<17} {:<14} {:<10} {:<18} {}\n", p.key, unit_text(p), fallback_text(p),
                       range_text(p), p.doc);
  if (law.use) {
    out += fmt::format("\n  The formula may name, beside numbers of the table:\n");
    for (const Variable& v : law.use->variables)
      out += fmt::format("  {:<17} {:<14} {}\n", v.name, unit_text(v), v.doc);
    out += fmt::format("  Example: {} = \"{}\"\n", law.use->key, law.use->example);
  }
  out += fmt::format("\n  Traits: {}\n  Limits: {}\n", fmt::join(law.traits, ", "), law.limits);
  if (!law.bound.empty()) out += fmt::format("  At most: {}\n", law.bound);
  if (const std::string text = departure(law); !text.empty()) out += "  " + text + "\n";
  for (const std::string& sample : law.samples) out += fmt::format("  Sample: {}\n", sample);
  return out;
}

std::string to_markdown(const std::vector<Entry>& catalogue) {
  std::string out = "| law | key | remarks |\n|---|---|---|\n";
  for (const Entry& law : catalogue)
    out += fmt::format("| {0} | [`{1}`](#{1}) | {2} |\n", law.title, law.key,
                       fmt::join(law.traits, ", "));
  for (const Entry& law : catalogue) {
    out += fmt::format("\n## {}\n\n**{}**. {}.\n\n{}\n\n", law.key, law.title, law.cite,
                       lines(law.formula, "    "));
    out += "| key | unit | default | range | meaning |\n|---|---|---|---|---|\n";
    for (const Parameter& p : law.parameters)
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", p.key, unit_text(p), fallback_text(p),
                         range_text(p), cell(std::string(p.doc)));
    if (law.use) {
      out += "\n| variable | unit | meaning |\n|---|---|---|\n";
      for (const Variable& v : law.use->variables)
        out += fmt::format("| `{}` | {} | {} |\n", v.name, unit_text(v), v.doc);
      out += fmt::format("\nFor example `{} = \"{}\"`.\n", law.use->key, law.use->example);
    }
    out += fmt::format("\n{}\n\n", law.limits);
    if (!law.bound.empty()) out += fmt::format("With its defaults at most {}.\n\n", law.bound);
    if (const std::string text = departure(law); !text.empty()) out += text + "\n\n";
    for (const std::string& sample : law.samples) out += fmt::format("- {}\n", sample);
  }
  return out;
}

std::string reference_page(std::string_view kind) {
  const bool friction = kind == "friction", wear = kind == "wear", control = kind == "control";
  std::string out = friction  ? "# Friction laws\n\n"
                    : wear    ? "# Wear laws\n\n"
                    : control ? "# Control laws\n\n"
                              : "# Contact laws\n\n";
  out += fmt::format(
      "Generated by `./dev docs` from the laws themselves (`freeplay laws --markdown {}`); to "
      "change "
      "this page, change\n`src/laws/{}/`. A law is chosen by its key in the model file:\n\n",
      kind, kind);
  if (friction) {
    out +=
        "    [joints.NAME.clearance]\n"
        "    friction = { law = \"ambrosio\", kinetic = 0.1 }\n\n"
        "The load is the normal force of the contact, damping included; coefficients are forces "
        "over the load. The slip is that of the\nmaterial of both bodies at the one point where "
        "they "
        "push each other, midway between the overlapping surfaces\n(`force_point`; "
        "[conventions](../theory/conventions.md#contact)).\n\n"
        "## Which laws hold a load at rest\n\n"
        "| law | holds a load at rest | because |\n|---|---|---|\n";
    for (const Entry& law : friction_catalogue())
      out += fmt::format("| [`{0}`](#{0}) | {1} | {2} |\n", law.key, law.holds_load ? "yes" : "no",
                         law.at_rest);
    out += "\n## All laws\n\n";
  } else if (wear) {
    out +=
        "    [joints.NAME.clearance.wear]\n"
        "    law = \"archard\"\n"
        "    outer = \"1e-14 1/Pa\"\n"
        "    inner = \"1e-14 1/Pa\"\n\n"
        "The outer part is the bearing, the inner one the journal. Pressure is that of the contact "
        "law at each place, and coefficients\ncount the sum of the pressures, not the resultant "
        "load: on wide arcs the sum is larger\n([theory](../theory/wear.md)).\n\n";
  } else if (control) {
    out +=
        "    [controllers.NAME]\n"
        "    law   = \"pid\"\n"
        "    input = \"error\"\n"
        "    kp    = \"0.5 N m s/rad\"\n\n"
        "Gains may have any unit, since inputs have: numbers are in SI. What goes in, who follows "
        "the output, sampling, limits and\ndelays are described in the "
        "[guide](../guide/control.md) and the [theory](../theory/control.md).\n\n";
  } else {
    out +=
        "    [joints.NAME.clearance]\n"
        "    contact = { law = \"lankarani-nikravesh\", restitution = 0.9 }\n\n"
        "Depth is positive in contact, rate positive while approaching. Without a `law`, `exact` "
        "is "
        "taken. Both bodies are pushed at one point,\nmidway between the overlapping surfaces; "
        "`force_point` of the clearance puts it onto one of them\n"
        "([conventions](../theory/conventions.md#contact)).\n\n";
  }
  return out + to_markdown(friction  ? friction_catalogue()
                           : wear    ? wear_catalogue()
                           : control ? control_catalogue()
                                     : contact_catalogue());
}

std::vector<Fault> faults(const ContactLaw& law) {
  return std::visit([](const auto& l) { return faults_of(l); }, law);
}
std::vector<Fault> faults(const FrictionLaw& law) {
  return std::visit([](const auto& l) { return faults_of(l); }, law);
}

std::vector<Fault> faults(const WearLaw& law) {
  return std::visit([](const auto& l) { return faults_of(l); }, law);
}

std::vector<Fault> faults(const ControlLaw& law) {
  return std::visit([](const auto& l) { return faults_of(l); }, law);
}

std::string misfit(const ContactLaw& law, const ContactSite& site) {
  return std::visit([&](const auto& l) { return l.misfit(site); }, law);
}
void prepare(ContactLaw& law, const ContactSite& site) {
  std::visit([&](auto& l) { l.prepare(site); }, law);
}
std::vector<Derived> derived(const ContactLaw& law) {
  return std::visit([](const auto& l) { return l.derived(); }, law);
}

}  // namespace freeplay::laws
