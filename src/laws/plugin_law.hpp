// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/plugins.hpp>

#include <array>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Laws that are compiled code behind the C interface of <freeplay/plugin.h>. Files are opened by io
// (io/plugin_file.hpp); what is open is known here, by its digest, so that a model that was read,
// copied or written and read again finds its law without the file.
namespace freeplay::laws {

inline constexpr std::string_view kPluginKey = "plugin";  ///< of such laws in every catalogue

struct PluginParameter {
  std::string name, unit, doc;
  double fallback, least, most;
};

/// A law as its plug-in tells it; constant, shared by models and threads.
struct PluginLaw {
  std::string kind, name, doc;
  std::vector<PluginParameter> parameters;
  bool exact = false;  ///< works out its slopes
  freeplay_evaluate* evaluate = nullptr;
  void* context = nullptr;
  std::shared_ptr<const void> owner;  ///< of what `context` points to
};
using PluginLaws = std::vector<std::shared_ptr<const PluginLaw>>;

/// Which law of which plug-in. A model carries it as it carries a formula, as the text of an
/// Expression beside the parameters: "FILE", "FILE#LAW", and " sha256:..." once it was opened.
struct PluginReference {
  std::string file;    ///< beside the model; or "@NAME", of the program
  std::string name;    ///< of the law; empty: the only one of the kind
  std::string digest;  ///< of the file; empty: not known
  [[nodiscard]] static PluginReference read(std::string_view text);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool of_program() const { return file.starts_with('@'); }
};

/// A copy of what is told. Throws std::invalid_argument with what is wrong with it.
[[nodiscard]] std::shared_ptr<const PluginLaw> copied(const freeplay_law& law,
                                                      std::shared_ptr<const void> owner = {});

/// The laws of a plug-in from now on: `id` is its digest, or "@NAME" for those of this program.
void keep_plugin(const std::string& id, PluginLaws laws);
/// Those laws; nothing if no such plug-in is open.
[[nodiscard]] PluginLaws find_plugin(const std::string& id);
/// The names of what the program itself has, "@NAME", of one kind.
[[nodiscard]] std::vector<std::string> registered_laws(std::string_view kind);
/// The one of that kind and name ("": the only one); otherwise null, and `why` says why.
[[nodiscard]] std::shared_ptr<const PluginLaw> choose(const PluginLaws& laws, std::string_view kind,
                                                      const std::string& name, std::string& why);

/// A law with its numbers, ready to be asked by one run.
class PluginFunction {
 public:
  static constexpr int kSlopes = 2;

  PluginFunction(std::shared_ptr<const PluginLaw> law, std::vector<double> parameters)
      : law_(std::move(law)),
        parameters_(std::move(parameters)),
        is_contact_(law_->kind == "contact") {}

  /// With the numbers given by name and defaults for the others. Throws std::invalid_argument.
  [[nodiscard]] static std::shared_ptr<const PluginFunction> make(
      std::shared_ptr<const PluginLaw> law,
      std::span<const std::pair<std::string, double>> parameters);

  /// The same at a site: the last three arguments of a contact law are always these.
  [[nodiscard]] std::shared_ptr<const PluginFunction> at_site(
      const std::array<double, 3>& modulus_radius_length) const;

  /// NaN where the law has none. Arguments are in the order of <freeplay/plugin.h>; those of a site
  /// are not looked at.
  [[nodiscard]] double value(const double* at) const;
  /// The value, and its derivatives with respect to the first two arguments.
  [[nodiscard]] std::array<double, 1 + kSlopes> with_slopes(const double* at) const;

  [[nodiscard]] const PluginLaw& law() const { return *law_; }
  /// Where it was found to have no value, though it was asked with numbers; empty: nowhere.
  [[nodiscard]] std::string trouble() const;
  void forget_trouble() const { troubled_ = false; }

 private:
  bool ask(const double* at, bool slopes, double* out) const;
  void note(const double* at, int status) const;

  std::shared_ptr<const PluginLaw> law_;
  std::vector<double> parameters_;
  std::array<double, 3> site_{};
  bool is_contact_;
  // The first place of trouble. A law is asked by one run, which asks in one thread.
  mutable bool troubled_ = false;
  mutable int status_ = 0;
  mutable std::array<double, 5> where_{};
};

/// Where the law of a catalogue was found to have no value; empty: nowhere.
template <class V>
[[nodiscard]] std::string trouble_of(const V& chosen) {
  return std::visit(
      [](const auto& law) -> std::string {
        if constexpr (requires { law.trouble(); }) return law.trouble();
        return {};
      },
      chosen);
}

/// A law of a catalogue that is a plug-in's.
template <class L>
concept PluginUser = requires(L law, std::shared_ptr<const PluginFunction> function) {
  { L::plugin_kind } -> std::convertible_to<std::string_view>;
  law.take(function);
};

}  // namespace freeplay::laws
