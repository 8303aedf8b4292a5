// SPDX-License-Identifier: Apache-2.0
#include "manual.hpp"

#include <string_view>

// `freeplay __manual`, which the build turns into share/man/man1/freeplay.1: what --help knows, as
// a page for man(1).
namespace freeplay::cli {
namespace {

/// Text in which nothing is a request of roff.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool first = out.empty() || out.back() == '\n';
    if (first && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string font(char which, std::string_view text) {
  return std::string("\\f") + which + plain(text) + "\\fR";
}

std::string option(const OptionHelp& o) {
  std::string out = ".TP\n" + font(o.positional ? 'I' : 'B', o.names);
  if (!o.value.empty() && !o.positional) out += " " + font('I', o.value);
  return out + "\n" + plain(o.text) + (o.required && !o.positional ? " (required)" : "") + "\n";
}

std::string verb(const VerbHelp& v) {
  std::string out = ".SS freeplay " + v.name;
  for (const OptionHelp& o : v.options)
    if (o.positional) out += o.required ? " " + o.names : " [" + o.names + "]";
  out += "\n" + plain(v.text) + ".\n";
  for (const OptionHelp& o : v.options) out += option(o);
  return out + ".PP\n" + ".nf\n    " + font('B', v.example) + "\n.fi\n";
}

}  // namespace

std::string manual_page(const std::string& description, const std::string& version,
                        const std::vector<VerbHelp>& verbs) {
  std::string out =
      ".TH FREEPLAY 1 \"\" \"freeplay " + version + "\" \"User Commands\"\n" +
      ".SH NAME\nfreeplay \\- mechanisms with play, friction and oil in their joints\n"
      ".SH SYNOPSIS\n" +
      font('B', "freeplay") + " " + font('I', "VERB") + " [" + font('I', "OPTION") + " ...]\n" +
      ".SH DESCRIPTION\n" + plain(description) + "\n.SH VERBS\n";
  for (const VerbHelp& v : verbs) out += verb(v);
  out += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] :
       {std::pair("0", "done"), std::pair("2", "mistakes in the model or on the command line"),
        std::pair("3", "the mechanism cannot be assembled"),
        std::pair("4", "the computation did not get there; what there is was kept"),
        std::pair("5", "a file cannot be read or written")})
    out += std::string(".TP\n") + status + "\n" + meaning + "\n";
  return out;
}

}  // namespace freeplay::cli
