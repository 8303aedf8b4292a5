// SPDX-License-Identifier: Apache-2.0
// One page, two things to show: results of runs, or the table of a study.
import "uplot/dist/uPlot.min.css";
import "./style.css";

const description = JSON.parse(document.getElementById("data")!.textContent!) as { study?: unknown };
void (description.study ? import("./study") : import("./main"));
