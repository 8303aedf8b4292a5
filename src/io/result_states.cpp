// SPDX-License-Identifier: Apache-2.0
#include "io/result_file.hpp"
#include "io/result_layout.hpp"
#include "io/state_layout.hpp"

// States stored in a result file: from any of them the run can go on.
namespace freeplay {

std::shared_ptr<const Layout> Result::layout() const { return file_->layout(); }

std::shared_ptr<const Layout> Result::File::layout() const {
  if (!hdf5.contains("state/y") || !hdf5.is_dataset(io::kBlocks)) refuse("it holds no states");
  auto out = io::parse_layout(attribute<std::string>("state", "formulation").value_or(""),
                              hdf5.text(io::kBlocks));
  if (!out || fmt::format("{:016x}", out->digest()) !=
                  attribute<std::string>("state", "layout").value_or(""))
    refuse("the list of its states is damaged");
  return out;
}

State Result::state_before(double time) const { return file_->state_at(file_->row_before(time)); }

State Result::checkpoint() const {
  const File& f = *file_;
  const auto row = f.attribute<std::int64_t>("state", io::kCheckpointRow).value_or(-1);
  if (row < 0 || static_cast<std::size_t>(row) >= f.times().size() ||
      !f.hdf5.is_dataset(io::kStepping))
    f.refuse("it has no step to go on from");
  State state = f.state_at(static_cast<std::size_t>(row));
  const auto stepping = f.hdf5.dataset(io::kStepping, File::kAnyNumbers);
  state.stepping = f.numbers(stepping, 0, stepping.rows(), io::kStepping);
  return state;
}

State Result::File::state_at(std::size_t row) const {
  State state;
  state.layout = layout();
  state.time = times()[row];
  const auto read = [&](const std::string& name) {
    const auto data = hdf5.dataset(name, File::kAnyNumbers);
    if (data.rows() != times().size()) refuse(name + " does not match its times");
    return numbers(data, row, 1, name);
  };
  const auto y = read("state/y");
  state.y = Eigen::Map<const VecX>(y.data(), static_cast<Eigen::Index>(y.size()));
  state.memory = read("state/memory");
  return state;
}

}  // namespace freeplay
