// SPDX-License-Identifier: Apache-2.0
#include "io/result_layout.hpp"

#include "io/sha256.hpp"
#include <freeplay/result.hpp>

namespace freeplay {

std::filesystem::path partial_path(const std::filesystem::path& file) {
  auto name = file.extension() == ".h5" ? file.stem() : file.filename();
  name += ".partial.h5";
  return file.parent_path() / name;
}

std::vector<std::string> component_names(int width) {
  switch (width) {
    case 1:
      return {};
    case 2:
      return {"x", "y"};
    case 3:
      return {"x", "y", "z"};
    case 4:
      return {"w", "x", "y", "z"};
    default:
      break;
  }
  std::vector<std::string> names;
  for (int i = 1; i <= width; ++i) names.push_back(std::to_string(i));
  return names;
}

std::string model_digest(const Model& model) { return io::sha256(model.resolved); }

std::string_view name_of(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::failed:
      return "failed";
    case RunStatus::audit_broken:
      return "audit_broken";
    case RunStatus::interrupted:
      return "interrupted";
  }
  return "failed";
}

namespace io {

RowType event_row(std::size_t joint_bytes, std::size_t kind_bytes) {
  RowType row;
  row.fields = {{"time", Scalar::f64, 8},
                {"joint", Scalar::text, joint_bytes},
                {"contact", Scalar::i32, 4},
                {"kind", Scalar::text, kind_bytes},
                {"speed", Scalar::f64, 8}};
  return row;
}

RowType impact_row(std::size_t joint_bytes) {
  RowType row;
  row.fields = {{"start", Scalar::f64, 8},
                {"end", Scalar::f64, 8},
                {"joint", Scalar::text, joint_bytes},
                {"contact", Scalar::i32, 4}};
  for (const char* name : {"approach_speed", "separation_speed", "peak_force", "peak_depth",
                           "energy_lost", "achieved_restitution"})
    row.fields.push_back({name, Scalar::f64, 8});
  return row;
}

}  // namespace io
}  // namespace freeplay
