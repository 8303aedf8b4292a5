// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include "arguments_gradient.hpp"
#include "arguments_modes.hpp"
#include "arguments_shared.hpp"
#include "arguments_study.hpp"
#include "commands.hpp"
#include "complete.hpp"
#include "io/text.hpp"
#include "manual.hpp"
#include "terminal.hpp"
#include <freeplay/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

// With arguments_*.cpp the only file that knows CLI11, which takes ten seconds to compile.
namespace freeplay::cli {
namespace {

constexpr const char* kDescription =
    "Simulates mechanisms as they are really built: with play, friction and oil in their joints.";
constexpr const char* kFooter =
    "Examples:\n"
    "  freeplay new engine && freeplay run engine.toml\n"
    "  freeplay get engine.h5 bodies/slider/position.x --at 0.01\n"
    "\n"
    "Exit status: 0 done, 2 bad input, 3 cannot be assembled, 4 numerical failure, 5 input/output, "
    "130 interrupted.\n"
    "`freeplay VERB --help` explains a verb, with an example.";

// The verbs and the storage of their options live as long as the parser.
struct Parser {
  CLI::App app{kDescription, "freeplay"};
  RunArguments run;
  CheckArguments check;
  GetArguments get;
  ExportArguments export_;
  ReportArguments report;
  PlotArguments plot;
  ViewArguments view;
  EquilibriumArguments equilibrium;
  ModesArguments modes;
  ToleranceArguments tolerance;
  ContactLossArguments contact_loss;
  GradientArguments gradient;
  ConvergeArguments converge;
  StudyArguments study;
  ReproduceArguments reproduce;
  LawsArguments laws;
  BearingArguments bearing;
  FlexArguments flex;
  NewArguments new_;
  bool planar = false;
  std::string shell;
  std::function<int()> action;
  bool* json = nullptr;  // of the chosen verb

  Parser();

 private:
  CLI::App* verb(const char* name, const char* description, const char* example,
                 std::function<int()> act, bool* json_flag = nullptr);
  // In the order in which the help lists them.
  void add_runs();
  void add_views();
  void add_analyses();
  void add_many_runs();
  void add_knowledge();
};

CLI::App* Parser::verb(const char* name, const char* description, const char* example,
                       std::function<int()> act, bool* json_flag) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->footer(std::string("Example:\n  ") + example);
  if (json_flag) sub->add_flag("--json", *json_flag, "Print one JSON object instead of a table");
  sub->callback([this, act = std::move(act), json_flag] {
    action = act;
    json = json_flag;
  });
  return sub;
}

Parser::Parser() {
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("freeplay ") + version());
  app.require_subcommand(0, 1);

  add_runs();
  add_views();
  add_analyses();
  add_many_runs();
  add_knowledge();
}

void Parser::add_runs() {
  auto* r = verb(
      "run", "Simulate a model into a result file",
      "freeplay run engine.toml -o engine.h5 --tolerance 1e-10",
      [this] { return run_command(run); }, &run.json);
  model_options(r, run.model, true);
  r->add_option("-o,--output", run.output, "Result file; default: the model's name with .h5, here")
      ->type_name("OUT.h5");
  record_option(r, run.model);
  r->add_flag("--resume", run.resume, "Continue an interrupted run from OUT.partial.h5");
  r->add_flag("--trust", run.trust,
              "Run again at a tenth of the tolerance and store how well both runs agree");
  r->add_flag("--quiet", run.quiet, "No summary, no progress");
  r->add_option("--time-limit", run.time_limit, "Stop after this many CPU seconds; can be resumed")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber);

  model_options(verb(
                    "check", "Check a model and print what is known before it runs",
                    "freeplay check engine.toml --set bodies.rod.mass=0.3",
                    [this] { return check_command(check); }, &check.json),
                check.model, false);
  record_option(app.get_subcommand("check"), check.model);

  auto* g = verb("get", "Print numbers of a result, for scripts",
                 "freeplay get engine.h5 bodies/slider/position.x --at 0.01 --at 0.02",
                 [this] { return get_command(get); });
  g->add_option("RESULT", get.result, "Result file, or table of a study")->required();
  g->add_option(
      "SERIES", get.series,
      "Path such as bodies/rod/position.z or uniform/energy/kinetic; or the tables events "
      "and impacts. Of a study: a column such as joints.pin.clearance.radial, or the table rows");
  g->add_option("--at", get.at, "Time, e.g. 0.01 or \"10 ms\"; may be repeated")
      ->type_name("T")
      ->allow_extra_args(false);
  g->add_flag("--stats", get.stats,
              "Minimum and maximum of the motion, also between the steps; mean and root mean "
              "square over time");
  g->add_flag("--list", get.list, "List the series of the file");
  plugins_option(g);

  auto* e = verb("export", "Write the series of a result for other tools",
                 "freeplay export engine.h5 --csv engine_csv",
                 [this] { return export_command(export_); });
  e->add_option("RESULT", export_.result, "Result file, or table of a study")->required();
  e->add_option("--csv", export_.csv,
                "Directory for steps.csv, uniform.csv, events.csv, ...; of a study rows.csv, ...")
      ->type_name("DIR")
      ->required();
}

