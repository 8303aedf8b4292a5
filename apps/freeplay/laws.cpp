// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "films/catalogue.hpp"
#include "io/text.hpp"
#include "laws/catalogue.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

// `freeplay laws`: the catalogues of contact, friction, wear, film and bushing laws, as the laws
// describe themselves.
namespace freeplay::cli {
namespace {

void print_catalogue(const char* heading, const std::vector<laws::Entry>& catalogue) {
  Table table({"law", "name", "remarks"});
  for (const laws::Entry& law : catalogue)
    table.add({std::string(law.key), std::string(law.title),
               fmt::format("{}", fmt::join(law.traits, ", "))});
  print(bold(heading) + "\n" + table.text());
}

}  // namespace

int laws_command(const LawsArguments& a) {
  const auto contact = laws::contact_catalogue(), friction = laws::friction_catalogue(),
             wear = laws::wear_catalogue(), control = laws::control_catalogue(),
             film = films::film_catalogue(), transition = films::transition_catalogue(),
             bushing = films::bushing_catalogue();
  if (!a.markdown.empty()) {
    if (!a.name.empty()) throw UsageError("--markdown prints a whole page; leave out the name");
    print(a.markdown == "film" ? films::reference_page() : laws::reference_page(a.markdown));
    return kDone;
  }
  if (a.name == "wear") {  // the word of the model file for all of them
    print_catalogue("Wear laws", wear);
    return kDone;
  }
  if (a.name.empty()) {
    print_catalogue("Contact laws", contact);
    print("\n");
    print_catalogue("Friction laws", friction);
    print("\n");
    print_catalogue("Wear laws", wear);
    print("\n");
    print_catalogue("Control laws", control);
    print("\n");
    print_catalogue("Oil films", film);
    print("\n");
    print_catalogue("Between oil and dry contact", transition);
    print("\n");
    print_catalogue("Bushings", bushing);
    print("\n`freeplay laws NAME` prints formula, citation, parameters, units and limits.\n");
    return kDone;
  }

  // A name may stand for a contact law and a friction law ('gonthier').
  std::vector<std::string> known;
  std::string text;
  for (const auto* catalogue : {&contact, &friction, &wear, &control, &film, &transition, &bushing})
    for (const laws::Entry& law : *catalogue) {
      known.emplace_back(law.key);
      if (law.key == a.name) text += (text.empty() ? "" : "\n") + laws::to_text(law);
    }
  if (text.empty()) {
    const auto guess = io::did_you_mean(a.name, known);
    throw UsageError("there is no law " + io::quote(a.name) + "; " +
                     (guess.empty() ? "`freeplay laws` lists them" : guess));
  }
  print(text);
  return kDone;
}

}  // namespace freeplay::cli
