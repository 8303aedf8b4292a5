#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation as pages for a browser, opened from the disk: every Markdown file of the repository by MkDocs, in the order
of docs/README.md, with the files they link to and a search that needs no server. Then every link of the result is checked.

usage: tools/site.py DIRECTORY [--check]      (normally called by `./dev docs --site`; --check only looks at what is there)
"""

import html.parser
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "docs/site/mkdocs.yml"
LINK = re.compile(r"(!?\[[^\]]*\]\()\s*<?([^)\s>]+)>?(\s+\"[^\"]*\")?\s*\)")
ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")
SHOWN = {".md", ".png", ".svg", ".jpg", ".gif", ".html", ".css", ".pdf"}  # other files become text, which browsers show


def ours():
    """Files of the repository; those of a copy without git are taken as they lie there."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return [Path(line) for line in listed.stdout.splitlines() if (ROOT / line).is_file()]
    return [p.relative_to(ROOT) for p in ROOT.rglob("*") if p.is_file() and not {"build", "out", "node_modules"} & set(p.parts)]


def slug(text, separator="-"):
    """Name of a section as GitHub and tools/check_links.py derive it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)


class Stage:
    """The pages as MkDocs wants them, in a folder of their own."""

    def __init__(self, folder):
        self.folder, self.copied = folder, set()
        shutil.rmtree(folder, ignore_errors=True)
        self.files = set(ours())

    def copy(self, file):
        """A file that a page links to; its name there."""
        goal = file if file.suffix in SHOWN else file.with_name(file.name + ".txt")
        if file not in self.copied:
            self.copied.add(file)
            (self.folder / goal).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, self.folder / goal)
        return goal

    def contents(self, directory):
        """A page for a folder that has none: what is in it."""
        page = directory / "README.md"
        if page not in self.copied:
            self.copied.add(page)
            inside = sorted(f for f in self.files if f.parent == directory)
            lines = [f"- [{f.name}]({self.copy(f).name})" for f in inside]
            (self.folder / directory).mkdir(parents=True, exist_ok=True)
            (self.folder / page).write_text(f"# {directory}\n\n" + "\n".join(lines) + "\n")
        return page

    def target(self, page, link):
        """Where a link of a page leads in the site."""
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", link) or link.startswith("#"):
            return link
        path, mark, section = link.partition("#")
        goal = Path(os.path.normpath(page.parent / unquote(path)))
        if (ROOT / goal).is_dir():
            goal = goal / "README.md" if goal / "README.md" in self.files else self.contents(goal)
        elif goal.suffix != ".md":
            goal = self.copy(goal)
        return os.path.relpath(goal, page.parent) + mark + section

    def page(self, page):
        lines, fence, before = [], None, ""
        for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
            mark = re.match(r"\s*(```|~~~)", line)
            if mark:
                fence = mark.group(1) if fence is None else None if fence == mark.group(1) else fence
            elif fence is None:
                # GitHub begins a list without an empty line before it.
                if ITEM.match(line) and before.strip() and not ITEM.match(before) and not before.startswith((" ", "\t")):
                    lines.append("")
                pieces = re.split(r"(`[^`]*`)", line)  # code stays as it is
                line = "".join(p if p.startswith("`") else LINK.sub(lambda m: self.link(page, m), p) for p in pieces)
            before = line
            lines.append(line)
        (self.folder / page).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / page).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def link(self, page, match):
        return f"{match.group(1)}{self.target(page, match.group(2))}{match.group(3) or ''})"


def title(page):
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip().replace("`", "")
    return page.stem


def navigation(pages):
    """Sections are those of docs/README.md, their pages in the order in which it links them; the rest follows."""
    left = sorted(pages)

    def entry(page):
        left.remove(page)
        return {title(page): str(page)}

    out = [entry(Path("README.md")), entry(Path("docs/README.md"))]
    section = []
    for line in (ROOT / "docs/README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = []
            out.append({line[3:].strip(): section})
        for _, link, _ in LINK.findall(line):
            goal = Path(os.path.normpath(Path("docs") / link.partition("#")[0]))
            if goal in left:
                section.append(entry(goal))
    for name, folder in (("Examples", "examples"), ("Python", "docs/python"), ("Papers", "docs/papers"),
                         ("Verification", "docs/verification")):
        inside = [p for p in left if p.is_relative_to(folder)]
        out.append({name: [entry(p) for p in sorted(inside, key=lambda p: (p.name != "README.md" or p.parent != Path(folder), p))]})
    out.append({"More": [entry(p) for p in list(left)]})
    return [e for e in out if list(e.values())[0]]


class Reader(html.parser.HTMLParser):
    """Links, names and text of a page of the site."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.loads, self.names, self.sections, self.main, self.depth, self.heading = [], [], set(), [], False, 0, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.names |= {given[k] for k in ("id", "name") if given.get(k)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for key in ("src", "href"):
            if tag in ("script", "img", "link", "iframe") and given.get(key) and given.get("rel") != "canonical":
                self.loads.append(given[key])
        if tag == "main":
            self.main = True
        if self.main and re.fullmatch("h[1-4]", tag):
            self.sections.append([given.get("id", ""), "", ""])
            self.heading = tag

    def handle_endtag(self, tag):
        if tag == self.heading:
            self.heading = None
        if tag == "footer":
            self.main = False

    def handle_data(self, data):
        if self.main and self.sections:
            self.sections[-1][1 if self.heading else 2] += data


