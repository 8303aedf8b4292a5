// SPDX-License-Identifier: Apache-2.0
#include "io/impact_units.hpp"
#include "io/record_choice.hpp"
#include "io/recorder_file.hpp"
#include "io/result_layout.hpp"
#include "io/state_layout.hpp"
#include "joints/imperfect_joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// How the rows of a run are laid out in its file.
namespace freeplay {

using io::RowStream;
using io::RowType;

void Recorder::File::choose_channels() {
  channels.clear();
  for (Channel& c : io::chosen_channels(wishes(), header.channels)) {
    channels.push_back({std::move(c)});
  }
}

void Recorder::File::describe(io::Hdf5Dataset& dataset, const std::string& unit,
                              const std::string& long_name, const std::string& frame) {
  const std::array<std::pair<const char*, std::string>, 3> texts{
      {{"unit", unit}, {"long_name", long_name}, {"frame", frame}}};
  dataset.describe(std::span(texts).first(frame.empty() ? 2 : 3));
}

// Attributes of /joints/NAME: which laws, and what they made of material, radii and masses.
void Recorder::File::describe_contact(const Model& model, JointIndex index) {
  const Joint& joint = model.joints[static_cast<std::size_t>(index)];
  const std::string group = "joints/" + joint.name;
  if (!joint.clearance || !hdf5->contains(io::kUniform + group)) return;
  hdf5->create_group(group);
  hdf5->set_attribute(group, "contact_law", joint.clearance->contact.key);
  if (joint.clearance->friction)
    hdf5->set_attribute(group, "friction_law", joint.clearance->friction->key);
  std::string units;
  for (const laws::Derived& d : joints::ImperfectJoint(model, index).derived()) {
    std::string name(d.name);
    std::replace(name.begin(), name.end(), ' ', '_');
    if (!std::isfinite(d.value)) continue;  // a limit that does not exist
    hdf5->set_attribute(group, name, d.value);
    units += (units.empty() ? "" : ", ") + name + ": " + d.unit;
  }
  hdf5->set_attribute(group, "derived_unit", units);
}

// Bytes of the packed records, in the order in which the streams take their slices.
std::size_t Recorder::File::step_bytes() const {
  std::size_t numbers = 1;
  for (const Kept& kept : channels) numbers += static_cast<std::size_t>(kept.channel.width);
  if (header.layout)
    numbers += static_cast<std::size_t>(header.layout->y_size() + header.layout->memory_size());
  return 8 * (numbers + 7);
}

namespace {
/// Points of the uniform grid, both ends included.
std::size_t uniform_rows(const Model& model) {
  const Simulation& s = model.simulation;
  return 1 + static_cast<std::size_t>(s.output > 0 ? s.duration / s.output * (1 + 1e-12) : 1000);
}
}  // namespace

void Recorder::File::make_streams() {
  std::size_t row = 8;
  for (const Kept& kept : channels) row += numbers(kept.channel.width).bytes();
  uniform.emplace(row, uniform_rows(*header.model));
  events.emplace(io::event_row(joint_bytes, kKindBytes).bytes());
  impacts.emplace(io::impact_row(joint_bytes).bytes());
  if (!wishes().steps) return;
  const std::size_t bytes = step_bytes();
  steps.emplace(bytes);
  if (wishes().every != 0) return;
  int width = 0;
  std::vector<Channel> list;
  for (const Kept& kept : channels) {
    width += kept.channel.width;
    list.push_back(kept.channel);
  }
  const std::size_t most = io::most_step_rows(width);
  thinning.emplace(bytes, io::StepThinning::Places{bytes - 16, bytes - 8},
                   io::watched_numbers(list, most), most);
}

void Recorder::File::create(RowStream& stream, const std::string& path, const RowType& row,
                            const std::string& unit, const std::string& long_name,
                            const std::string& frame) {
  auto dataset = hdf5->create_dataset(path, row, stream.chunk_rows());
  describe(dataset, unit, long_name, frame);
  stream.add(std::move(dataset));
}

void Recorder::File::create_streams() {
  make_streams();
  create(*uniform, std::string(io::kUniform) + "time", numbers(1), "s", "time");
  for (const Kept& kept : channels) {
    const Channel& c = kept.channel;
    create(*uniform, io::kUniform + c.path, numbers(c.width), c.unit, c.long_name, c.frame);
  }
  const auto event_row = io::event_row(joint_bytes, kKindBytes);
  create(*events, "events", event_row, io::contact_units(event_row, *header.model),
         "located events");
  const auto impact_row = io::impact_row(joint_bytes);
  create(*impacts, "impacts", impact_row, io::contact_units(impact_row, *header.model),
         "contacts, each from its touch to its separation, or to the end of the run where `open` "
         "is 1; energy lost to the normal law");
  hdf5->create_group("solver");
  if (header.layout) {
    hdf5->write_text(io::kBlocks, io::layout_text(*header.layout));
    hdf5->set_attribute(io::kBlocks, "unit", std::string("1"));
    hdf5->set_attribute(
        io::kBlocks, "long_name",
        std::string("what the numbers of a state are: those of y, then those of the memory"));
    hdf5->set_attribute("state", "formulation", header.layout->formulation());
    hdf5->set_attribute("state", "layout", fmt::format("{:016x}", header.layout->digest()));
    const auto make = [&](const char* path, const RowType& row, const char* long_name) {
      auto dataset = hdf5->create_dataset(path, row, 512);
      describe(dataset, "1", long_name);
    };
    make(io::kAnchors, numbers(1),
         "states from which the run goes on to the last bit: of each its time, y, memory and step "
         "memory");
    make(io::kAnchorEnd, counter(), "where each of the anchors ends");
    make(io::kAnchorStep, counter(), "after how many steps it was");
    make(io::kCheckpoint, numbers(1), "the last such state; empty when complete");
  }
  if (steps && !thinning) create_steps(0);
}

/// `rows`: how many there will be; 0: nobody knows.
void Recorder::File::create_steps(std::size_t rows) {
  steps_laid_out = true;
  steps.emplace(step_bytes(), rows);
  create(*steps, "time", numbers(1), "s", "time");
  for (const Kept& kept : channels) {
    const Channel& c = kept.channel;
    create(*steps, c.path, numbers(c.width), c.unit, c.long_name, c.frame);
  }
  if (header.layout) {
    create(*steps, "state/y", numbers(header.layout->y_size()), "SI", "state vector");
    create(*steps, "state/memory", numbers(header.layout->memory_size()), "SI",
           "what changes only between steps");
  }
  create(*steps, "solver/step", numbers(1), "s", "length of the step that ended here");
  create(*steps, "solver/order", counter(), "1", "order of the method in the step");
  create(*steps, "solver/rejected", counter(), "1", "rejected tries so far");
  create(*steps, "solver/evaluations", counter(), "1",
         "evaluations of the equations of motion so far");
  create(*steps, "solver/jacobians", counter(), "1", "Jacobians so far");
  create(*steps, "solver/index", counter(), "1", "accepted steps so far");
  create(*steps, "solver/event", counter(), "1", "which of the steps at events; 0: none");
}

void Recorder::File::write_anchors() {
  if (!header.layout) return;
  const auto numbers_of = anchors.numbers();
  const auto ends = anchors.ends();
  const auto& after = anchors.steps();
  hdf5->dataset(io::kAnchors, numbers(1)).replace(numbers_of.data(), numbers_of.size());
  hdf5->dataset(io::kAnchorEnd, counter()).replace(ends.data(), ends.size());
  hdf5->dataset(io::kAnchorStep, counter()).replace(after.data(), after.size());
  hdf5->set_attribute("state", "anchor_every", anchors.every());
  if (!thinning) return;
  hdf5->set_attribute("solver", "kept_every", thinning->every());
  hdf5->set_attribute("solver", "kept_every_event", thinning->every_event());
}

/// Which of the steps are in the file, for people.
std::string Recorder::File::kept_steps() const {
  const auto nth = [](std::int64_t n) {
    return n == 2 ? std::string("every second") : fmt::format("every {}th", n);
  };
  std::string out;
  if (!wishes().steps)
    out = "none of the steps, the uniform grid alone";
  else if (!thinning)
    out = wishes().every == 1 ? "all steps" : nth(wishes().every) + " step, and those at events";
  else if (thinning->every() == 1 && thinning->every_event() == 1)
    out = "all steps";
  else
    out = fmt::format(
        "{} step, {} at events, and those at the extremes of each series", nth(thinning->every()),
        thinning->every_event() == 1 ? "those" : nth(thinning->every_event()) + " of those");
  if (channels.size() < header.channels.size())
    out += fmt::format("; {} of {} series", channels.size(), header.channels.size());
  return out;
}

}  // namespace freeplay
