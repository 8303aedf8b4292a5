// SPDX-License-Identifier: Apache-2.0
// Puts script and style into the page, and the licences of what is bundled into its foot.
import { readFileSync } from "node:fs";

const folder = process.argv[2];
const read = (file) => readFileSync(file, "utf8");
const insert = (page, mark, text) => page.split(mark).join(text);
const licence = (name) => read(`node_modules/${name}/LICENSE`).trim();

// "</script" inside a string of the bundle would end the element.
const script = read(`${folder}/report.js`).replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const style = read(`${folder}/report.css`);
const notice = ["three", "uplot"].map((name) => `${name}\n${licence(name)}`).join("\n\n").replace(/--/g, "- -");

let page = read("src/page.html");
page = insert(page, "/*style*/", style.trim());
page = insert(page, "/*script*/", script.trim());
page = insert(page, "<!--licences-->", `<!--\n${notice}\n-->`);
process.stdout.write(page);
