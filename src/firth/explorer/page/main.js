// The page: the map, the search, and one view at a time beside it. Its state stands in the address, so that a link restores it.

import { ask, Refusal } from "./api.js";
import { table } from "./csv.js";
import { download, h, numbers } from "./dom.js";
import { groupColour, PALETTE, RAMP, ramp, Scatter } from "./scatter.js";
import { VIEWS } from "./views.js";

const $ = (id) => document.getElementById(id);
const METHODS = { pca: "PCA", umap: "UMAP", tsne: "t-SNE" };
const COLOURS = { groups: "Groups", counts: "Frequency", rank: "Rank" }; // besides the columns of the words or texts
const OTHERS = [0.62, 0.62, 0.62]; // the colour of groups beside one that is shown alone
const FOUND = 12; // words that the search offers
const MOST = 200000; // words of a map
const FIRST = 3000; // words that are there before the map

// The range of most numbers of a column: few extreme ones do not make the rest look alike.
function middle(values) {
  const sorted = values.filter(Number.isFinite).sort();
  if (!sorted.length) return [0, 1];
  const [low, high] = [0.02, 0.98].map((share) => sorted[Math.round(share * (sorted.length - 1))]);
  return high > low ? [low, high] : [low, low + 1];
}

class App {
  constructor(info) {
    this.info = info;
    this.state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    this.vectors = info.models.filter((model) => model.answers.includes("/map"));
    this.corpus = info.models.find((model) => model.answers.includes("/contexts"));
    this.rows = new Map(); // of words on the map
    this.selection = [];
    this.words = [];
    this.columns = new Map();
    this.complement();
    addEventListener("popstate", () => this.restore());
  }

  // Whether the model whose map is shown answers at an address.
  answers(path) {
    return this.vectors.some((model) => model.name === this.state.model && model.answers.includes(path));
  }

  get isOfTexts() {
    return this.answers("/search");
  }

  // Models that answer at an address.
  able(path) {
    return this.info.models.filter((model) => model.answers.includes(path)).map((model) => model.name);
  }

  // Change the state and the address; a step is one that the browser's Back undoes.
  set(changes, { step = false } = {}) {
    Object.assign(this.state, changes);
    const here = ([key, value]) => value !== undefined && value !== "" && (!key.includes(".") || key.startsWith(`${this.state.view}.`));
    const kept = Object.entries(this.state).filter(here); // what was typed in other views would make the link long
    history[step ? "pushState" : "replaceState"](null, "", `#${new URLSearchParams(kept)}`);
  }

  // Show the state of an address that Back or Forward has brought.
  async restore() {
    const { model, method } = this.state;
    this.state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    this.complement();
    this.tabs();
    if (this.state.model !== model) return this.enter({ look: true });
    if (this.state.method !== method) await this.map();
    return this.show({ look: true });
  }

  // What an address leaves out.
  complement() {
    const names = this.vectors.map((model) => model.name);
    if (!names.includes(this.state.model)) this.state.model = names[0];
    if (!Object.hasOwn(METHODS, this.state.method)) this.state.method = "pca";
    if (this.state.row !== undefined) this.state.row = Number(this.state.row);
    for (const id of this.vectors.length ? ["model", "method"] : []) $(id).value = this.state[id];
  }

  async start() {
    this.tabs();
    for (const id of ["model", "search"]) $(id).parentElement.hidden = !this.vectors.length;
    if (this.vectors.length) {
      this.scatter = new Scatter($("map"), {
        clicked: (row) => this.open(this.words[row]),
        selected: (rows) => this.select(rows),
        moved: (camera) => this.remember(camera),
        plain: this.state.plain === "1",
      });
      window.firthMap = this.scatter; // for tests
      this.controls();
    } else document.querySelector("main").classList.add("alone");
    this.exports();
    await (this.scatter ? this.enter({ camera: this.state.camera }) : this.show());
  }

  // Show a model: its words at once, then its map.
  async enter({ camera, ...options } = {}) {
    await this.expect();
    this.loading = this.map();
    const needsMap = () => ["axes", "selection"].includes(this.state.view);
    const early = !needsMap();
    if (early) await this.show(options);
    await this.loading;
    if (camera) {
      const [x, y, zoom] = camera.split(",").map(Number);
      this.scatter.look({ x, y, zoom: zoom * this.scatter.whole });
    }
    if (!early || this.state.view === "word") await this.show(options);
  }