void Parser::add_views() {
  auto* h =
      verb("report", "Show results or a study on one page that opens offline",
           "freeplay report engine.h5 -o engine.html", [this] { return report_command(report); });
  h->add_option(
       "RESULT", report.results,
       "Result files: the first one with play is animated, the others are compared; or the table "
       "of a study")
      ->required();
  h->add_option("-o,--output", report.output, "Page; default: the first result's name with .html")
      ->type_name("FILE.html");

  auto* p = verb("plot", "Draw series of a result as a figure for a paper, SVG, PDF or PNG",
                 "freeplay plot engine.h5 bodies/slider/acceleration.x -o acceleration.svg",
                 [this] { return plot_command(plot); });
  p->add_option("RESULT", plot.result, "Result file")->required();
  auto* plot_series =
      p->add_option("SERIES", plot.series,
                    "Paths such as bodies/rod/position.z; default: the most important ones");
  p->add_option("-o,--output", plot.output, "Picture; default: the result's name with .svg, here")
      ->type_name("FILE.svg|FILE.pdf|FILE.png");
  p->add_option("--x", plot.against,
                "Plot against this series instead of time; one scale along both axes if their unit "
                "is the same")
      ->type_name("SERIES");
  p->add_option("--y", plot.series, "The same as SERIES, to go with --x")
      ->type_name("SERIES")
      ->excludes(plot_series)
      ->allow_extra_args(false);
  p->add_option("--compare", plot.compare, "Also draw this result; may be repeated")
      ->type_name("RESULT")
      ->allow_extra_args(false);
  p->add_option("--from", plot.from, "First time, e.g. 0.01 or \"10 ms\"")->type_name("T");
  p->add_option("--to", plot.to, "Last time")->type_name("T");
  p->add_option("--width", plot.width, "Width of the picture, mm")->check(CLI::Range(30, 2000));
  p->add_option("--height", plot.height, "Height of one diagram, mm")->check(CLI::Range(20, 2000));
  p->add_option("--dpi", plot.dpi, "Pixels per inch of a PNG")->check(CLI::Range(20, 2400));

  auto* v = verb("view", "Show the results of a folder in the browser of this machine",
                 "freeplay view . --port 8080", [this] { return view_command(view); });
  v->add_option("DIR", view.directory, "Folder with result files")->required();
  v->add_option("--watch", view.watch,
                "Run this model into the folder now and whenever it is saved; open pages of it "
                "load again")
      ->type_name("MODEL.toml");
  v->add_option("--port", view.port, "Port on the loopback interface; 0: any free one")
      ->check(CLI::Range(0, 65535));
  plugins_option(v);
}

