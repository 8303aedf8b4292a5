// SPDX-License-Identifier: Apache-2.0
#include "study/scheduler.hpp"

#include "integrate/lane_driver.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

namespace freeplay::study {
namespace {

using namespace std::chrono_literals;

/// Rows first ... end-1, the first of them beginning where `carry` ends.
struct Job {
  std::int64_t first = 0, end = 0;
  std::optional<Carry> carry;
};

/// Jobs that are not done yet, each to whoever asks first.
class Queue {
 public:
  Queue(const Study& study, const RowPlan& plan, const Journal& journal, const Part& part)
      : study_(study), plan_(plan), journal_(journal), part_(part), next_(part.number - 1) {}

  std::optional<Job> next() {
    const std::scoped_lock lock(mutex_);
    while (next_ < plan_.jobs()) {
      const auto [first, count] = plan_.job(next_);
      next_ += part_.count;
      Job job{first, first + count, {}};
      while (job.first < job.end && journal_.has(job.first)) ++job.first;
      if (job.first == job.end) continue;
      if (study_.continuation && job.first > first)
        job.carry = journal_.read(job.first - 1).outcome.carry;
      return job;
    }
    return {};
  }

 private:
  const Study& study_;
  const RowPlan& plan_;
  const Journal& journal_;
  Part part_;
  std::int64_t next_;
  std::mutex mutex_;
};

bool stopped(const std::atomic<bool>* stop) {
  return stop && stop->load(std::memory_order_relaxed);
}

/// Runs the rows of a job, handing each to `store`; ends early when `stop()`.
template <class Store, class Stop>
void work(const Study& study, const RowPlan& plan, Job job, const Store& store, const Stop& stop) {
  Record record;
  for (; job.first < job.end && !stop(); ++job.first) {
    record.row = job.first;
    record.inputs.resize(study.vary.size());
    plan.inputs(job.first, record.inputs);
    record.outcome = run_row(study, record.inputs, job.carry ? &*job.carry : nullptr);
    job.carry = record.outcome.carry;
    store(record);
  }
}

// Messages of a team. To rank 0: "r" asks for work, "d" + record delivers a row, "e" says that none
// will follow. From rank 0: "j" + first, end and, packed as a record, where to begin; or "s": there
// is nothing left. A process may have several rows under way when it hears that.
std::string job_message(const Job& job) {
  Record where;
  where.row = job.first;
  where.inputs = {static_cast<double>(job.end)};
  where.outcome.carry = job.carry;
  return "j" + pack(where);
}
Job job_of(const std::string& message) {
  const Record where = unpack(std::string_view(message).substr(1));
  return {where.row, static_cast<std::int64_t>(where.inputs[0]), where.outcome.carry};
}

}  // namespace

bool run_rows(const Study& study, const RowPlan& plan, Journal& journal,
              const ScheduleOptions& options) {
  Queue queue(study, plan, journal, options.part);
  std::mutex told;
  std::atomic<bool> broken{false};
  std::exception_ptr trouble;
  const auto stop = [&] { return broken.load() || stopped(options.stop); };
  const auto tell = [&] {
    const std::scoped_lock lock(told);
    if (options.row_done) options.row_done();
  };
  // The first failure to store a row ends the study; rows being computed elsewhere are let go.
  const auto guarded = [&](const auto& action) {
    try {
      action();
    } catch (...) {
      const std::scoped_lock lock(told);
      if (!trouble) trouble = std::current_exception();
      broken = true;
    }
  };

  const auto serve = [&] {  // rank 0 answers the others while its own threads compute
    int busy = options.team->size() - 1;
    // A look costs 15 us of a core that computes: the longer nothing came, the longer it can wait.
    auto last = std::chrono::steady_clock::now();
    while (busy > 0) {
      const auto message = options.team->poll();
      if (!message) {
        const auto quiet = std::chrono::steady_clock::now() - last;
        std::this_thread::sleep_for(
            std::clamp<std::chrono::nanoseconds>(quiet / 10, 200us, 5000us));
        continue;
      }
      last = std::chrono::steady_clock::now();
      const auto& [from, bytes] = *message;
      if (bytes[0] == 'e') {
        --busy;
        continue;
      }
      if (bytes[0] == 'd') {
        guarded([&, &bytes = bytes] {
          const std::string_view packed = std::string_view(bytes).substr(1);
          journal.append(unpack(packed).row, packed);
          tell();
        });
        continue;
      }
      const std::optional<Job> job = stop() ? std::nullopt : queue.next();
      options.team->send(from, job ? job_message(*job) : std::string("s"));
    }
  };

  std::optional<std::thread> server;
  if (options.team && options.team->size() > 1) server.emplace([&] { guarded(serve); });
  const int workers = std::max(1, options.workers);
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(workers));
  tbb::task_arena arena(workers);
  arena.execute([&] {
    tbb::parallel_for(
        0, workers, 1,
        [&](int) {
          // Several rows at a time, each as if it had the thread to itself.
          integrate::LaneDriver::run([&] {
            guarded([&] {
              while (!stop()) {
                auto job = queue.next();
                if (!job) break;
                work(
                    study, plan, std::move(*job),
                    [&](const Record& record) {
                      journal.append(record);
                      tell();
                    },
                    stop);
              }
            });
          });
        },
        tbb::simple_partitioner());
  });
  if (server) server->join();
  if (trouble) std::rethrow_exception(trouble);
  return journal.count() >= plan.rows_of(options.part);
}

void dismiss(Team& team) {
  for (int waiting = team.size() - 1; waiting > 0;) {
    if (const auto message = team.poll()) {
      if (message->second[0] == 'e')
        --waiting;
      else
        team.send(message->first, "s");
    } else {
      std::this_thread::sleep_for(200us);
    }
  }
}

void help_with_rows(const Study& study, const RowPlan& plan, Team& team,
                    const std::atomic<bool>* stop) {
  bool nothing_left = false;  // rank 0 says that once
  std::exception_ptr trouble;
  const auto next = [&]() -> std::optional<Job> {
    if (nothing_left) return {};
    team.send(0, "r");
    std::optional<std::pair<int, std::string>> answer;
    while (!(answer = team.poll())) std::this_thread::sleep_for(200us);
    if (answer->second[0] != 's') return job_of(answer->second);
    nothing_left = true;
    return {};
  };
  integrate::LaneDriver::run([&] {
    try {
      while (auto job = next())
        work(
            study, plan, std::move(*job),
            [&](const Record& record) { team.send(0, "d" + pack(record)); },
            [&] { return stopped(stop); });
    } catch (...) {
      trouble = std::current_exception();
      nothing_left = true;
    }
  });
  if (trouble) std::rethrow_exception(trouble);
  team.send(0, "e");
}

}  // namespace freeplay::study
