// SPDX-License-Identifier: Apache-2.0
#include "study/journal.hpp"

#include "io/file_seal.hpp"
#include <freeplay/errors.hpp>
#include <freeplay/version.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

namespace freeplay::study {
namespace {

constexpr std::string_view kTitle = "freeplay study journal 3\n";
constexpr std::size_t kLongestHead = 4096;
constexpr std::int64_t kMostJournalRows = 100'000'000;  // ten times what a study may have
constexpr std::uint32_t kMark = 0x776f7266;             // "frow"
constexpr std::size_t kHead = 8, kTail = 8;             // mark and length; checksum

[[noreturn]] void fail(const std::filesystem::path& path, int error, const char* what = "write") {
  throw IoError(std::string("cannot ") + what + " " + path.string() + ": " +
                std::generic_category().message(error));
}

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}
void put(std::string& out, std::span<const double> values) {
  put(out, static_cast<std::uint64_t>(values.size()));
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T value{};
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::vector<double> numbers() {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / sizeof(double)) damaged();
    std::vector<double> out(count);
    const auto raw = take(count * sizeof(double));
    if (count > 0) std::memcpy(out.data(), raw.data(), raw.size());
    return out;
  }
  std::string text() { return std::string(take(get<std::uint64_t>())); }

 private:
  [[noreturn]] static void damaged() { throw IoError("a record of the journal is damaged"); }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) damaged();
    const auto out = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return out;
  }
  std::string_view bytes_;
};