void Parser::add_analyses() {
  model_options(verb(
                    "equilibrium",
                    "Find the equilibrium pose; play settles into contact, shafts keep turning",
                    "freeplay equilibrium engine.toml",
                    [this] { return equilibrium_command(equilibrium); }, &equilibrium.json),
                equilibrium.model, false);

  auto* m = verb(
      "modes", "Natural frequencies, damping and stability about the equilibrium",
      "freeplay modes engine.toml --at-start", [this] { return modes_command(modes); },
      &modes.json);
  model_options(m, modes.model, false);
  add_modes_options(*m, modes);

  auto* t = verb(
      "tolerance",
      "Find the error of an output by play and tolerances of dimensions, without dynamics",
      "freeplay tolerance engine.toml --of bodies/slider/position.x "
      "--dimension \"parameters.rod=120 mm+-0.05 mm\"",
      [this] { return tolerance_command(tolerance); }, &tolerance.json);
  model_options(t, tolerance.model, false);
  t->add_option("--of", tolerance.outputs,
                "Position or angle, e.g. bodies/slider/position.x; may be repeated")
      ->type_name("SERIES")
      ->allow_extra_args(false);
  t->add_option("--dimension", tolerance.dimensions,
                "A dimension of the model with its tolerance (three standard deviations); may be "
                "repeated")
      ->type_name("PATH=VALUE+-TOL")
      ->allow_extra_args(false);
  t->add_option("--positions", tolerance.positions, "Positions of the drives; default: 37")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  t->add_option("--from", tolerance.from,
                "Working range; default: one turn of the drive, or the run")
      ->type_name("T");
  t->add_option("--to", tolerance.to, "Its end")->type_name("T");
  t->add_flag("--anywhere", tolerance.anywhere,
              "Deviations for parts anywhere in their play; default: on its wall");
  t->add_option("--samples", tolerance.samples,
                "Random mechanisms at the worst position; default: 0")
      ->type_name("N")
      ->check(CLI::Range(0, 100000000));
  t->add_option("--seed", tolerance.seed, "Of these; default: 1")->type_name("S");
  t->add_option("--csv", tolerance.csv, "Also write the curves over the working range")
      ->type_name("FILE");

  auto* l = verb(
      "contact-loss",
      "Foresee where parts of a joint with play lose contact, from the reactions of ideal joints",
      "freeplay contact-loss engine.toml --ideal-only",
      [this] { return contact_loss_command(contact_loss); }, &contact_loss.json);
  model_options(l, contact_loss.model, false);
  l->add_option("--positions", contact_loss.positions,
                "Least number of instants over the run; default: 720")
      ->type_name("N")
      ->check(CLI::Range(2, 10000000));
  l->add_option("--earles-wu", contact_loss.earles_wu,
                "Limit of the index of Earles and Wu, in rad/(s N); default: 5")
      ->type_name("X")
      ->check(CLI::PositiveNumber);
  l->add_flag("--ideal-only", contact_loss.ideal_only,
              "Do not compare with the run of the mechanism with its play");
  l->add_option("--csv", contact_loss.csv, "Also write the indices over time")->type_name("FILE");

  add_gradient_options(
      *verb(
          "gradient",
          "Find how results change with numbers of the model: through touches, stick and slip",
          kGradientExamples, [this] { return gradient_command(gradient); }, &gradient.json),
      gradient);

  model_options(verb(
                    "converge",
                    "Find how many digits have converged and up to what time; for a result (.h5) "
                    "the answer is stored in it",
                    "freeplay converge engine.toml --tolerance 1e-8",
                    [this] { return converge_command(converge); }, &converge.json),
                converge.model, true);
}

