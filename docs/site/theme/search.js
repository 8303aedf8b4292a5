// SPDX-License-Identifier: Apache-2.0
// Search without a server: all words of a query in a section, those in its heading first. search_data.js holds the sections:
// [address, page, heading, text].
(function () {
  const root = document.currentScript.src.replace(/search\.js.*/, "");
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "Search (press /)";
  box.setAttribute("aria-label", "Search the documentation");
  const found = document.createElement("div");
  found.id = "found";
  found.hidden = true;
  document.getElementById("search").append(box, found);

  function show() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = [];
    for (const [address, page, heading, text] of words.length ? window.freeplaySections : []) {
      const head = `${page} ${heading}`.toLowerCase();
      const all = `${head} ${text.toLowerCase()}`;
      if (!words.every((w) => all.includes(w))) continue;
      hits.push({ address, page, heading, text, rank: words.filter((w) => head.includes(w)).length });
    }
    hits.sort((a, b) => b.rank - a.rank);
    found.replaceChildren(
      ...hits.slice(0, 20).map((h) => {
        const link = document.createElement("a");
        link.href = root + h.address;
        link.textContent = h.heading && h.heading !== h.page ? `${h.page}: ${h.heading}` : h.page;
        const at = Math.max(0, h.text.toLowerCase().indexOf(words[0]) - 40);
        const around = document.createElement("small");
        around.textContent = h.text.slice(at, at + 140);
        link.append(around);
        return link;
      }),
    );
    if (words.length && !hits.length) found.textContent = "nothing found";
    found.hidden = !words.length;
  }
  box.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    }
    if (event.key === "Escape") found.hidden = true;
    if (event.key === "Enter" && document.activeElement === box) found.querySelector("a")?.click();
  });
})();
