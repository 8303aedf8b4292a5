// SPDX-License-Identifier: Apache-2.0
#include "study/row_slopes.hpp"

#include "io/text.hpp"
#include "io/units.hpp"
#include "study/gradient.hpp"
#include "study/study_words.hpp"
#include <freeplay/errors.hpp>

#include <cmath>
#include <limits>

namespace freeplay::study {
namespace {

std::vector<Measure> measures_of(const Study& study) {
  std::vector<Measure> out;
  if (study.kind == Kind::fit) {
    Measure misfit;
    misfit.kind = Measure::What::square_misfit;
    misfit.name = "misfit";
    misfit.series = study.measured_series;
    misfit.time = study.measured_time;
    misfit.value = study.measured_value;
    out.push_back(std::move(misfit));
  }
  std::string ignored;  // no_slopes() has told
  for (const Observable& o : study.observe) out.push_back(*measure_of(o, ignored));
  return out;
}

RowOutcome row(const Study& study, std::span<const double> inputs, bool slopes) {
  std::vector<io::NumberAt> variables;
  Differences how;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Variable& v = study.vary[k];
    variables.push_back({v.path, inputs[k], v.unit, v.unit});
    how.sizes.push_back(v.to - v.from);
  }
  how.values_only = !slopes;
  how.any_curvature = true;
  const auto model = [&](std::span<const double> values) {
    LoadOptions options{study.set, nullptr};
    for (std::size_t k = 0; k < values.size(); ++k)
      options.overrides.push_back({study.vary[k].path, study.vary[k].text(values[k])});
    Model out =
        parse_model(study.model_text, study.model_file.string(), options, study.model_folder());
    if (study.kind == Kind::fit)
      out.simulation.duration = study.measured_time.back() - out.simulation.start;
    return out;
  };
  const Gradient found = differentiate(measures_of(study), variables, model, how);
  RowOutcome out;
  for (const GradientOutput& o : found.outputs) {
    if (!o.refused.empty()) throw NoGradient(o.name + ": " + o.refused);
    const bool square = study.kind == Kind::fit && out.outputs.empty();
    out.outputs.push_back(square ? std::sqrt(o.value) : o.value);
  }
  for (const GradientOutput& o : found.outputs)
    for (std::size_t k = 0; k < inputs.size(); ++k)
      out.outputs.push_back(slopes ? o.slope[k] : std::numeric_limits<double>::quiet_NaN());
  return out;
}

}  // namespace

RowOutcome run_row_with_slopes(const Study& study, std::span<const double> inputs, bool slopes) {
  const auto failed = [&](RowStatus status, const std::string& reason) {
    RowOutcome out;
    out.status = status;
    out.error = reason;
    out.outputs.assign(outputs_of(study).size(), 0.0);
    return out;
  };
  try {
    return row(study, inputs, slopes);
  } catch (const ModelError& error) {
    return failed(RowStatus::bad_model, error.issues().front().text());
  } catch (const AssemblyError& error) {
    return failed(RowStatus::not_assembled, error.what());
  } catch (const NoGradient& error) {
    return failed(RowStatus::failed, error.what());
  }
}

std::string no_slopes(const Study& study) {
  if (study.section || study.lives)
    return "a search by slopes looks at whole runs, without 'section' and 'life'";
  for (const Observable& o : study.observe)
    if (std::string why; !measure_of(o, why)) return io::quote(o.name()) + ": " + why;
  return {};
}

}  // namespace freeplay::study