  // -- the map

  controls() {
    const fill = (id, choices, value, chosen) => {
      $(id).append(...Object.entries(choices).map(([key, label]) => h("option", { value: key }, label)));
      $(id).value = value;
      $(id).addEventListener("change", () => chosen($(id).value));
    };
    fill("model", Object.fromEntries(this.vectors.map(({ name }) => [name, name])), this.state.model, async (model) => {
      this.set({ model, camera: undefined, row: undefined, query: undefined });
      this.selection = [];
      this.tabs();
      await this.enter();
    });
    fill("method", METHODS, this.state.method, (method) => {
      this.set({ method, camera: undefined });
      this.map();
    });
    fill("colour", {}, null, (colour) => {
      this.set({ colour });
      this.colour = colour;
      this.only = null;
      this.paint();
    });
    $("lasso").addEventListener("click", () => {
      this.scatter.lassoing = !this.scatter.lassoing;
      $("lasso").setAttribute("aria-pressed", this.scatter.lassoing);
      $("map").classList.toggle("lasso", this.scatter.lassoing);
    });
    $("whole").addEventListener("click", () => this.scatter.showAll());
    this.search();
  }

  // Until its map is there: the first words of the model, and what is being done.
  async expect() {
    const { model } = this.state;
    $("map").setAttribute("aria-busy", "true");
    $("caption").textContent = "";
    $("legend").replaceChildren();
    const { words, counts, total } = this.isOfTexts ? { words: [], counts: null } : await ask("/words", { model, n: FIRST });
    [this.counts, this.groups, this.groupNames, this.columns] = [counts, new Uint8Array(words.length), [], new Map()];
    this.mapOf = null;
    this.know(words);
    this.scatter.show({ places: new Float32Array(0), labels: [] });
    this.waitFor(`Computing the map of ${total === undefined ? "the texts" : `${Math.min(total, MOST).toLocaleString()} words`} …`);
  }

  know(words) {
    this.words = words;
    this.rows = new Map(words.map((word, row) => [word, row]));
    $("search").placeholder = this.isOfTexts ? "Find texts by their meaning" : "Find a word";
    $("search").setAttribute("aria-label", $("search").placeholder);
  }

  waitFor(text) {
    $("waiting").textContent = text;
    $("waiting").hidden = !text;
  }

