// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include "report/html.hpp"
#include "report/page_template.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace freeplay::report {
namespace {

using nlohmann::json;

// JSON inside <script>: the one thing that could end it early is "</".
std::string script_safe(const json& value) {
  const auto text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

void replace_once(std::string& text, std::string_view mark, const std::string& by) {
  const auto at = text.find(mark);
  if (at != text.npos) text.replace(at, mark.size(), by);
}

}  // namespace

std::string make_page(std::string_view title, const json& description, const std::string& blocks) {
  std::string page(page_template());
  replace_once(page, "<!--freeplay:title-->", escape_markup(title));
  replace_once(page, "<!--freeplay:data-->",
               "<script type=\"application/json\" id=\"data\">" + script_safe(description) +
                   "</script>\n" + blocks);
  return page;
}

std::string block_element(std::size_t index, const std::string& base64) {
  return fmt::format("<script type=\"text/plain\" id=\"block-{}\">{}</script>\n", index, base64);
}

}  // namespace freeplay::report
