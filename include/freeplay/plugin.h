/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FREEPLAY_PLUGIN_H
#define FREEPLAY_PLUGIN_H

/*
 * Laws of contact, friction and wear as compiled code, in C99 or any language that speaks it. A
 * plug-in is a shared library with one function, freeplay_plugin_laws(), which tells its laws. A
 * model file names it: contact = { law = "plugin", plugin = "./my_laws.so", K = "1e10 N/m^1.5" }.
 * The guide is docs/guide/plugins.md, an example examples/19_compiled_laws.
 *
 * All numbers are SI. A law is a function of its arguments alone: it keeps nothing from one call to
 * the next and is called by several threads at a time.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. The engine refuses a plug-in that was compiled with another one; what is said
   here changes only together with it. */
#define FREEPLAY_PLUGIN_ABI 1

/* What a law says of its derivatives. */
enum {
  FREEPLAY_FINITE_SLOPES = 0, /* nothing: the engine takes differences */
  FREEPLAY_EXACT_SLOPES = 1   /* it works them out */
};

/*
 * The law. `parameters` are its numbers in the order of freeplay_law.parameters, `context` is
 * freeplay_law.context. out[0] is the result. With `slopes` not zero, which happens to laws with
 * exact slopes only, out[1] and out[2] are its derivatives with respect to at[0] and at[1], for
 * friction and contact. Returns 0, or another number where the law has no value, which ends the
 * run.
 *
 *   kind        result                   at
 *   "contact"   force; N                 depth, m; its rate, m/s, > 0 while approaching; approach
 * speed at the touch, m/s; effective mass, kg; E* of both materials, Pa; radius of the sphere on a
 * plane with the same curvature, m; length of a line contact, m (at a stop of an angle: N m of rad,
 * rad/s, rad/s, kg m^2) "friction"  friction over load       slip speed, m/s, >= 0; load, N "wear"
 * rate of the depth; m/s   coefficient of the part, 1/Pa; pressure, Pa; slip speed, m/s; friction
 * over area, Pa; depth lost, m
 *
 * What the place of a contact has not, such as the length of a point contact, is not a number
 * (NaN).
 */
typedef int freeplay_evaluate(const double* at, const double* parameters, int slopes, double* out,
                              void* context);

typedef struct freeplay_parameter {
  const char* name;   /* letters, digits and _ */
  const char* unit;   /* as in model files, "N/m^1.5"; "1" of a number without */
  const char* doc;    /* a few words */
  double fallback;    /* where the model gives none; NaN: the model must */
  double least, most; /* both allowed */
} freeplay_parameter;

typedef struct freeplay_law {
  const char* kind; /* "contact", "friction", "wear" */
  const char* name; /* what models call it where a plug-in has several of a kind */
  const char* doc;  /* one line */
  int slopes;       /* FREEPLAY_EXACT_SLOPES or FREEPLAY_FINITE_SLOPES */
  int parameter_count;
  const freeplay_parameter* parameters;
  freeplay_evaluate* evaluate;
  void* context; /* handed to it */
} freeplay_law;

typedef struct freeplay_plugin {
  int abi; /* FREEPLAY_PLUGIN_ABI */
  int law_count;
  const freeplay_law* laws;
} freeplay_plugin;

#if defined(_WIN32)
#define FREEPLAY_PLUGIN_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FREEPLAY_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define FREEPLAY_PLUGIN_EXPORT
#endif

/* What a plug-in defines. The answer is valid as long as the program runs. */
FREEPLAY_PLUGIN_EXPORT const freeplay_plugin* freeplay_plugin_laws(void);

#ifdef __cplusplus
}
#endif

#endif