void Parser::add_many_runs() {
  add_study_options(*verb(
                        "study",
                        "Run many variants of a model: sweeps, bifurcations, uncertainty, "
                        "optimisation",
                        kStudyExamples, [this] { return study_command(study); }, &study.json),
                    study);

  auto* f = verb(
      "reproduce", "Reproduce the figures of the papers and measure their claims",
      "freeplay reproduce                           all figures, into gallery/\n"
      "  freeplay reproduce f1-fig5 -o out/gallery    one of them\n"
      "  freeplay reproduce f4                        those of one paper\n"
      "  freeplay reproduce my_figure.toml            your own",
      [this] { return reproduce_command(reproduce); }, &reproduce.json);
  f->add_option("NAME", reproduce.names,
                "Figures (f1-fig5), papers (f1) or figure files (FILE.toml); default: all");
  f->add_option("-o,--output", reproduce.output,
                "Folder for gallery.html and claims.md; default: gallery")
      ->type_name("DIR");
  f->add_flag("--list", reproduce.list, "List the available figures");
  f->add_option("--workers", reproduce.workers, "Runs at a time; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  f->add_flag("--quiet", reproduce.quiet, "No table, no progress");
  plugins_option(f);
}

void Parser::add_knowledge() {
  auto* l = verb(
      "laws", "List the laws of contact, friction, wear, oil and rubber, or describe one of them",
      "freeplay laws lankarani-nikravesh", [this] { return laws_command(laws); });
  l->add_option("NAME", laws.name, "Name of a law; default: list all");
  l->add_option("--markdown", laws.markdown,
                "Print a reference page: contact, friction, wear or film")
      ->type_name("KIND")
      ->check(CLI::IsMember({"contact", "friction", "wear", "control", "film"}));

  auto* b = verb(
      "bearing", "The designer's chart of one journal bearing",
      "freeplay bearing --diameter \"30 mm\" --clearance \"90 um\" --length \"20 mm\" "
      "--viscosity \"19.85 cP\" --speed \"6000 rpm\" --load \"53.955 N\"",
      [this] { return bearing_command(bearing); }, &bearing.json);
  b->add_option("--diameter", bearing.diameter, "Of the journal, with its unit: \"30 mm\"")
      ->type_name("D");
  b->add_option("--radius", bearing.radius, "Of the journal, likewise")->type_name("R");
  b->add_option("--clearance", bearing.clearance, "Radial, e.g. \"90 um\"")
      ->type_name("C")
      ->required();
  b->add_option("--length", bearing.length, "Of the bearing, e.g. \"20 mm\"")
      ->type_name("L")
      ->required();
  b->add_option("--viscosity", bearing.viscosity, "Dynamic, e.g. \"20 cP\" or \"0.02 Pa s\"")
      ->type_name("ETA")
      ->required();
  b->add_option("--speed", bearing.speed, "Of the journal, e.g. \"3000 rpm\"")
      ->type_name("W")
      ->required();
  b->add_option("--load", bearing.load, "E.g. \"50 N\"; absent: a table over eccentricity ratios")
      ->type_name("F");
  b->add_option("--ratio", bearing.ratios, "Eccentricity ratio of a row; may be repeated")
      ->type_name("E")
      ->allow_extra_args(false);
  b->add_option("--law", bearing.law,
                "Film law: reynolds (default), reynolds-guembel, reynolds-full-film, "
                "reynolds-mass-conserving, short-bearing, long-bearing, moes-mobility, ...")
      ->type_name("LAW");
  b->add_option(
       "--set", bearing.set,
       "Parameter of the law, e.g. grooves=2, groove_angle=\"90 deg\" (from the load), "
       "cells_around=128 (default: the grid is refined as needed). full_shear is false, as "
       "in a run: only the full film causes friction; published charts of friction, such "
       "as Raimondi & Boyd's, use full_shear=true")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  b->add_flag("--inlet", bearing.inlet,
              "Supply line where the gap is widest, as in Raimondi & Boyd's charts");

  auto* f = verb(
      "flex", "Make a flexible part of finite elements, for [bodies.NAME.flexible]",
      "freeplay flex rod.inp --units mm-t-s --interface BIG=rigid --interface SMALL=averaged",
      [this] { return flex_command(flex); }, &flex.json);
  f->add_option("DECK", flex.deck, "CalculiX deck; its matrices lie beside it")->required();
  f->add_option("-o,--output", flex.output, "Part file; default: the deck's name with .h5, here")
      ->type_name("PART.h5");
  f->add_option("--units", flex.units, "Of the deck: length-mass-time, e.g. mm-t-s, m-kg-s")
      ->type_name("U")
      ->required();
  f->add_option("--interface", flex.interfaces,
                "Node set for joints: rigid, or its mean moves a point (default: its middle)")
      ->type_name("SET=rigid|averaged[@X,Y,Z]")
      ->required()
      ->allow_extra_args(false);
  f->add_option("--modes", flex.modes, "Modes between the interfaces; default: 20")
      ->type_name("N")
      ->check(CLI::Range(0, 500));
  f->add_flag("--run", flex.run, "Call CalculiX (ccx) to write the matrices");
  f->add_option("--matrices", flex.matrices, "Other STEM of .sti, .mas, .dof")->type_name("STEM");

  auto* n = verb("new", "Write a commented model to start from", "freeplay new engine --planar",
                 [this] { return new_command(new_); });
  n->add_option("NAME", new_.name, "Writes NAME.toml; the name of a template gives that one");
  auto* from = n->add_option("--from", new_.from, "Template, under another name");
  auto* spatial = n->add_flag("--spatial", new_.spatial, "In space")->excludes(from);
  n->add_flag("--planar", planar, "In the plane (default)")->excludes(spatial)->excludes(from);
  n->add_flag("--list", new_.list, "Shows the templates: machines with play in their joints");

  verb("schema", "Print the JSON Schema of the model file",
       "freeplay schema > freeplay.schema.json", schema_command);

  verb("completion", "Print the script that completes words in a shell",
       "freeplay completion bash > freeplay.bash",
       [this] {
         if (shell != "bash")
           throw UsageError("there is no completion for " + shell + ", only for bash");
         print(std::string(bash_completion()));
         return int{kDone};
       })
      ->add_option("SHELL", shell, "bash")
      ->required();
}

// CLI11 would say "The following argument was not expected".
void expect_known_verb(const CLI::App& app, const char* word) {
  std::vector<std::string> verbs;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) verbs.push_back(sub->get_name());
  if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return;
  throw UsageError("there is no verb " + io::quote(word) + "; " + io::did_you_mean(word, verbs));
}