std::uint64_t checksum(std::string_view bytes) {
  return io::xxhash64(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

/// False at the end of the file.
bool read_exactly(int descriptor, std::uint64_t offset, char* out, std::size_t count) {
  while (count > 0) {
    const auto got = pread(descriptor, out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string title_of(const JournalHead& head) {
  return fmt::format("{}digest {}\nprogram {}\nstudy {}\nmodel {}\npart {}\n\n", kTitle,
                     head.digest, head.program, head.text, head.model, head.part);
}

/// Of lines "word value".
JournalHead parse_title(std::string_view text) {
  JournalHead head;
  const std::pair<std::string_view, std::string*> words[] = {{"digest ", &head.digest},
                                                             {"program ", &head.program},
                                                             {"study ", &head.text},
                                                             {"model ", &head.model},
                                                             {"part ", &head.part}};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const auto& [word, to] : words)
      if (text.starts_with(word)) *to = text.substr(word.size(), end - word.size());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return head;
}

void expect_same(const std::filesystem::path& path, const JournalHead& found,
                 const JournalHead& wanted) {
  if (found == wanted) return;
  const std::string name = path.string();
  constexpr const char* kUndo = "undo the change, or delete the file";
  if (found.program != wanted.program)
    throw IoError(
        fmt::format("{} was computed by freeplay {}, and this is freeplay {}: rows of "
                    "both do not belong in one table",
                    name, found.program, wanted.program));
  if (found.text != wanted.text)
    throw IoError(fmt::format("{} belongs to another study: the study file has changed since; {}",
                              name, kUndo));
  if (found.model != wanted.model)
    throw IoError(fmt::format(
        "{} belongs to another model: the model of the study has changed since; {}", name, kUndo));
  if (found.part != wanted.part)
    throw IoError(
        fmt::format("{} holds part {} of the rows, not part {}", name, found.part, wanted.part));
  throw IoError(name + " is damaged: its digests contradict each other");
}

bool write_exactly(int descriptor, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto put = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return true;
}

}  // namespace

std::string pack(const Record& record) {
  std::string out;
  const RowOutcome& o = record.outcome;
  put(out, record.row);
  put(out, static_cast<std::int32_t>(o.status));
  put(out, std::span<const double>(record.inputs));
  put(out, std::span<const double>(o.outputs));
  put(out, std::span<const double>(o.samples));
  put(out, static_cast<std::uint64_t>(o.error.size()));
  out += o.error;
  put(out, static_cast<std::int32_t>(o.carry ? 1 : 0));
  if (o.carry) {
    put(out, o.carry->coordinate);
    put(out, o.carry->layout);
    put(out, o.carry->state.time);
    put(out, std::span<const double>(o.carry->state.y.data(),
                                     static_cast<std::size_t>(o.carry->state.y.size())));
    put(out, std::span<const double>(o.carry->state.memory));
    put(out, std::span<const double>(o.carry->orbit));
  }
  return out;
}

Record unpack(std::string_view bytes) {
  Unpacker in(bytes);
  Record record;
  RowOutcome& o = record.outcome;
  record.row = in.get<std::int64_t>();
  o.status = static_cast<RowStatus>(in.get<std::int32_t>());
  record.inputs = in.numbers();
  o.outputs = in.numbers();
  o.samples = in.numbers();
  o.error = in.text();
  if (in.get<std::int32_t>() != 0) {
    Carry carry;
    carry.coordinate = in.get<double>();
    carry.layout = in.get<std::uint64_t>();
    carry.state.time = in.get<double>();
    const auto y = in.numbers();
    carry.state.y = Eigen::Map<const VecX>(y.data(), static_cast<Eigen::Index>(y.size()));
    carry.state.memory = in.numbers();
    carry.orbit = in.numbers();
    o.carry = std::move(carry);
  }
  return record;
}

Journal::Journal(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      end_(other.end_),
      offset_(std::move(other.offset_)),
      count_(other.count_) {}

Journal::~Journal() {
  if (descriptor_ >= 0) close(descriptor_);
}

JournalHead head_of(const Study& study) {
  return {study.digest, version(), study.text_digest, study.model_digest, "1/1"};
}

Journal Journal::create(const std::filesystem::path& path, const JournalHead& head) {
  // Under another name until its head is there: whoever is killed meanwhile leaves no half of one.
  const std::filesystem::path begun = std::filesystem::path(path).concat(".new");
  const int descriptor = open(begun.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path, errno);
  Journal journal(path, descriptor);
  const std::string title = title_of(head);
  if (!write_exactly(descriptor, 0, title) || fsync(descriptor) != 0 ||
      rename(begun.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(begun.c_str());
    fail(path, error);
  }
  journal.end_ = title.size();
  return journal;
}

Journal Journal::open_for(const std::filesystem::path& path, int flags, const JournalHead& head) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) fail(path, errno, "open");
  Journal journal(path, descriptor);
  std::string title(kLongestHead, '\0');
  const auto got = pread(descriptor, title.data(), title.size(), 0);
  title.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t end = title.find("\n\n");
  if (!title.starts_with(kTitle) || end == std::string::npos)
    throw IoError(path.string() + (title.starts_with("freeplay study journal")
                                       ? " was written by another version of freeplay"
                                       : " is not the journal of a study"));
  expect_same(path, parse_title(std::string_view(title).substr(0, end + 1)), head);
  journal.scan(end + 2);
  return journal;
}

Journal Journal::resume(const std::filesystem::path& path, const JournalHead& head) {
  Journal journal = open_for(path, O_RDWR, head);
  // What follows was being written when the program ended.
  if (ftruncate(journal.descriptor_, static_cast<off_t>(journal.end_)) != 0) fail(path, errno);
  return journal;
}

Journal Journal::look(const std::filesystem::path& path, const JournalHead& head) {
  return open_for(path, O_RDONLY, head);
}

void Journal::note(std::int64_t row, std::uint64_t offset) {
  const auto index = static_cast<std::size_t>(row);
  if (index >= offset_.size()) offset_.resize(std::max(index + 1, 2 * offset_.size()), 0);
  if (offset_[index] == 0) ++count_;
  offset_[index] = offset;
}

void Journal::scan(std::uint64_t from) {
  end_ = from;
  std::string payload;
  for (;;) {
    std::uint32_t head[2];
    std::uint64_t sum = 0;
    if (!read_exactly(descriptor_, end_, reinterpret_cast<char*>(head), kHead)) break;
    if (head[0] != kMark || head[1] > (1u << 30)) break;
    payload.resize(head[1]);
    if (!read_exactly(descriptor_, end_ + kHead, payload.data(), payload.size()) ||
        !read_exactly(descriptor_, end_ + kHead + payload.size(), reinterpret_cast<char*>(&sum),
                      kTail) ||
        sum != checksum(payload))
      break;
    std::int64_t row = -1;
    if (payload.size() >= sizeof row) std::memcpy(&row, payload.data(), sizeof row);
    if (row < 0 || row > kMostJournalRows) break;  // no writer of ours
    note(row, end_);
    end_ += kHead + payload.size() + kTail;
  }
}

bool Journal::has(std::int64_t row) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(row) < offset_.size() &&
         offset_[static_cast<std::size_t>(row)] != 0;
}

std::int64_t Journal::count() const {
  const std::scoped_lock lock(mutex_);
  return count_;
}

std::int64_t Journal::end() const {
  const std::scoped_lock lock(mutex_);
  std::size_t end = offset_.size();
  while (end > 0 && offset_[end - 1] == 0) --end;
  return static_cast<std::int64_t>(end);
}

Record Journal::read(std::int64_t row) const { return unpack(read_packed(row)); }

std::string Journal::read_packed(std::int64_t row) const {
  std::uint64_t offset = 0;
  {
    const std::scoped_lock lock(mutex_);
    offset = offset_.at(static_cast<std::size_t>(row));
  }
  std::uint32_t head[2];
  std::string payload;
  if (!read_exactly(descriptor_, offset, reinterpret_cast<char*>(head), kHead))
    throw IoError("cannot read " + path_.string());
  payload.resize(head[1]);
  if (!read_exactly(descriptor_, offset + kHead, payload.data(), payload.size()))
    throw IoError("cannot read " + path_.string());
  return payload;
}

void Journal::append(std::int64_t row, std::string_view packed) {
  std::string bytes;
  put(bytes, kMark);
  put(bytes, static_cast<std::uint32_t>(packed.size()));
  bytes += packed;
  put(bytes, checksum(packed));
  const std::scoped_lock lock(mutex_);
  if (!write_exactly(descriptor_, end_, bytes)) {
    const int error = errno;
    if (ftruncate(descriptor_, static_cast<off_t>(end_)) != 0) end_ += 0;  // the checksum tells
    fail(path_, error);
  }
  note(row, end_);
  end_ += bytes.size();
  // A row survives the end of the program in any case. Against the end of power it is synced at
  // once, unless that took a fiftieth of the time so far: rows of a millisecond then share a sync.
  using Clock = std::chrono::steady_clock;
  const auto now = Clock::now();
  if (50 * spent_syncing_ > now - opened_ && now - synced_ < std::chrono::seconds(1)) return;
  if (fsync(descriptor_) != 0) fail(path_, errno);
  synced_ = Clock::now();
  spent_syncing_ += synced_ - now;
}

}  // namespace freeplay::study
