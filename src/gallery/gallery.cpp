// SPDX-License-Identifier: Apache-2.0
#include "gallery/gallery.hpp"

#include <freeplay/result.hpp>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <map>
#include <mutex>
#include <utility>

namespace freeplay::gallery {
namespace {

/// A run that one or several figures ask for.
struct Job {
  const Model* model = nullptr;
  std::set<std::string> series;
  std::string what;
  Track track;
};

/// Which job gives the track of each figure, edition and variant.
struct Plan {
  std::vector<Job> jobs;
  std::vector<std::vector<std::vector<std::size_t>>> of;
};

Plan plan_runs(const std::vector<Figure>& figures) {
  Plan plan;
  std::map<std::string, std::size_t> known;  // by what the model is, whoever asks for it
  for (const Figure& figure : figures) {
    auto& editions = plan.of.emplace_back();
    for (const Edition& edition : figure.editions) {
      auto& variants = editions.emplace_back();
      for (std::size_t v = 0; v < figure.variants.size(); ++v) {
        const auto [place, is_new] =
            known.try_emplace(model_digest(edition.models[v]), plan.jobs.size());
        if (is_new)
          plan.jobs.push_back({&edition.models[v],
                               {},
                               figure.name + ", " + figure.variants[v].label + ", " + edition.name,
                               {}});
        plan.jobs[place->second].series.merge(figure.series_of(v));
        variants.push_back(place->second);
      }
    }
  }
  return plan;
}

void run_all(std::vector<Job>& jobs, const GalleryOptions& options) {
  std::mutex told;
  std::size_t done = 0;
  tbb::task_arena arena(options.workers > 0 ? options.workers : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, jobs.size(), 1),
        [&](const tbb::blocked_range<std::size_t>& part) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) {
            if (options.stop && options.stop->load()) return;
            jobs[i].track = run_track(*jobs[i].model, jobs[i].series, options.stop);
            const std::scoped_lock lock(told);
            ++done;
            if (options.progress) options.progress(done, jobs.size(), jobs[i].what);
          }
        },
        tbb::simple_partitioner());
  });
}

}  // namespace

GalleryResult make_gallery(std::vector<Figure> figures, const GalleryOptions& options) {
  GalleryResult out;
  Plan plan = plan_runs(figures);
  out.runs = plan.jobs.size();
  run_all(plan.jobs, options);
  out.interrupted = options.stop && options.stop->load();
  if (out.interrupted) return out;
  for (const Job& job : plan.jobs)
    if (!job.track.failure.empty()) out.failures.push_back(job.what + ": " + job.track.failure);
  for (std::size_t f = 0; f < figures.size(); ++f) {
    std::vector<std::vector<const Track*>> tracks;
    for (const auto& edition : plan.of[f]) {
      tracks.emplace_back();
      for (const std::size_t job : edition) tracks.back().push_back(&plan.jobs[job].track);
    }
    FigureResult result;
    for (const Claim& claim : figures[f].claims)
      result.claims.push_back(judge(claim, figures[f], tracks));
    result.pictures = draw_diagrams(figures[f], tracks);
    result.figure = std::move(figures[f]);
    out.figures.push_back(std::move(result));
  }
  return out;
}

}  // namespace freeplay::gallery