def check(site):
    """Links that lead nowhere, and whatever a page would fetch from elsewhere."""
    pages = {p: Reader(p.read_text(encoding="utf-8")) for p in sorted(site.rglob("*.html"))}
    problems, count = [], 0
    for page, reader in pages.items():
        for link in reader.links + reader.loads:
            if re.match(r"(https?:)?//", link):
                if link in reader.loads:
                    problems.append(f"{page.relative_to(site)}: is fetched from elsewhere: {link}")
                continue
            if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", link):
                continue
            count += 1
            path, _, section = link.partition("#")
            path = unquote(path.partition("?")[0])
            goal = Path(os.path.normpath(page.parent / path)) if path else page
            if not goal.is_file():
                problems.append(f"{page.relative_to(site)}: {link}: no such file")
            elif section and goal in pages and unquote(section) not in pages[goal].names:
                problems.append(f"{page.relative_to(site)}: {link}: no such section")
    print("\n".join(problems) if problems else f"site: {count} links in {len(pages)} pages, all resolve; nothing is fetched from elsewhere")
    return 1 if problems else 0


def write_search(site):
    sections = []
    for page in sorted(site.rglob("*.html")):
        reader = Reader(page.read_text(encoding="utf-8"))
        name = reader.sections[0][1].strip("¶ \n") if reader.sections else page.stem
        for mark, heading, text in reader.sections:
            words = " ".join(text.split())
            sections.append([f"{page.relative_to(site)}#{mark}", name, heading.strip("¶ \n"), words[:4000]])
    goal = site / "search_data.js"
    goal.write_text("window.freeplaySections = " + json.dumps(sections, ensure_ascii=False) + ";\n", encoding="utf-8")


def build(site):
    from mkdocs.commands.build import build as run
    from mkdocs.config import load_config

    stage = Stage(site.with_name(site.name + "_pages"))
    pages = [f for f in stage.files if f.suffix == ".md" and f.parts[0] not in ("web", ".github", ".gitlab")]
    pages += [Path("web/README.md")]
    for page in pages:
        stage.page(page)
    config = load_config(str(CONFIG), docs_dir=str(stage.folder), site_dir=str(site), strict=True, nav=navigation(pages),
                         markdown_extensions=["sane_lists", {"toc": {"slugify": slug, "permalink": True}}])
    run(config)
    write_search(site)


def main():
    site = Path(sys.argv[1]).resolve()
    if "--check" not in sys.argv:
        if not importlib.util.find_spec("mkdocs"):
            print("MkDocs is missing; `./dev docs --site` installs it (Debian: apt-get install mkdocs)")
            return 77  # skipped, where a test calls it
        build(site)
        print(f"open {site / 'index.html'}")
    return check(site)


sys.exit(main())
