/* SPDX-License-Identifier: Apache-2.0 */
/* Two laws as a plug-in: cc -O2 -shared -fPIC laws.c -o laws.so -lm */

#include <freeplay/plugin.h>
#include <math.h>

/* Force of a cylinder in a cylinder at a depth, from Johnson's d = F/B (ln(A/F) - 1) with B = pi E* L
   and A = 4 B dR: no formula says it, for F stands on both sides. Newton's method; the left side bends
   downwards, so that from the second step on it comes from below. The formula has its greatest depth at
   F = A/e^2; from 0.9 of that the force goes on along its tangent. */
static int line_force(double d, double A, double B, double *force, double *slope) {
  const double greatest = A / exp(2) / B, tangent = 0.9 * greatest;
  const double at = d < tangent ? d : tangent;
  double F = B * at / fmax(1, log(A / (B * at)));
  for (int k = 0; k < 60; ++k) {
    const double stretch = log(A / F);
    const double step = (F / B * (stretch - 1) - at) * B / (stretch - 2);
    F -= step;
    if (!(F > 0)) return 1;
    if (fabs(step) <= 1e-15 * F) break;
  }
  *slope = B / (log(A / F) - 2);
  *force = F + *slope * (d - at);
  return 0;
}

/* Line contact with damping in proportion to the force. */
static int line(const double *at, const double *parameters, int slopes, double *out, void *context) {
  const double d = at[0], v = at[1], v0 = at[2], modulus = at[4], length = at[6];
  const double clearance = parameters[0], b = parameters[1];
  const double B = acos(-1) * modulus * length, A = 4 * B * clearance;
  double F, slope;
  (void)context;
  if (line_force(d, A, B, &F, &slope)) return 1;
  out[0] = F * (1 + b * v / v0);
  if (slopes) {
    out[1] = slope * (1 + b * v / v0);
    out[2] = F * b / v0;
  }
  return 0;
}

/* Friction that falls with the load; the engine finds its slopes. */
static int falling(const double *at, const double *parameters, int slopes, double *out, void *context) {
  const double v = at[0], load = at[1], mu = parameters[0], v1 = parameters[1], N0 = parameters[2];
  (void)slopes;
  (void)context;
  out[0] = mu * tanh(v / v1) / cbrt(1 + load / N0);
  return 0;
}

static const freeplay_parameter of_line[] = {
    {"clearance", "m", "difference of the radii", NAN, 1e-9, 1},
    {"b", "1", "damping; 0: none", 0, 0, 10}};
static const freeplay_parameter of_falling[] = {
    {"mu", "1", "coefficient without load", NAN, 0, 10},
    {"v1", "m/s", "where it is three quarters of that", 1e-3, 1e-9, 1e3},
    {"N0", "N", "load at which it has lost a fifth", NAN, 1e-9, 1e12}};
static const freeplay_law laws[] = {
    {"contact", "line", "Johnson's line contact, solved for the force", FREEPLAY_EXACT_SLOPES, 2, of_line, line, 0},
    {"friction", "falling", "friction that falls with the load", FREEPLAY_FINITE_SLOPES, 3, of_falling, falling, 0}};
static const freeplay_plugin plugin = {FREEPLAY_PLUGIN_ABI, 2, laws};

const freeplay_plugin *freeplay_plugin_laws(void) { return &plugin; }