std::function<int()> print_and_end(std::string text) {
  return [text = std::move(text)] {
    print(text);
    return int{kDone};
  };
}

std::function<int()> complete(const CLI::App& app, const std::vector<std::string>& words) {
  VerbOptions verbs;
  for (const CLI::App* sub : app.get_subcommands(nullptr))
    for (const CLI::Option* option : sub->get_options())
      for (const std::string& name : option->get_lnames())
        verbs[sub->get_name()].push_back("--" + name);
  std::string text;
  for (const std::string& word : completions(verbs, words)) text += word + "\n";
  return print_and_end(std::move(text));
}

std::string manual_of(const CLI::App& app) {
  std::vector<VerbHelp> verbs;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    const std::string footer = sub->get_footer();
    VerbHelp verb{
        sub->get_name(), sub->get_description(), footer.substr(footer.find('\n') + 3), {}};
    for (const CLI::Option* o : sub->get_options()) {
      const bool flag = o->get_expected_max() == 0;
      const std::string type = o->get_type_name();  // "S:NONNEGATIVE" with what is checked
      verb.options.push_back({o->get_name(false, true), flag ? "" : type.substr(0, type.find(':')),
                              o->get_description(), o->get_positional(), o->get_required()});
    }
    verbs.push_back(std::move(verb));
  }
  return manual_page(kDescription, version(), verbs);
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'\\$`!*?[](){}<>|&;#~") == word.npos) return word;
  std::string out = "'";  // in which nothing is special but another one
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Invocation parse_arguments(int argc, const char* const* argv) {
  const auto parser = std::make_shared<Parser>();
  auto& app = parser->app;
  // As it could be typed again; the shell's own quoting is gone.
  for (int i = 0; i < argc; ++i) {
    parser->run.command += (i ? " " : "") + shell_word(i == 0 ? "freeplay" : argv[i]);
  }
  parser->study.command = parser->run.command;
  if (argc < 2) return {print_and_end(app.help()), false};
  if (argv[1] == std::string_view("__complete"))
    return {complete(app, {argv + 2, argv + argc}), false};
  if (argv[1] == std::string_view("__manual")) return {print_and_end(manual_of(app)), false};
  if (argv[1][0] != '-') expect_known_verb(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {print_and_end(app.help()), false};
  } catch (const CLI::CallForVersion& v) {
    return {print_and_end(std::string(v.what()) + "\n"), false};
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    throw UsageError(std::string(error.what()) + " (see `freeplay " +
                     (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help`)");
  }
  if (!parser->action) return {print_and_end(app.help()), false};
  return {[parser] { return parser->action(); }, parser->json && *parser->json};
}

}  // namespace freeplay::cli
