// SPDX-License-Identifier: Apache-2.0
#include "study/search_study.hpp"

#include "study/optimise.hpp"
#include "study/row.hpp"
#include "study/row_slopes.hpp"
#include "study/shown.hpp"
#include "study/study_words.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

// Optimisations and fits: between a search in the unit cube and rows of a study.
namespace freeplay::study {
namespace {

class SearchStudy {
 public:
  SearchStudy(const Study& study, Journal& journal, const StudyOptions& options, int workers,
              const std::function<void()>& row_done)
      : study_(study),
        journal_(journal),
        options_(options),
        workers_(workers),
        row_done_(row_done),
        outputs_(outputs_of(study)),
        goal_(study.kind == Kind::fit ? 0 : index_of(study.goal)) {}

  void run(StudySummary& summary) {
    Search problem;
    problem.variables = static_cast<int>(study_.vary.size());
    problem.algorithm = study_.algorithm;
    problem.evaluations = study_.evaluations;
    problem.precision = study_.precision;
    problem.seed = study_.seed;
    for (const Limit& limit : study_.limits) {
      problem.constraints += std::isfinite(limit.above) ? 1 : 0;
      problem.constraints += std::isfinite(limit.below) ? 1 : 0;
    }
    problem.stop = [this] { return stopped(); };
    problem.evaluate = [this](const VecX& x, bool slopes) { return evaluate(x, slopes); };
    problem.prepare = [this](const std::vector<VecX>& points) { prepare(points); };
    const SearchResult found = search(problem);
    summary.rows = rows_;
    summary.complete = !stopped();
    tell(found, summary);
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop->load(); }
  [[nodiscard]] std::size_t index_of(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(outputs_, name) - outputs_.begin());
  }
  [[nodiscard]] std::vector<double> inputs_of(const VecX& x) const {
    std::vector<double> inputs;
    for (std::size_t k = 0; k < study_.vary.size(); ++k)
      inputs.push_back(study_.vary[k].from +
                       x[static_cast<Eigen::Index>(k)] * (study_.vary[k].to - study_.vary[k].from));
    return inputs;
  }

  Record row_at(std::int64_t row, const VecX& x, bool slopes) {
    const std::vector<double> inputs = inputs_of(x);
    if (journal_.has(row)) {
      Record known = journal_.read(row);
      if (known.inputs == inputs) return known;
    }
    Record record{row, inputs,
                  needs_slopes(study_.algorithm) ? run_row_with_slopes(study_, inputs, slopes)
                                                 : run_row(study_, inputs, nullptr)};
    journal_.append(record);
    return record;
  }

  void prepare(const std::vector<VecX>& points) {
    tbb::task_arena(workers_).execute([&] {
      tbb::parallel_for(std::size_t{0}, points.size(), [&](std::size_t i) {
        if (!stopped()) (void)row_at(static_cast<std::int64_t>(i), points[i], false);
      });
    });
  }

  /// By the coordinates of the cube, of an output by its name.
  [[nodiscard]] VecX slope_of(const RowOutcome& outcome, const std::string& output) const {
    VecX out(static_cast<Eigen::Index>(study_.vary.size()));
    for (std::size_t k = 0; k < study_.vary.size(); ++k) {
      const Variable& v = study_.vary[k];
      out[static_cast<Eigen::Index>(k)] =
          outcome.outputs[index_of(slope_name(output, v.path))] * (v.to - v.from);
    }
    return out;
  }

  Evaluation evaluate(const VecX& x, bool slopes) {
    const bool known = journal_.has(rows_);
    const Record record = row_at(rows_++, x, slopes);
    if (!known) row_done_();
    const RowOutcome& outcome = record.outcome;
    const double sign = study_.maximise ? -1 : 1, goal = outcome.outputs[goal_];
    Evaluation e;
    e.ok = outcome.status == RowStatus::done;
    e.goal = sign * goal;
    slopes = slopes && e.ok;
    if (slopes) e.slope = sign * slope_of(outcome, outputs_[goal_]);
    // A misfit has a corner where nothing is left of it; its square has none.
    if (study_.kind == Kind::fit && needs_slopes(study_.algorithm)) e.goal = goal * goal;
    for (const Limit& limit : study_.limits) {
      // Relative to the bound, so that newtons and metres weigh alike.
      const double value = outcome.outputs[index_of(limit.output)];
      const VecX slope = slopes ? slope_of(outcome, limit.output) : VecX();
      const auto add = [&](double bound, double to) {
        const double size = std::max(std::abs(bound), 1e-12);
        e.constraints.push_back(to * (value - bound) / size);
        if (slopes) e.constraint_slopes.push_back(to / size * slope);
      };
      if (std::isfinite(limit.above)) add(limit.above, -1);
      if (std::isfinite(limit.below)) add(limit.below, 1);
    }
    return e;
  }

  void tell(const SearchResult& found, StudySummary& summary) const {
    const bool fit = study_.kind == Kind::fit;
    summary.table.push_back({fit ? "parameter" : "variable", "value", "from", "to"});
    const std::vector<double> best = inputs_of(found.x);
    const ShownColumns shown = shown_columns(study_);
    for (std::size_t k = 0; k < study_.vary.size(); ++k) {
      const Shown& v = shown.inputs[k];
      summary.table.push_back({v.heading(), v.text(best[k], 8), v.text(study_.vary[k].from),
                               v.text(study_.vary[k].to)});
      summary.numbers.push_back({"best/" + study_.vary[k].path, {best[k]}, v.si});
    }
    const double value = study_.maximise                         ? -found.goal
                         : fit && needs_slopes(study_.algorithm) ? std::sqrt(found.goal)
                                                                 : found.goal;
    summary.table.push_back(
        {shown.outputs[goal_].heading(), shown.outputs[goal_].text(value, 8), "", ""});
    summary.table.push_back({"search", found.reason, "", ""});
    summary.numbers.push_back({"best/goal", {value}, shown.outputs[goal_].si});
    summary.numbers.push_back({"best/found", {found.found ? 1.0 : 0.0}, "1"});
  }

  const Study& study_;
  Journal& journal_;
  const StudyOptions& options_;
  int workers_;
  const std::function<void()>& row_done_;
  std::vector<std::string> outputs_;
  std::size_t goal_;
  std::int64_t rows_ = 0;
};

}  // namespace

void run_search(const Study& study, Journal& journal, const StudyOptions& options, int workers,
                const std::function<void()>& row_done, StudySummary& summary) {
  SearchStudy(study, journal, options, workers, row_done).run(summary);
}

}  // namespace freeplay::study
