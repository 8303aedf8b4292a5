// SPDX-License-Identifier: Apache-2.0
#include "io/result_layout.hpp"

#include "io/sha256.hpp"
#include <freeplay/result.hpp>

#include <array>

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

std::string model_digest(const Model& model) { return io::sha256(write_model(model)); }

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
                           "energy_lost", "achieved_restitution", "impulse"})
    row.fields.push_back({name, Scalar::f64, 8});
  row.fields.push_back({"open", Scalar::i32, 4});
  return row;
}

std::string column_unit(std::string_view column) {
  struct Unit {
    std::string_view column, unit;
  };
  static constexpr std::array kUnits{Unit{"time", "s"},
                                     Unit{"start", "s"},
                                     Unit{"end", "s"},
                                     Unit{"speed", "m/s"},
                                     Unit{"approach_speed", "m/s"},
                                     Unit{"separation_speed", "m/s"},
                                     Unit{"peak_force", "N"},
                                     Unit{"peak_depth", "m"},
                                     Unit{"energy_lost", "J"},
                                     Unit{"achieved_restitution", "1"},
                                     Unit{"impulse", "N s"}};
  for (const Unit& u : kUnits)
    if (u.column == column) return std::string(u.unit);
  return {};
}

std::string units_of(const RowType& table) {
  std::string out;
  for (const Hdf5Field& field : table.fields)
    if (const auto unit = column_unit(field.name); !unit.empty())
      out += (out.empty() ? "" : ", ") + field.name + ": " + unit;
  return out;
}

std::vector<std::string> headings_of(const RowType& table) {
  std::vector<std::string> out;
  for (const Hdf5Field& field : table.fields) {
    const auto unit = column_unit(field.name);
    out.push_back(unit.empty() ? field.name : field.name + " [" + unit + "]");
  }
  return out;
}

std::array<double, 7> impact_numbers(const Impact& impact) {
  return {impact.approach_speed, impact.separation_speed,      impact.peak_force, impact.peak_depth,
          impact.energy_lost,    achieved_restitution(impact), impact.impulse};
}

std::vector<std::string> lines_of(const std::optional<Hdf5Attribute>& text) {
  std::vector<std::string> out;
  const auto* stored = text ? std::get_if<std::string>(&*text) : nullptr;
  std::string rest = stored ? *stored : std::string();
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    out.push_back(rest.substr(0, end));
    rest.erase(0, end == rest.npos ? rest.size() : end + 1);
  }
  return out;
}

double achieved_restitution(const Impact& impact) {
  return impact.approach_speed > 0 ? impact.separation_speed / impact.approach_speed : 0;
}

}  // namespace io
}  // namespace freeplay
