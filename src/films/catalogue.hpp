// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/bushing/radial_bushing.hpp"
#include "films/film_laws.hpp"
#include "laws/catalogue.hpp"

// The catalogues of films, transitions and bushings as data, in the form of laws/catalogue.hpp.
namespace freeplay::films {

[[nodiscard]] std::vector<laws::Entry> film_catalogue();
[[nodiscard]] std::vector<laws::Entry> transition_catalogue();
[[nodiscard]] std::vector<laws::Entry> bushing_catalogue();

/// The reference page of films, transitions and bushings, in Markdown.
[[nodiscard]] std::string reference_page();

[[nodiscard]] std::vector<laws::Fault> faults(const FilmLaw& law);
[[nodiscard]] std::vector<laws::Fault> faults(const TransitionLaw& law);
[[nodiscard]] std::vector<laws::Fault> faults(const BushingLaw& law);

/// Why the law cannot serve this site; empty if it can.
[[nodiscard]] std::string misfit(const FilmLaw& law, const FilmSite& site);
/// Works out what the law needs at the site, once, before the first force. A tabulated law is
/// solved here, which takes up to a few seconds.
void prepare(FilmLaw& law, const FilmSite& site);
[[nodiscard]] std::vector<Derived> derived(const FilmLaw& law);

}  // namespace freeplay::films