  // Get the map of the chosen model and method; while a slow one is computed, the one before stays.
  async map() {
    const { model, method } = this.state;
    const asked = (this.asked = Symbol("map"));
    $("map").setAttribute("aria-busy", "true");
    for (;;) {
      let reply;
      try {
        reply = await ask("/map", { model, method, n: MOST });
      } catch (error) {
        if (asked !== this.asked) return;
        if (this.mapOf === model) this.say(error);
        else this.waitFor(error.message);
        $("map").setAttribute("aria-busy", "false");
        if (method !== "pca" && this.mapOf !== model) {
          this.set({ method: "pca" });
          $("method").value = "pca";
          await this.map();
        }
        return;
      }
      if (asked !== this.asked) return; // another was chosen meanwhile
      if (reply.ready) {
        this.shown(reply);
        return;
      }
      if (this.mapOf !== model) { // something to look at until then
        this.shown(await ask("/map", { model, method: "pca", n: MOST }));
      }
      $("caption").textContent = `${METHODS[method]} is being computed, once; you see ${METHODS[this.seen]}.`;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  shown(reply) {
    this.waitFor("");
    this.know(reply.words);
    this.only = null; // of the groups, the one that alone has its colour
    [this.mapOf, this.seen] = [reply.model, reply.method];
    this.groups = numbers(reply.groups, Uint8Array);
    this.groupNames = reply.group_names;
    this.counts = reply.counts ? numbers(reply.counts, Float64Array) : null;
    this.caption = reply.caption;
    this.columns = new Map(reply.columns.map(({ name, values, names }) => [`column ${name}`, { name, names, values: numbers(values, names ? Uint16Array : Float64Array) }]));
    const choices = { ...COLOURS, ...Object.fromEntries([...this.columns].map(([key, { name }]) => [key, name])) };
    if (!this.counts) delete choices.counts;
    if (this.isOfTexts) delete choices.rank; // texts are in no order
    const fallback = this.isOfTexts && this.columns.size ? [...this.columns.keys()][0] : "groups"; // until one is chosen
    this.colour = Object.hasOwn(choices, this.state.colour ?? "") ? this.state.colour : fallback;
    $("colour").replaceChildren(...Object.entries(choices).map(([key, label]) => h("option", { value: key }, label)));
    $("colour").value = this.colour;
    this.scatter.show({ places: numbers(reply.places, Float32Array), labels: reply.words, colours: this.colours() });
    this.paint();
    $("map").setAttribute("aria-busy", "false");
    $("caption").textContent = `${reply.words.length.toLocaleString()} ${this.isOfTexts ? "texts" : "words"}. ${reply.caption}`;
    this.highlight();
  }

  colours() {
    const n = this.words.length;
    const colours = new Float32Array(3 * n);
    const last = this.counts ? Math.log(1 + this.counts[0]) : 1;
    const column = this.columns.get(this.colour);
    const [low, high] = column && !column.names ? middle(column.values) : [0, 1];
    const colourOf = column?.names ? (i) => groupColour(column.values[i])
      : column ? (i) => (Number.isFinite(column.values[i]) ? ramp((column.values[i] - low) / (high - low)) : [0.6, 0.6, 0.6])
        : this.colour === "counts" ? (i) => ramp(Math.log(1 + this.counts[i]) / last)
          : this.colour === "rank" ? (i) => ramp(1 - i / n)
            : (i) => groupColour(this.groups[i]);
    const group = this.colour === "groups" ? this.groups : column?.names ? column.values : null;
    const seen = this.only === null || !group ? () => true : (i) => group[i] === this.only;
    for (let i = 0; i < n; i++) colours.set(seen(i) ? colourOf(i) : OTHERS, 3 * i);
    return colours;
  }

  paint() {
    this.scatter.recolour(this.colours());
    const column = this.columns.get(this.colour);
    const names = this.colour === "groups" ? this.groupNames : column?.names;
    if (names) {
      $("legend").replaceChildren(...names.slice(0, PALETTE.length).map((name, group) => h("button", {
        type: "button", "aria-pressed": String(this.only === group), title: "Show this group alone",
        onclick: () => { this.only = this.only === group ? null : group; this.paint(); },
      }, h("span", { style: { "--swatch": PALETTE[group] } }, h("b", {}, h("bdi", {}, name || "none"))))));
      return;
    }
    const ends = column ? middle(column.values).map((value) => Number(value.toPrecision(3)).toLocaleString())
      : this.colour === "counts" ? ["once", `${this.counts[0].toLocaleString()} times (logarithmic)`] : ["last", "first"];
    $("legend").replaceChildren(h("span", { class: "soft" }, ends[0]), h("span", { class: "ramp", style: { background: `linear-gradient(to right, ${RAMP.join(",")})` } }), h("span", { class: "soft" }, ends[1]));
  }

  // Show other places for the words of the map, such as cosines with two axes; null brings the map back.
  async place(places, caption, poles = []) {
    $("poles").replaceChildren(...poles.map((pole) => h("span", {}, h("bdi", {}, pole))));
    if (!places) {
      if (this.elsewhere) await this.map();
      this.elsewhere = false;
      return;
    }
    this.elsewhere = true;
    const n = Math.min(places.length / 2, this.words.length);
    this.scatter.show({ places: places.subarray(0, 2 * n), labels: this.words.slice(0, n), colours: this.colours().subarray(0, 3 * n) });
    $("caption").textContent = caption;
    this.highlight();
  }

  // Mark the chosen words and those near them.
  highlight(chosen = this.chosen ?? [], near = this.near ?? [], { look = false } = {}) {
    [this.chosen, this.near] = [chosen, near];
    if (!this.scatter) return;
    const marked = new Map();
    for (const word of near) if (this.rows.has(word)) marked.set(this.rows.get(word), "near");
    for (const word of chosen) if (this.rows.has(word)) marked.set(this.rows.get(word), "chosen");
    this.scatter.mark(marked);
    if (look) this.scatter.lookAt([...marked.keys()]);
  }

  select(rows) {
    this.selection = rows.map((row) => this.words[row]);
    this.highlight([], this.selection);
    this.set({ view: "selection" });
    this.tabs();
    this.show();
  }

  remember(camera) {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      if (!this.scatter.whole) return;
      const numbers = [camera.x, camera.y, camera.zoom / this.scatter.whole];
      this.set({ camera: numbers.map((value) => Number(value.toPrecision(5))).join(",") });
    }, 300);
  }

