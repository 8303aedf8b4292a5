// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// The verbs. Each is one function in the file of its name; arguments.cpp fills the arguments.
namespace freeplay {
class Result;
}

namespace freeplay::cli {

/// Exit statuses, the same for every verb.
enum Exit : int {
  kDone = 0,
  kBadInput = 2,  // nothing was written
  kNotAssembled = 3,
  kFailed = 4,  // numerical failure or broken audit; what there is was kept, marked incomplete
  kInputOutput = 5,
  kInterrupted = 130,  // resumable
};

/// The command line asks for something that makes no sense. Exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A model file and the changes made to it on the command line.
struct ModelArguments {
  std::string file;
  std::vector<std::string> set;  // PATH=VALUE
  std::string tolerance, formulation, integrator, duration,
      record;  // shorthands for simulation.*; empty: not given
};

struct RunArguments {
  ModelArguments model;
  std::string output;   // empty: stem of the model + ".h5", here
  std::string command;  // the whole command line, for the record
  bool resume = false, json = false, quiet = false;
  bool trust = false;     // once more at a finer tolerance, to see how far both agree
  double time_limit = 0;  // CPU seconds; 0: none
};
int run_command(const RunArguments& arguments);

struct CheckArguments {
  ModelArguments model;
  bool json = false;
};
int check_command(const CheckArguments& arguments);

struct GetArguments {
  std::string result, series;
  std::vector<std::string> at;
  bool stats = false, list = false;
};
int get_command(const GetArguments& arguments);

/// "0.01", "1e-2", "10 ms". Throws UsageError naming the option.
[[nodiscard]] double parse_time(const std::string& text, const std::string& option);

struct ExportArguments {
  std::string result, csv;
};
int export_command(const ExportArguments& arguments);

struct ReportArguments {
  std::vector<std::string> results;
  std::string output;  // empty: stem of the first result + ".html", here
};
int report_command(const ReportArguments& arguments);

/// Throws UsageError when the output names one of the inputs, by whatever path.
void refuse_to_overwrite(const std::vector<std::string>& inputs, const std::string& output);
/// Says on standard error what a reader of the result should know: incomplete, without its seal.
void warn_of(const Result& result);

struct PlotArguments {
  std::string result;
  std::vector<std::string> series;
  std::vector<std::string> compare;  // further results in the same diagrams
  std::string output, against;       // output empty: stem of the result + ".svg", here
  std::string from, to;              // times; empty: all
  double width = 160, height = 0;    // mm; height of one diagram, 0: as fits
  double dpi = 200;
};
int plot_command(const PlotArguments& arguments);

struct ViewArguments {
  std::string directory;
  std::string watch;  // a model file that is run into the folder whenever it is saved; empty: none
  int port = 8080;
};
int view_command(const ViewArguments& arguments);

struct EquilibriumArguments {
  ModelArguments model;
  bool json = false;
};
int equilibrium_command(const EquilibriumArguments& arguments);

struct ModesArguments {
  ModelArguments model;
  std::string over;         // PATH=FROM:TO; empty: at the values of the model alone
  std::string output, csv;  // picture and table over that range; empty: none
  int positions = 41;       // in it
  bool json = false, at_start = false;
};
int modes_command(const ModesArguments& arguments);

struct ToleranceArguments {
  ModelArguments model;
  std::vector<std::string> outputs;     // series
  std::vector<std::string> dimensions;  // PATH=VALUE+-TOLERANCE
  std::string from, to;                 // times; empty: one turn of the drive, or the run
  std::string csv;                      // file for the curves; empty: none
  int positions = 37, samples = 0;
  std::uint64_t seed = 1;
  bool anywhere = false, json = false;
};
int tolerance_command(const ToleranceArguments& arguments);

struct ContactLossArguments {
  ModelArguments model;
  int positions = 720;
  double earles_wu = 5;  // rad/(s N)
  std::string csv;       // file for the indices; empty: none
  bool ideal_only = false, json = false;
};
int contact_loss_command(const ContactLossArguments& arguments);

struct GradientArguments {
  ModelArguments model;
  std::vector<std::string> of, wrt;
  bool central = false, json = false;
  double step = 0;  // relative; 0: default
  int workers = 0;  // 0: one per core
};
int gradient_command(const GradientArguments& arguments);

struct ConvergeArguments {
  ModelArguments model;
  bool json = false;
};
int converge_command(const ConvergeArguments& arguments);

struct StudyArguments {
  std::string file;
  std::string output;   // empty: stem of the study + ".h5", here
  std::string command;  // the whole command line, for the record
  bool resume = false, json = false, quiet = false;
  int workers = 0;        // 0: one per core
  std::int64_t row = -1;  // run this row of the finished table alone; -1: the study
  bool rows = false;      // print them
  std::string csv;        // file for them; empty: none
  std::string part;       // "3/7", "auto", "auto/7"; empty: the whole study
  bool join = false;      // parts to a table
  bool missing = false;   // list what is not there yet
  std::string submit;     // batch system whose script is wanted; empty: none
};
int study_command(const StudyArguments& arguments);

struct ReproduceArguments {
  std::vector<std::string> names;  // figures or papers, or figure files; empty: all
  std::string output = "gallery";  // folder
  bool list = false, json = false, quiet = false;
  int workers = 0;  // 0: one per core
};
int reproduce_command(const ReproduceArguments& arguments);

struct LawsArguments {
  std::string name;      // empty: list all
  std::string markdown;  // "contact" or "friction": the reference page; empty: none
};
int laws_command(const LawsArguments& arguments);

struct FlexArguments {
  std::string deck, output;  // output empty: stem of the deck + ".h5", here
  std::string units, matrices;
  std::vector<std::string> interfaces;  // SET=rigid or SET=averaged, @X,Y,Z
  int modes = 20;
  bool run = false, json = false;
};
int flex_command(const FlexArguments& arguments);

struct BearingArguments {
  std::string radius, diameter, clearance, length, viscosity, speed, load;  // with units
  std::vector<std::string> ratios;
  std::string law = "reynolds";
  std::vector<std::string> set;  // KEY=VALUE of the law
  bool inlet = false, json = false;
};
int bearing_command(const BearingArguments& arguments);

struct NewArguments {
  std::string name, from;
  bool spatial = false, list = false;
};
int new_command(const NewArguments& arguments);

int schema_command();

}  // namespace freeplay::cli
