// SPDX-License-Identifier: Apache-2.0
// Elements without a framework. Text only ever enters the page as text, never as markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, unknown>;

/** el("button", { class: "x", onclick: f, "aria-label": "Play" }, "text") */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value as EventListener);
    else if (name === "class") node.className = String(value);
    else if (name === "value") (node as unknown as HTMLInputElement).value = String(value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) node.append(child);
  return node;
}

/** A drop-down list. */
export function select(label: string, options: [value: string, text: string][], value: string, change: (value: string) => void): HTMLLabelElement {
  const list = el("select", { onchange: () => change(list.value) }, ...options.map(([v, text]) => el("option", { value: v }, text)));
  list.value = value;
  return el("label", { class: "field" }, el("span", {}, label), list);
}

/** Buttons of which one is pressed. */
export function segments(label: string, options: [value: string, text: string][], value: string, change: (value: string) => void): HTMLDivElement {
  const group = el("div", { class: "segments", role: "group", "aria-label": label });
  for (const [v, text] of options) {
    const button = el("button", { type: "button", "aria-pressed": String(v === value) }, text);
    button.addEventListener("click", () => {
      for (const other of group.children) other.setAttribute("aria-pressed", String(other === button));
      change(v);
    });
    group.append(button);
  }
  return group;
}

/** A button that stays down. */
export function toggle(text: string, title: string, on: boolean, change: (on: boolean) => void): HTMLButtonElement {
  const button = el("button", { type: "button", class: "toggle", title, "aria-pressed": String(on) }, text);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    change(now);
  });
  return button;
}

export function save(name: string, blob: Blob): void {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
