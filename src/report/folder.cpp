// SPDX-License-Identifier: Apache-2.0
#include "report/folder.hpp"

#include "report/html.hpp"
#include "report/report.hpp"
#include "report/study_page.hpp"
#include "report/watch.hpp"
#include <freeplay/result.hpp>
#include <freeplay/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <variant>

namespace freeplay::report {
namespace {

namespace fs = std::filesystem;

bool is_inside(const fs::path& root, const fs::path& file) {
  const auto [end, ignored] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return end == root.end();
}

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ink:#15202b;--soft:#55616e;--page:#f3f5f7;--paper:#fff;--line:#dde2e8;--accent:#0063a0;--on:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e9eef3;--soft:#a3b0bd;--page:#0f1419;--paper:#171d24;--line:#2a333d;--accent:#6cbdf0;--on:#07131c}}
*{box-sizing:border-box}body{margin:0;font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:var(--ink);background:var(--page);font-variant-numeric:tabular-nums}
main{max-width:1000px;margin:0 auto;padding:1.5rem 1rem}h1{font-size:1.2rem;margin:0 0 1rem}h1 b{color:var(--accent)}
form{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:.5rem 1rem 1rem;overflow-x:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.45rem .8rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:400}td.n{text-align:right;white-space:nowrap}a{color:var(--accent);overflow-wrap:anywhere}
button{font:inherit;margin-top:1rem;padding:.4rem 1rem;border-radius:6px;border:1px solid var(--accent);background:var(--accent);color:var(--on);cursor:pointer}
p{color:var(--soft)}.bad{color:#b13c00})";

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<link rel=\"icon\" href=\"data:,\"><title>{}</title><style>{}</style></head>\n"
      "<body><main>\n{}</main></body></html>\n",
      escape_markup(title), kStyle, body);
}

Answer problem(int status, const std::string& message) {
  return {status, "text/html; charset=utf-8",
          page("Freeplay", "<h1><b>Freeplay</b></h1><p>" + escape_markup(message) +
                               "</p><p><a href=\"/\">All results</a></p>\n")};
}

std::string size_text(std::uintmax_t bytes) {
  return bytes < 1000000 ? fmt::format("{:.0f} kB", static_cast<double>(bytes) / 1e3)
                         : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

Folder::Folder(const fs::path& directory, bool watched) : watched_(watched) {
  std::error_code error;
  root_ = fs::canonical(directory, error);
  if (error || !fs::is_directory(root_, error))
    throw IoError("there is no folder " + directory.string());
}

std::vector<std::string> Folder::results(std::size_t limit) const {
  std::vector<std::string> out;
  std::error_code error;
  auto entry =
      fs::recursive_directory_iterator(root_, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (out.size() >= limit) break;
    if (entry.depth() > 8) entry.disable_recursion_pending();
    if (entry->path().extension() != ".h5") continue;
    const auto name = entry->path().lexically_relative(root_).generic_string();
    if (find(name)) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<fs::path> Folder::find(std::string_view name) const {
  if (name.empty() || name.size() > 4096 || name.find('\0') != name.npos ||
      name.find('\\') != name.npos)
    return std::nullopt;
  const fs::path relative(name);
  if (relative.is_absolute() || relative.has_root_name() || relative.extension() != ".h5")
    return std::nullopt;
  for (const auto& part : relative)
    if (part == "..") return std::nullopt;
  std::error_code error;
  const auto file = fs::canonical(root_ / relative, error);  // follows every link
  if (error || !is_inside(root_, file) || !fs::is_regular_file(file, error) || error)
    return std::nullopt;
  return file;
}

std::string Folder::list_page() const {
  std::string rows;
  for (const auto& name : results()) {
    const auto file = find(name);
    if (!file) continue;
    std::error_code ignored;
    std::string about, created;
    try {
      if (is_study(*file)) {
        const StudyAbout study = about_study(*file);
        about = escape_markup(study.title);
        created = escape_markup(study.created);
      } else {
        const Result result(*file);
        about = escape_markup(result.attribute("name"));
        created = escape_markup(result.attribute("created"));
        if (!result.complete())
          about += " <span class=\"bad\">(incomplete)</span>";
        else if (!result.sealed())
          about += " <span class=\"bad\">(its seal is lost)</span>";
      }
    } catch (const std::exception& problem) {
      about = "<span class=\"bad\">" + escape_markup(problem.what()) + "</span>";
    }
    const auto shown = escape_markup(name);
    rows += fmt::format(
        "<tr><td><input type=\"checkbox\" name=\"r\" value=\"{0}\" aria-label=\"compare {0}\"></td>"
        "<td><a href=\"/report?r={1}\">{0}</a></td><td>{2}</td><td>{3}</td>"
        "<td class=\"n\">{4}</td></tr>\n",
        shown, encode_query(name), about, created,
        size_text(std::filesystem::file_size(*file, ignored)));
  }
  const auto table =
      rows.empty() ? std::string(
                         "<p>No result file (*.h5) here yet. <code>freeplay run MODEL.toml</code> "
                         "makes one; then load this page again.</p>")
                   : "<table><thead><tr><th></th><th>result</th><th>mechanism</th><th>made</th>"
                     "<th class=\"n\">size</th></tr></thead><tbody>\n" +
                         rows + "</tbody></table><button>Compare the ticked ones</button>";
  return page("Results – Freeplay",
              "<h1><b>Freeplay</b> results in " + escape_markup(root_.filename().string()) +
                  "</h1>\n<form action=\"/report\" method=\"get\">" + table +
                  "</form>\n<p>freeplay " + escape_markup(version()) + "</p>\n");
}

std::string Folder::report_page(const std::vector<fs::path>& files) const {
  if (files.size() == 1 && is_study(files.front())) return render_study(files.front());
  std::vector<Result> results;
  results.reserve(files.size());
  for (const auto& file : files) results.emplace_back(file);
  return render(results);
}

std::optional<std::string> decode_query(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+')
      out += ' ';
    else if (text[i] != '%')
      out += text[i];
    else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit(text[i + 1]), low = digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

std::string encode_query(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.' || c == '/';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

namespace {

/// Files asked for, or why not.
std::variant<std::vector<fs::path>, Answer> asked_for(const Folder& folder,
                                                      std::string_view query) {
  std::vector<fs::path> files;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (!pair.starts_with("r=")) continue;
    const auto name = decode_query(pair.substr(2));
    const auto file = name ? folder.find(*name) : std::nullopt;
    if (!file) return problem(404, "There is no such result in this folder.");
    files.push_back(*file);
  }
  if (files.empty()) return problem(400, "Which result? Tick one in the list.");
  if (files.size() > 8) return problem(400, "At most 8 results fit into one page.");
  return files;
}

/// A page that asks once a second whether its results have changed, and then loads again at the
/// same instant.
void watch_in(std::string& page, const std::string& state) {
  const std::string script =
      "<script>{const key=\"freeplay\"+location.search,seen=\"" + state +
      "\";addEventListener(\"load\",()=>{const t=sessionStorage.getItem(key);"
      "sessionStorage.removeItem(key);if(t!==null)window.freeplay?.state.seek(Number(t))});"
      "setInterval(async()=>{try{const now=await fetch(\"/state\"+location.search,{cache:"
      "\"no-store\"});if(!now.ok||await now.text()===seen)return;"
      "if(window.freeplay)sessionStorage.setItem(key,window.freeplay.state.time);"
      "location.reload()}catch{}},1000)}</script>\n";
  static constexpr std::string_view kImages = "img-src data: blob:";
  if (const auto at = page.find(kImages); at != page.npos)
    page.insert(at + kImages.size(), "; connect-src 'self'");
  const auto end = page.rfind("</body>");
  page.insert(end == page.npos ? page.size() : end, script);
}

}  // namespace

Answer answer_get(const Folder& folder, std::string_view target) {
  const auto question = target.find('?');
  const auto path = target.substr(0, question);
  if (path == "/") return {200, "text/html; charset=utf-8", folder.list_page()};
  const bool state = path == "/state" && folder.watched();
  if (path != "/report" && !state) return problem(404, "There is no such page.");
  const auto asked =
      asked_for(folder, question == target.npos ? std::string_view{} : target.substr(question + 1));
  if (const auto* why = std::get_if<Answer>(&asked)) return *why;
  const auto& files = std::get<std::vector<fs::path>>(asked);
  const std::string now = stamp_of(files);
  if (state) return {200, "text/plain; charset=utf-8", now};
  try {
    std::string page = folder.report_page(files);
    if (folder.watched()) watch_in(page, now);
    return {200, "text/html; charset=utf-8", std::move(page)};
  } catch (const std::exception& error) {
    return problem(500, error.what());
  }
}

}  // namespace freeplay::report
