// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/anagnostopoulos.hpp"
#include "laws/contact/bai_zhao.hpp"
#include "laws/contact/carvalho_martins.hpp"
#include "laws/contact/dubowsky_freudenstein.hpp"
#include "laws/contact/elastic_foundation.hpp"
#include "laws/contact/esdu_78035.hpp"
#include "laws/contact/exact.hpp"
#include "laws/contact/expression.hpp"
#include "laws/contact/flores.hpp"
#include "laws/contact/gharib_hurmuzlu.hpp"
#include "laws/contact/goldsmith.hpp"
#include "laws/contact/gonthier.hpp"
#include "laws/contact/herbert_mcwhannell.hpp"
#include "laws/contact/hertz.hpp"
#include "laws/contact/hu_guo.hpp"
#include "laws/contact/hunt_crossley.hpp"
#include "laws/contact/jankowski.hpp"
#include "laws/contact/johnson.hpp"
#include "laws/contact/kelvin_voigt.hpp"
#include "laws/contact/lankarani_nikravesh.hpp"
#include "laws/contact/lee_wang.hpp"
#include "laws/contact/liu_steuermann.hpp"
#include "laws/contact/memory_free.hpp"
#include "laws/contact/newton.hpp"
#include "laws/contact/pereira.hpp"
#include "laws/contact/plane_face.hpp"
#include "laws/contact/plugin.hpp"
#include "laws/contact/radzimovsky.hpp"
#include "laws/contact/thornton.hpp"
#include "laws/contact/tsuji.hpp"
#include "laws/contact/walton_braun.hpp"
#include "laws/contact/zhiying_qishao.hpp"

#include <string_view>
#include <type_traits>
#include <variant>

namespace freeplay::laws {

/// The normal contact laws: the only list. The first is the default.
using ContactLaw = std::variant<
    // recommended; elastic
    ExactRestitution, MemoryFree, Hertz,
    // other hysteresis factors, by year
    HuntCrossley, HerbertMcWhannell, LeeWang, LankaraniNikravesh, GonthierContact, ZhiyingQishao,
    Flores, GharibHurmuzlu, HuGuo, CarvalhoMartins,
    // other dampers
    KelvinVoigt, Anagnostopoulos, Tsuji, Jankowski,
    // line contact
    Johnson, Radzimovsky, Goldsmith, DubowskyFreudenstein, Esdu78035, Pereira, BaiZhao,
    // ball in socket, faces, layers
    LiuSteuermann, PlaneFace, ElasticFoundation,
    // yielding: a dent stays
    WaltonBraun, Thornton,
    // impulse
    Newton,
    // of the user: a formula, compiled code
    ContactExpression, ContactPlugin>;

template <class V>
inline constexpr bool kAllNormalLaws = false;
template <NormalLaw... L>
inline constexpr bool kAllNormalLaws<std::variant<L...>> = true;
static_assert(kAllNormalLaws<ContactLaw>);

/// Does the law of that key give an impulse at the touch instead of a force?
[[nodiscard]] inline bool is_impulsive(std::string_view key) {
  bool out = false;
  for_each_type<ContactLaw>([&]<class L>(std::type_identity<L>) {
    if (L::key == key) out = L::impulsive;
  });
  return out;
}

/// Does the law of that key answer at single points only: an impulse cannot be spread over a line
/// or a face, nor can what a law remembers of one contact?
[[nodiscard]] inline bool acts_at_points(std::string_view key) {
  bool out = false;
  for_each_type<ContactLaw>([&]<class L>(std::type_identity<L>) {
    if (L::key == key) out = L::impulsive || RemembersContact<L>;
  });
  return out;
}

/// Whether a contact under this law pulls before it lets go.
template <class L>
bool pulls(const L& law) {
  if constexpr (requires { L::pulls; })
    return L::pulls;
  else if constexpr (requires { law.tension; })
    return law.tension;
  else
    return false;
}

}  // namespace freeplay::laws
