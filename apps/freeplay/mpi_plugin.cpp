// SPDX-License-Identifier: Apache-2.0
#include "mpi_plugin.hpp"

#include <mpi.h>

#include <deque>
#include <stdexcept>

// libfreeplay_mpi.so: processes on one or many machines as a team.
namespace freeplay::cli {
namespace {

class MpiTeam final : public study::Team {
 public:
  MpiTeam() {
    int given = 0;
    // Rank 0 answers from a thread of its own, the only one to call MPI.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given);
    if (given < MPI_THREAD_SERIALIZED)
      throw std::runtime_error("this MPI library does not support calls from several threads");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTeam() override {
    for (Sent& s : sent_) MPI_Wait(&s.request, MPI_STATUS_IGNORE);
    // Nobody leaves before all have: mpirun takes an early exit for an accident.
    MPI_Finalize();
  }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(int to, const std::string& bytes) override {
    while (!sent_.empty()) {
      int done = 0;
      MPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE);
      if (!done) break;
      sent_.pop_front();
    }
    sent_.push_back({bytes, MPI_REQUEST_NULL});
    Sent& s = sent_.back();
    MPI_Isend(s.bytes.data(), static_cast<int>(s.bytes.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD,
              &s.request);
  }

  [[nodiscard]] std::optional<std::pair<int, std::string>> poll() override {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (!there) return {};
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    MPI_Recv(bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return std::pair{status.MPI_SOURCE, std::move(bytes)};
  }

 private:
  struct Sent {
    std::string bytes;
    MPI_Request request;
  };
  int rank_ = 0, size_ = 1;
  std::deque<Sent> sent_;  // a deque never moves its elements at the ends
};

}  // namespace
}  // namespace freeplay::cli

extern "C" freeplay::study::Team* freeplay_join_team() { return new freeplay::cli::MpiTeam; }
