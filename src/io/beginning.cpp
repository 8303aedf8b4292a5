// SPDX-License-Identifier: Apache-2.0
#include "io/beginning.hpp"

#include <freeplay/load.hpp>
#include <freeplay/result.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace freeplay::io {
namespace {

namespace fs = std::filesystem;

/// Was the run killed before anything of its file reached the disk? Then there is room for it, but
/// nothing in it.
bool is_blank(const fs::path& partial) {
  char head[8] = {};
  std::ifstream(partial, std::ios::binary).read(head, sizeof head);
  return std::all_of(std::begin(head), std::end(head), [](char c) { return c == 0; });
}

Beginning refuse(std::string why) {
  Beginning out;
  out.refused = std::move(why);
  return out;
}

}  // namespace

Beginning find_beginning(const Model& model, const State& start, const fs::path& output) {
  const auto partial = partial_path(output);
  const auto belongs = [&](const Result& result) {
    return result.attribute("model_sha256") == model_digest(model);
  };
  Beginning fresh{start};
  if (!fs::exists(partial)) {
    if (fs::exists(output)) {
      const Result done(output);
      if (done.complete() && belongs(done)) {
        fresh.already = done.total();
        return fresh;
      }
    }
    fresh.note = partial.string() + " is not there: starting from the beginning";
    return fresh;
  }
  if (is_blank(partial)) return fresh;
  const Result previous(partial);
  if (!belongs(previous))
    return refuse(partial.string() +
                  " was made from another model or with other settings; undo the change");
  const auto status = previous.attribute("solver/status");
  if (status == "failed" || status == "audit_broken")
    return refuse(fmt::format("{} was not interrupted, it failed: {}", partial.string(),
                              previous.attribute("solver/reason")));
  if (previous.rows(false) == 0) return fresh;
  State checkpoint = previous.checkpoint();
  if (checkpoint.stepping.empty()) {
    fresh.note =
        partial.string() + " was cut off while it was being closed: starting from the beginning";
    return fresh;
  }
  return {std::move(checkpoint), true};
}

}  // namespace freeplay::io