  // -- words

  // A word as the model spells it: itself, or in small letters if only these are known.
  spelled(word) {
    return this.rows.has(word) || !this.rows.has(word.toLowerCase()) ? word : word.toLowerCase();
  }

  open(word) {
    if (this.isOfTexts) this.set({ row: this.rows.get(word), query: undefined, view: "texts" }, { step: true });
    else this.set({ word, view: "word" }, { step: true });
    this.tabs();
    return this.show({ look: true, reveal: true });
  }

  // Look for texts of like meaning.
  seek(query) {
    this.set({ query, row: undefined, view: "texts" }, { step: true });
    this.tabs();
    return this.show({ look: true, reveal: true });
  }

  search() {
    const [input, list] = [$("search"), $("found")];
    let offered = [];
    let position = -1;
    const close = () => {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };
    const choose = (word) => {
      close();
      input.value = word;
      this.open(word);
    };
    const point = (next) => {
      position = next;
      [...list.children].forEach((item, i) => item.setAttribute("aria-selected", i === position));
      if (position >= 0) {
        input.setAttribute("aria-activedescendant", `found-${position}`);
        list.children[position].scrollIntoView({ block: "nearest" });
      }
    };
    input.addEventListener("input", () => {
      const typed = input.value;
      offered = typed ? this.complete(typed) : [];
      list.replaceChildren(...offered.map((word, i) => h("li", {
        id: `found-${i}`, role: "option", "aria-selected": "false", onpointerdown: (event) => { event.preventDefault(); choose(word); },
      }, h("bdi", {}, word))));
      const none = typed.trim() && !offered.length && !this.isOfTexts;
      if (none) list.append(h("li", { class: "soft", role: "option", "aria-disabled": "true" }, "No word of the map holds this. Enter looks for spellings like it."));
      list.hidden = !offered.length && !none;
      input.setAttribute("aria-expanded", String(!list.hidden));
      point(-1);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") point(Math.min(position + 1, offered.length - 1));
      else if (event.key === "ArrowUp") point(Math.max(position - 1, -1));
      else if (event.key === "Enter" && this.isOfTexts && position < 0 && input.value.trim()) {
        close();
        this.seek(input.value.trim());
      } else if (event.key === "Enter" && input.value.trim()) choose(position >= 0 ? offered[position] : this.rows.has(input.value) ? input.value : offered[0] ?? input.value.trim());
      else if (event.key === "Escape") close();
      else if (event.key === "Enter") this.say(this.isOfTexts ? "Type a question or a sentence." : "Type a word.");
      else return;
      event.preventDefault();
    });
    input.addEventListener("blur", close);
    addEventListener("keydown", (event) => {
      if (event.key === "/" && !/INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName)) {
        event.preventDefault();
        input.focus();
      }
    });
  }

  // Words that begin so, the most frequent first; then those that hold it.
  complete(typed) {
    const low = typed.toLowerCase();
    const [begin, hold] = [[], []];
    for (const word of this.words ?? []) {
      const lower = word.toLowerCase();
      if (lower.startsWith(low)) begin.push(word);
      else if (hold.length < FOUND && lower.includes(low)) hold.push(word);
      if (begin.length >= FOUND) break;
    }
    const exact = this.rows.has(typed) ? [typed] : [];
    return [...new Set([...exact, ...begin, ...hold])].slice(0, FOUND);
  }

  // -- views

  tabs() {
    this.views = VIEWS.filter((view) => view.shown(this));
    if (!this.views.some((view) => view.name === this.state.view)) this.state.view = this.views[0]?.name;
    const buttons = this.views.map((view) => h("button", {
      type: "button", role: "tab", id: `tab-${view.name}`, "aria-selected": String(view.name === this.state.view), "aria-controls": "view",
      tabIndex: view.name === this.state.view ? 0 : -1,
      onclick: () => { this.set({ view: view.name }, { step: true }); this.tabs(); this.show(); },
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = this.views[(this.views.indexOf(view) + step + this.views.length) % this.views.length];
        this.set({ view: next.name });
        this.tabs();
        $(`tab-${next.name}`).focus();
        this.show();
      },
    }, view.label));
    $("tabs").replaceChildren(...buttons);
    $("tabs").hidden = buttons.length < 2;
    $("view").setAttribute("aria-labelledby", `tab-${this.state.view}`);
  }

  async show(options = {}) {
    const view = this.views.find((item) => item.name === this.state.view);
    if (!view) return;
    const asked = (this.viewed = Symbol("view"));
    $("view").setAttribute("aria-busy", "true");
    document.querySelector("main").classList.toggle("wide", Boolean(view.wide));
    if (view.places) await this.loading;
    if (!view.places && this.elsewhere) await this.place(null);
    if (!view.marks) this.highlight([], []);
    let content;
    try {
      content = await view.render(this, options);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      content = [h("p", { class: "note" }, error.message)];
    }
    if (asked !== this.viewed) return; // another was opened meanwhile
    $("view").replaceChildren(...[content].flat().filter(Boolean));
    $("view").setAttribute("aria-busy", "false");
    if (options.reveal && matchMedia("(max-width: 820px)").matches) $("panel").scrollIntoView(); // on a phone it lies below
  }

  say(error) {
    $("message").textContent = error.message ?? error;
    $("message").hidden = false;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => ($("message").hidden = true), 6000);
  }

  // -- what can be taken home

  exports() {
    const name = this.state.model ?? "firth";
    const items = this.scatter ? {
      "Picture (PNG)": async () => download(`${name}.png`, await this.scatter.png()),
      "Picture (SVG)": () => download(`${name}.svg`, this.scatter.svg(), "image/svg+xml"),
      "Table of the map (CSV)": () => download(`${name}.csv`, this.csv(), "text/csv"),
      "Page with the map (HTML)": () => this.fetched("html"),
      "Parquet for embedding-atlas": () => this.fetched("parquet"),
      "Vectors for the Projector (TSV)": () => this.fetched("tsv"),
      "Words of the projector (TSV)": () => this.fetched("words.tsv"),
      "Selected words": () => download(`${name}-words.txt`, `${(this.selection.length ? this.selection : this.near ?? []).join("\n")}\n`),
    } : {};
    document.querySelector(".menu").hidden = !this.scatter;
    $("export").replaceChildren(...Object.entries(items).map(([label, act]) =>
      h("button", {
        type: "button", onclick: () => {
          document.querySelector(".menu").open = false;
          Promise.resolve(act()).catch((error) => this.say(error));
        },
      }, label)));
    document.addEventListener("pointerdown", (event) => {
      if (!event.target.closest(".menu")) document.querySelector(".menu").open = false;
    });
    $("share").addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        this.say("The link is copied.");
      } catch {
        this.say(location.href);
      }
    });
    $("theme").addEventListener("click", () => {
      const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
      document.documentElement.dataset.theme = dark ? "light" : "dark";
      try {
        localStorage.setItem("theme", document.documentElement.dataset.theme);
      } catch { /* a browser that keeps nothing */ }
      this.scatter?.redraw();
    });
  }

  csv() {
    const { places } = this.scatter.points;
    const columns = [...this.columns.values()];
    const titles = ["word", "x", "y", "group", ...(this.counts ? ["count"] : []), ...columns.map(({ name }) => name)];
    const rows = this.words.slice(0, places.length / 2).map((word, i) => [
      word, places[2 * i], places[2 * i + 1], this.groupNames[this.groups[i]], ...(this.counts ? [this.counts[i]] : []),
      ...columns.map(({ values, names }) => (names ? names[values[i]] : values[i])),
    ]);
    return table([titles, ...rows]);
  }

  async fetched(kind) {
    const { model, method } = this.state;
    const response = await fetch(`export/${kind}?${new URLSearchParams({ model, method })}`);
    if (!response.ok) throw new Refusal((await response.json().catch(() => ({}))).error ?? `The server answered ${response.status}.`);
    download(`${model}.${kind}`, await response.blob());
  }
}

try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* a browser that keeps nothing */ }

ask("/info").then((info) => {
  window.firth = new App(info);
  return window.firth.start();
}).catch((error) => {
  document.getElementById("waiting").textContent = "";
  const message = document.getElementById("message");
  message.textContent = error.message;
  message.hidden = false;
  if (!(error instanceof Refusal)) throw error;
});
