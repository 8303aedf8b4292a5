// SPDX-License-Identifier: Apache-2.0
#include "io/document.hpp"

#include "io/text.hpp"
#include "io/toml_reader.hpp"
#include <freeplay/errors.hpp>

#include <algorithm>

namespace freeplay::io {
namespace fs = std::filesystem;
namespace {

// Chosen: a file that includes the next one twice, thirty times over, must not read a billion
// files.
constexpr int kMostFiles = 1000;
constexpr std::size_t kDeepestInclude = 32;

struct File {
  fs::path real;      // canonical; empty for text without a file
  fs::path folder;    // to which its own references are relative
  std::string shown;  // in messages
};

class Reader {
 public:
  Reader(Document& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  Node read(const File& file, std::string_view text) {
    const int index = diagnostics_.add_file(file.shown);
    document_.folders.resize(static_cast<std::size_t>(index) + 1);
    document_.folders.back() = file.folder;
    Node own = parse(text, index);
    if (!own.is_table()) {
      failed_ = true;
      return own;
    }
    Node out;
    out.place = own.place;
    out.value = Node::Entries{};
    open_.push_back(&file);
    if (const Entry* include = own.entry("include")) read_includes(include->node, file, out);
    open_.pop_back();
    std::erase_if(own.entries(), [](const Entry& entry) { return entry.key == "include"; });
    merge(out, std::move(own));
    return out;
  }

  /// Did some file turn out not to be TOML? Then the tree lacks too much to be checked further.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  Node parse(std::string_view text, int index) {
    try {
      return parse_toml(normalised(text), index, diagnostics_);
    } catch (const IoError& error) {
      diagnostics_.error({index, 0, 0}, "", error.what());
      return {};
    }
  }

  void read_includes(const Node& list, const File& from, Node& out) {
    if (list.is_text()) return read_include(list, from, out);
    if (!list.is_array())
      return fail(list, "found " + list.described() + "; expected a list of file names");
    for (const Node& item : list.items()) {
      if (item.is_text())
        read_include(item, from, out);
      else
        fail(item, "found " + item.described() + "; expected a file name");
    }
  }

  void read_include(const Node& item, const File& from, Node& out) {
    if (++count_ > kMostFiles) {
      if (count_ == kMostFiles + 1)
        fail(item, "more than " + std::to_string(kMostFiles) + " files are included");
      return;
    }
    if (open_.size() > kDeepestInclude) return fail(item, "files include each other too deep");
    try {
      File file;
      file.real = document_.folder.resolve(from.folder, item.text());
      file.folder = file.real.parent_path();
      file.shown = (fs::path(from.shown).parent_path() / item.text()).lexically_normal().string();
      for (const File* open : open_)
        if (open->real == file.real)
          return fail(item, "files include each other in a circle: " + circle(file));
      document_.files.push_back(file.real);
      merge(out, read(file, read_text(file.real)));
    } catch (const IoError& error) {
      fail(item, "cannot include " + quote(item.text()) + ": " + error.what());
    }
  }

  [[nodiscard]] std::string circle(const File& last) const {
    std::string out;
    for (const File* file : open_)
      if (!out.empty() || file->real == last.real) out += file->shown + " -> ";
    return out + last.shown;
  }

  void fail(const Node& at, std::string message) {
    failed_ = true;
    diagnostics_.error(at.place, "include", std::move(message));
  }

  Document& document_;
  Diagnostics& diagnostics_;
  std::vector<const File*> open_;  // from the top file down to the one being read
  int count_ = 0;
  bool failed_ = false;
};

Document make(const File& file, std::string_view text, ModelFolder folder,
              Diagnostics& diagnostics) {
  Document out;
  out.source = text;
  out.folder = std::move(folder);
  if (!file.real.empty()) out.files.push_back(file.real);
  Reader reader(out, diagnostics);
  out.root = reader.read(file, text);
  if (reader.failed()) out.root.value = Node::Broken{};
  return out;
}

}  // namespace

fs::path Document::find_beside(Place from, const std::string& name) const {
  const auto index = static_cast<std::size_t>(std::max(from.file, 0));
  // Values of --set are written by the user of the top file, and so relative to it.
  const bool has_folder = index < folders.size() && !folders[index].empty();
  const auto file = folder.resolve(has_folder ? folders[index] : folder.root(), name);
  files.push_back(file);
  return file;
}

std::string Document::read_beside(Place from, const std::string& name) const {
  return read_text(find_beside(from, name));
}

Document read_document(const fs::path& path, Diagnostics& diagnostics) {
  const std::string text = read_text(path);
  File file;
  file.real = fs::canonical(path);
  file.folder = file.real.parent_path();
  file.shown = path.string();
  return make(file, text, ModelFolder(file.folder), diagnostics);
}

Document parse_document(std::string_view text, std::string_view name, const fs::path& folder,
                        Diagnostics& diagnostics) {
  File file;
  file.shown = name;
  ModelFolder root;
  if (!folder.empty()) {
    root = ModelFolder(folder);
    file.folder = root.root();
  }
  return make(file, text, std::move(root), diagnostics);
}

}  // namespace freeplay::io
