// Elements, without HTML that a word could change.

export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else if (key === "style") for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    else if (key in element && key !== "list" && key !== "role") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function svg(name, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Words with bars: a full one stands for `full`, or for the greatest value where that is more.
export function bars(pairs, open, full = 1) {
  const most = Math.max(...pairs.map(([, value]) => Math.abs(value)), full);
  return h("div", { class: "bars" }, pairs.map(([word, value, shown]) => [
    open ? wordButton(word, open) : h("span", {}, h("bdi", {}, word)),
    h("div", { class: "bar" }, h("i", { style: { width: `${(100 * Math.abs(value)) / most}%` } })),
    h("span", { class: "number" }, shown ?? value.toFixed(3)),
  ]));
}

// Words with figures of several runs: bars with whiskers, and the share of the runs; those below `least` are faded.
export function whiskers(neighbors, open, least) {
  const percent = (value) => 100 * Math.min(Math.max(value, 0), 1);
  return h("div", { class: "bars runs" }, neighbors.map(({ word, value, low, high, share }) => {
    const faded = share < least ? "faded" : "";
    const range = low === null ? "" : `${low.toFixed(2)} to ${high.toFixed(2)}`;
    return [
      h("span", { class: faded }, wordButton(word, open)),
      h("div", { class: `bar ${faded}`, title: range, role: "img", "aria-label": range || "no interval" },
        h("i", { style: { width: `${percent(value)}%` } }),
        range && h("b", { style: { left: `${percent(low)}%`, width: `${percent(high) - percent(low)}%` } })),
      h("span", { class: `number ${faded}` }, value.toFixed(3)),
      h("span", { class: `number ${faded}` }, `${Math.round(100 * share)} %`),
    ];
  }));
}

export function wordButton(word, open) {
  return h("button", { type: "button", class: "word", onclick: () => open(word) }, h("bdi", {}, word));
}

export function field(label, control) {
  return h("label", { class: "field" }, h("span", {}, label), control);
}

// Words of a text: separated by commas and ends of lines, or by white space where there is no comma.
export function words(text) {
  return text.split(text.includes(",") ? /[,\n]/ : /\s+/).map((word) => word.trim()).filter(Boolean);
}

export function numbers(packed, Kind) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Kind(bytes.buffer);
}

export function download(name, content, type = "text/plain") {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
