// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gallery/figure_file.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

// The figures of the papers, run and judged. Runs that figures share are made once.
namespace freeplay::gallery {

/// What one edition of the model gives for a claim.
struct Measured {
  std::vector<double> values;  ///< one per variant of the claim; NaN: none
  bool holds = false;
  std::string failure;  ///< why nothing was measured; empty otherwise
};

/// Over all editions.
enum class Verdict { holds, only_printed, only_corrected, fails, not_measured };
[[nodiscard]] const char* name_of(Verdict verdict);

struct Judged {
  std::vector<Measured> measured;  ///< one per edition
  Verdict verdict = Verdict::not_measured;
};

/// One diagram of one edition (or of all, for one number per variant), as SVG.
struct Picture {
  std::string caption, svg;
};

struct FigureResult {
  Figure figure;
  std::vector<Judged> claims;                  ///< as figure.claims
  std::vector<std::vector<Picture>> pictures;  ///< per diagram, one or one per edition
};

struct GalleryOptions {
  int workers = 0;                          ///< runs at a time; 0: one per core
  const std::atomic<bool>* stop = nullptr;  ///< ends the runs at hand
  std::function<void(std::size_t done, std::size_t total, const std::string& what)>
      progress;  ///< by one thread at a time
};

struct GalleryResult {
  std::vector<FigureResult> figures;
  std::size_t runs = 0;               ///< different ones
  std::vector<std::string> failures;  ///< "f1-fig5, frictionless, corrected: ..."
  bool interrupted = false;           ///< nothing was judged
};

/// Runs everything the figures need, on all cores, and judges their claims. The numbers do not
/// depend on how many runs go on at a time.
[[nodiscard]] GalleryResult make_gallery(std::vector<Figure> figures,
                                         const GalleryOptions& options = {});

/// What the tracks of a figure say of a claim: [edition][variant].
[[nodiscard]] Judged judge(const Claim& claim, const Figure& figure,
                           const std::vector<std::vector<const Track*>>& tracks);

/// The diagrams of a figure: [diagram][edition].
[[nodiscard]] std::vector<std::vector<Picture>> draw_diagrams(
    const Figure& figure, const std::vector<std::vector<const Track*>>& tracks);

/// The window of a claim or diagram on a variant, which knows its own transient and turn.
[[nodiscard]] Window window_on(const Variant& variant, Window window);

/// One page that opens offline: the table of claims, and each figure with its diagrams.
[[nodiscard]] std::string page_of(const GalleryResult& gallery);

/// claim / paper / measured (as printed) / measured (corrected) / verdict, in Markdown.
[[nodiscard]] std::string markdown_of(const GalleryResult& gallery);

/// "15 figures, 60 claims: 50 hold, ..."
[[nodiscard]] std::string summary_of(const GalleryResult& gallery);

/// The number as measured in an edition; a dash where a figure has no such edition.
[[nodiscard]] std::string measured_text(const FigureResult& figure, std::size_t claim,
                                        std::size_t edition);

}  // namespace freeplay::gallery
