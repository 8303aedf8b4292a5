// SPDX-License-Identifier: Apache-2.0
#include "joints/geometry.hpp"
#include "laws/contact_laws.hpp"
#include "model_text.hpp"
#include <freeplay/errors.hpp>

#include <gmock/gmock.h>

#include <string>
#include <variant>
#include <vector>

// [joints.NAME.clearance]: the geometry of each kind of joint, from the file to the contact
// geometry, and what is said about what does not fit.
namespace freeplay {
namespace {

using testing::dump;
using ::testing::HasSubstr;
using testing::mistakes;
using testing::read;
using testing::small_model;

/// A joint of body `a` with the ground and its clearance.
std::string spatial(const std::string& type, const std::string& clearance,
                    const std::string& frame = "at = [0, 0, 0]\naxis = [0, 0, 1]\n") {
  return small_model("[joints.j]\ntype = \"" + type + "\"\nbodies = [\"ground\", \"a\"]\n" + frame +
                     "[joints.j.clearance]\n" + clearance);
}
std::string planar(const std::string& type, const std::string& clearance,
                   const std::string& frame = "at = [0, 0]\naxis = [1, 0]\n") {
  return "[mechanism]\nplanar = true\ngravity = [0, -9.81]\n[simulation]\nduration = 1\n"
         "[bodies.a]\nmass = 1\ninertia = 1\n[joints.j]\ntype = \"" +
         type + "\"\nbodies = [\"ground\", \"a\"]\n" + frame + "[joints.j.clearance]\n" + clearance;
}

template <class G>
G geometry(const std::string& text) {
  const Model model = read(text);
  EXPECT_EQ(dump(read(write_model(model))), dump(model)) << text;
  return std::get<G>(joints::make_geometry(model, JointIndex(0)));
}

TEST(ClearanceTest, CaptiveJournal) {
  const std::string text = spatial("revolute",
                                   "bearing_radius = \"10 mm\"\njournal_radius = \"9.5 mm\"\n"
                                   "bearing_length = \"20 mm\"\njournal_length = \"19 mm\"\n"
                                   "material = \"steel\"\n");
  const auto gap = geometry<joints::BoreGap>(text);
  EXPECT_EQ(gap.outer_radius, 0.01);
  EXPECT_EQ(gap.inner_radius, 0.0095);
  EXPECT_EQ(gap.outer_half_length, 0.01);
  EXPECT_EQ(gap.inner_half_length, 0.0095);
  EXPECT_TRUE(gap.faces);
  EXPECT_FALSE(gap.through);
  EXPECT_FALSE(gap.points_only);
  EXPECT_EQ(gap.face_outer, 0.0095);
  const Model model = read(text);
  const laws::ContactSite site = joints::site_of(model, model.joints[0]);
  EXPECT_EQ(site.length, 0.019);
  // K = a E*/0.475 with the square that has the area of the face.
  const double E = 207e9 / (2 * (1 - 0.09)), area = M_PI * 0.0095 * 0.0095;
  EXPECT_NEAR(joints::face_stiffness(model, model.joints[0]), std::sqrt(area) / 2 * E / 0.475, 1);
}

TEST(ClearanceTest, ClearancesInPlaceOfTheInnerPart) {
  const auto captive = geometry<joints::BoreGap>(
      spatial("revolute",
              "bearing_radius = \"10 mm\"\nradial = \"0.5 mm\"\nbearing_length = \"20 mm\"\n"
              "axial = \"0.5 mm\"\nmaterial = \"steel\"\n"));
  EXPECT_EQ(captive.inner_radius, 0.0095);
  EXPECT_NEAR(captive.inner_half_length, 0.0095, 1e-17);
  const auto through = geometry<joints::BoreGap>(
      spatial("revolute",
              "bearing_radius = \"10 mm\"\nradial = \"0.5 mm\"\nbearing_length = \"20 mm\"\n"
              "axial = \"0.5 mm\"\nthrough = true\nflange_radius = \"14 mm\"\n"
              "face_modulus = 1e12\nform = \"rim\"\ncontact = { stiffness = 1e10 }\n"));
  EXPECT_NEAR(through.inner_half_length, 0.0105, 1e-17);
  EXPECT_TRUE(through.through);
  EXPECT_TRUE(through.points_only);
  EXPECT_EQ(through.face_inner, 0.01);
  EXPECT_EQ(through.face_outer, 0.014);
  const auto tube = geometry<joints::TubeGap>(
      spatial("prismatic",
              "guide_width = \"20 mm\"\nguide_height = \"30 mm\"\nradial = \"0.1 mm\"\n"
              "slider_length = \"50 mm\"\nmaterial = \"steel\"\ncontact = { law = "
              "\"plane-face\" }\n"));
  EXPECT_NEAR(tube.inner_size[0], 0.0198, 1e-17);
  EXPECT_NEAR(tube.inner_size[1], 0.0298, 1e-17);
}

TEST(ClearanceTest, FaceModulusIsForceOfTheFaceOverItsArea) {
  const Model model = read(spatial("revolute",
                                   "bearing_radius = \"10 mm\"\nradial = \"0.5 mm\"\n"
                                   "bearing_length = \"20 mm\"\njournal_length = \"21 mm\"\n"
                                   "through = true\nflange_radius = \"14 mm\"\n"
                                   "face_modulus = 1e12\ncontact = { stiffness = 1e10 }\n"));
  EXPECT_NEAR(joints::face_stiffness(model, model.joints[0]),
              1e12 * M_PI * (0.014 * 0.014 - 0.01 * 0.01), 1e-3);
}

TEST(ClearanceTest, Cylindrical) {
  const auto endless = geometry<joints::BoreGap>(spatial(
      "cylindrical",
      "bearing_radius = 0.01\nradial = 1e-4\njournal_length = 0.03\nmaterial = \"steel\"\n"));
  EXPECT_FALSE(endless.faces);
  EXPECT_EQ(endless.contacts(), 2);
  EXPECT_EQ(endless.outer_half_length, 0);
  const auto pin = geometry<joints::BoreGap>(
      spatial("cylindrical",
              "bearing_radius = 0.01\nradial = 1e-4\njournal_length = 0.3\nbearing_length = 0.03\n"
              "material = \"steel\"\ncontact = { law = \"johnson\" }\n"));
  EXPECT_TRUE(pin.through);
  EXPECT_EQ(pin.contact_length(), 0.03);
}

TEST(ClearanceTest, GuideInThePlane) {
  const auto guide = geometry<joints::GuideGap>(
      planar("prismatic",
             "guide_width = \"20.4 mm\"\nslider_width = \"20 mm\"\nslider_length = \"30 mm\"\n"
             "guide_length = \"80 mm\"\ncorner_radius = \"1 mm\"\nmaterial = \"steel\"\nform = "
             "\"corner\"\n"));
  EXPECT_NEAR(guide.clearance(), 0.2e-3, 1e-15);
  EXPECT_EQ(guide.outer_half_length, 0.04);
  EXPECT_TRUE(guide.points_only);
}

TEST(ClearanceTest, TubeTurnsToItsWidth) {
  const std::string sizes =
      "guide_width = 0.0204\nslider_width = 0.02\nguide_height = 0.0306\nslider_height = 0.03\n"
      "slider_length = 0.05\ncontact = { stiffness = 1e9 }\n";
  const auto tube =
      geometry<joints::TubeGap>(spatial("prismatic", sizes + "width_direction = [1, 1, 0]\n"));
  EXPECT_NEAR(tube.first.axes.col(0).dot(Vec3(1, 1, 0).normalized()), 1, 1e-15);
  EXPECT_NEAR(tube.second.axes.col(0).dot(Vec3(1, 1, 0).normalized()), 1, 1e-15);
  EXPECT_THAT(mistakes(spatial("prismatic", sizes + "width_direction = [1, 1, 1]\n")),
              HasSubstr("joints.j.clearance.width_direction: is not perpendicular"));
}

TEST(ClearanceTest, Slots) {
  const auto line = geometry<joints::SlotGap>(
      planar("point-on-line",
             "slot_radius = \"5.1 mm\"\npin_radius = \"5 mm\"\nmaterial = \"steel\"\n"
             "slot = { from = \"-20 mm\", to = \"30 mm\" }\n"));
  ASSERT_TRUE(line.ends.has_value());
  EXPECT_EQ(line.ends->from, -0.02);
  EXPECT_EQ(line.ends->to, 0.03);
  EXPECT_EQ(line.arc_radius, 0);
  // K goes as the root of the radius: 51 times the flat wall's at the ends.
  EXPECT_NEAR(std::pow(line.end_scale, 2.5), std::sqrt(51.0), 1e-9);
  const auto arc = geometry<joints::SlotGap>(
      planar("distance",
             "slot_radius = \"5.1 mm\"\nradial = \"0.1 mm\"\nmaterial = \"steel\"\n"
             "arc = { from = \"-40 deg\", to = \"60 deg\" }\n",
             "at = [[0, 0], [0, 0.06]]\n"));
  EXPECT_NEAR(arc.arc_radius, 0.06, 1e-15);
  EXPECT_NEAR(arc.ends->to, M_PI / 3, 1e-12);
  EXPECT_NEAR(arc.first.axes(1, 2), 1, 1e-15) << "angles count from the pin as written";
  const auto given = geometry<joints::SlotGap>(planar(
      "point-on-line", "slot_radius = 0.0051\nradial = 1e-4\ncontact = { stiffness = 1e10 }\n"));
  EXPECT_EQ(given.end_scale, 1) << "a given stiffness is the same everywhere";
  EXPECT_FALSE(given.ends.has_value());
}

TEST(ClearanceTest, UniversalBecomesACrossInTwoBearings) {
  const std::string frame = "at = [0.1, 0.2, 0.3]\naxis = [0, 1, 0]\nsecond_axis = [1, 0, 0]\n";
  const std::string bearings =
      "bearing_radius = 0.01\nradial = 1e-4\nbearing_length = 0.06\naxial = 1e-4\n"
      "material = \"steel\"\n";
  const std::string text = spatial(
      "universal", bearings + "cross = { mass = 0.2, inertia = [1e-5, 2e-5, 1.5e-5] }\n", frame);
  const Model m = read(text);
  EXPECT_EQ(dump(read(write_model(m))), dump(m));
  ASSERT_EQ(m.bodies.size(), 3u);
  ASSERT_EQ(m.joints.size(), 2u);
  const Body& cross = m.bodies[2];
  EXPECT_EQ(cross.name, "j_cross");
  EXPECT_EQ(cross.mass, 0.2);
  EXPECT_EQ(cross.position, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(m.joints[0].name, "j_first");
  EXPECT_EQ(m.joints[1].name, "j_second");
  const Mat3 R = rotation_matrix(cross.orientation);
  EXPECT_LT((R.col(2) - Vec3(0, 1, 0)).norm(), 1e-15);
  EXPECT_LT((R.col(0) - Vec3(1, 0, 0)).norm(), 1e-15);
  for (const Joint& joint : m.joints) {
    EXPECT_EQ(joint.type, JointType::revolute);
    EXPECT_EQ(joint.second.body, 2) << "the cross carries the journals";
    EXPECT_TRUE(joint.clearance.has_value());
    // Both frames coincide in the poses as written.
    const Vec3 axis = &joint == &m.joints[0] ? Vec3(0, 1, 0) : Vec3(1, 0, 0);
    EXPECT_LT((joint.first.axes.col(2) - axis).norm(), 1e-15);
    EXPECT_LT((R * joint.second.axes - joint.first.axes).norm(), 1e-14);
    EXPECT_EQ(joint.second.point, Vec3::Zero());
  }
  EXPECT_EQ(m.joints[0].first.body, 0);
  EXPECT_EQ(m.joints[1].first.body, 1);
  EXPECT_TRUE(std::holds_alternative<joints::BoreGap>(joints::make_geometry(m, JointIndex(1))));
  // Delete the table and the joint is one again.
  const Model ideal = read(text, {{"joints.j.clearance", "false"}});
  EXPECT_EQ(ideal.joints.size(), 1u);
  EXPECT_EQ(ideal.bodies.size(), 2u);

  EXPECT_EQ(mistakes(spatial("universal", bearings, frame)),
            "model.toml:14:1: joints.j.clearance.cross: 'cross' is missing; between the two axes "
            "of the joint is a body (cross = { mass = ..., inertia = [xx, yy, zz] })");
}

TEST(ClearanceTest, WhatDoesNotFitIsRefusedByName) {
  const std::string bore = "bearing_radius = 0.01\nradial = 1e-4\nbearing_length = 0.02\n";
  const auto said = [](const std::string& text) { return mistakes(text); };
  EXPECT_THAT(
      testing::warnings(spatial("revolute", bore + "material = \"steel\"\n")),
      HasSubstr("no 'journal_length' and no 'axial' are given: the axial play is the radial "
                "one, 0.1 mm"));
  EXPECT_THAT(said(spatial("revolute", bore + "journal_length = 0.021\nmaterial = \"steel\"\n")),
              HasSubstr("clearance.journal_length: 21 mm is larger than the bearing_length of 20 "
                        "mm (a pin that runs through"));
  EXPECT_THAT(said(spatial("revolute", bore + "axial = 1e-4\nthrough = true\n")),
              HasSubstr("'flange_radius' is missing"));
  EXPECT_THAT(said(spatial("revolute", bore + "axial = 1e-4\ncontact = { stiffness = 1e10 }\n")),
              HasSubstr("clearance.face_modulus: the stiffness of the end faces is not known"));
  EXPECT_EQ(said(spatial("revolute",
                         bore + "axial = 1e-4\nform = \"rim\"\ncontact = { stiffness = 1e10 }\n")),
            "");
  EXPECT_THAT(said(spatial("revolute", bore + "axial = 1e-4\nform = \"corner\"\n")),
              HasSubstr("has no form 'corner' (expected 'distributed' or 'rim')"));
  EXPECT_THAT(said(spatial("revolute", bore + "axial = 1e-4\nguide_width = 1\n")),
              HasSubstr("model.toml:18:1: joints.j.clearance.guide_width: a revolute joint has no "
                        "'guide_width' (its geometry is given by 'bearing_radius'"));
  EXPECT_THAT(said(spatial("revolute", bore + "axail = 1e-4\n")),
              HasSubstr("unknown key 'axail' (did you mean 'axial'?)"));
  EXPECT_THAT(said(planar("prismatic",
                          "guide_width = 0.02\nradial = 1e-4\nslider_length = 0.03\n"
                          "material = \"steel\"\n")),
              HasSubstr("corner_radius"));
  EXPECT_THAT(said(planar("prismatic", "guide_width = 0.02\nradial = 1e-4\n")),
              HasSubstr("'slider_length' is missing"));
  EXPECT_THAT(said(planar("prismatic",
                          "guide_width = 0.02\nradial = 1e-4\nslider_length = 0.03\n"
                          "material = \"steel\"\ncontact = { law = \"johnson\" }\n")),
              HasSubstr("law 'johnson' cannot serve here"));
  EXPECT_EQ(said(planar("prismatic",
                        "guide_width = 0.02\nradial = 1e-4\nslider_length = 0.03\n"
                        "material = \"steel\"\ncontact = { law = \"plane-face\" }\n")),
            "");
  EXPECT_THAT(said(planar("point-on-line",
                          "slot_radius = 0.005\nradial = 1e-4\nmaterial = "
                          "\"steel\"\nslot = { from = 0.1, to = 0.1 }\n")),
              HasSubstr("clearance.slot.to: is not beyond 'from'"));
  EXPECT_THAT(
      said(spatial("screw", "radial = 1e-4\n", "at = [0, 0, 0]\naxis = [0, 0, 1]\npitch = 0.01\n")),
      HasSubstr("clearance in a screw joint of a spatial mechanism is not available"));
  EXPECT_THAT(said(spatial("distance", "radial = 1e-4\n", "at = [[0, 0, 0], [1, 0, 0]]\n")),
              HasSubstr("distance joints of planar mechanisms"));
  EXPECT_THAT(said(spatial("prismatic",
                           "guide_width = 0.02\nguide_height = 0.03\nradial = 1e-4\n"
                           "slider_height = 0.029\nslider_length = 0.05\n")),
              HasSubstr("'guide_height', 'slider_height' and 'radial' are given together"));
}

TEST(ClearanceTest, ImpulsesActAtPoints) {
  const std::string newton = "contact = { law = \"newton\", restitution = 0.5 }\n";
  const std::string slider = "guide_width = 0.02\nradial = 1e-4\nslider_length = 0.03\n" + newton;
  // No material, no stiffness, no modulus of faces: an impulse needs none.
  const std::string bore = "bearing_radius = 0.01\nradial = 1e-4\njournal_length = 0.02\n" + newton;
  EXPECT_TRUE(geometry<joints::GuideGap>(planar("prismatic", slider)).points_only);
  EXPECT_TRUE(geometry<joints::TubeGap>(spatial("prismatic", slider + "guide_height = 0.03\n"))
                  .points_only);
  EXPECT_TRUE(geometry<joints::BoreGap>(spatial("revolute", bore + "bearing_length = 0.0202\n"))
                  .points_only);
  EXPECT_TRUE(geometry<joints::BoreGap>(spatial("cylindrical", bore)).points_only);
  const auto slot = geometry<joints::SlotGap>(
      planar("point-on-line",
             "slot_radius = 0.005\nradial = 1e-4\nslot = { from = -0.1, to = 0.1 "
             "}\n" +
                 newton));
  EXPECT_EQ(slot.end_scale, 1);  // no stiffness that could change along it

  EXPECT_EQ(mistakes(planar("prismatic", slider + "form = \"corner\"\n")), "");
  EXPECT_THAT(
      mistakes(planar("prismatic", slider + "form = \"distributed\"\n")),
      HasSubstr("joints.j.clearance.form: an impulse cannot be spread over lines and faces: "
                "they have no pressure (leave 'form' out or take 'corner'; or take"));
  EXPECT_EQ(
      mistakes(planar("prismatic", slider + "friction = { law = \"coulomb\", kinetic = 0.1 }\n")),
      "");
  EXPECT_THAT(
      mistakes(planar("prismatic", slider + "friction = { law = \"ambrosio\", kinetic = 0.1 }\n")),
      HasSubstr("law 'ambrosio' cannot serve here: an impulse of Newton's impact law has no finite "
                "load"));
}

TEST(ClearanceTest, ALineLawNeedsALength) {
  const std::string bearing =
      "bearing_radius = 0.01\nradial = 1e-4\nmaterial = \"steel\"\ncontact = { law = \"johnson\" "
      "}\n";
  const std::string at = "at = [0, 0]\n";
  EXPECT_THAT(mistakes(planar("revolute", bearing, at)), HasSubstr("needs a length"));
  EXPECT_EQ(mistakes(planar("revolute", bearing + "bearing_length = 0.02\n", at)), "");
}

}  // namespace
}  // namespace freeplay
