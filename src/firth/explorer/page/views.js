// The views beside the map: each shows what one address of the server answers.

import { ask, Refusal } from "./api.js";
import { table } from "./csv.js";
import { bars, download, field, h, numbers, svg, whiskers, wordButton, words } from "./dom.js";

const number = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const RUNS = "/neighbors/intervals";
const STABLE = 0.5; // share of the runs in which a word is among the ten nearest
const note = (text) => h("p", { class: "note" }, text);

// A form whose answer is drawn below it; what was typed stays in the state of the page.
function form(app, name, controls, submit, answer, { label = "Show", auto = false } = {}) {
  const output = h("div", { "aria-live": "polite" });
  const run = async () => {
    output.setAttribute("aria-busy", "true");
    try {
      app.set(Object.fromEntries(Object.entries(controls).map(([key, control]) => [`${name}.${key}`, control.type === "checkbox" ? (control.checked ? "1" : "") : control.value])));
      output.replaceChildren(...[await answer(await submit())].flat().filter(Boolean));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      output.replaceChildren(note(error.message));
    }
    output.setAttribute("aria-busy", "false");
  };
  for (const [key, control] of Object.entries(controls)) {
    const kept = app.state[`${name}.${key}`];
    if (kept !== undefined) control.type === "checkbox" ? (control.checked = kept === "1") : (control.value = kept);
  }
  const element = (...fields) => h("form", { onsubmit: (event) => { event.preventDefault(); run(); } }, fields,
    h("div", { class: "row" }, h("button", { class: "main" }, label)));
  if (auto && Object.values(controls).some((control) => ["text", "textarea"].includes(control.type) && control.value)) run();
  return [element, output, run];
}

function chooser(app, path, key) {
  const names = app.able(path);
  const select = h("select", {}, names.map((name) => h("option", { value: name }, name)));
  if (names.includes(app.state[key])) select.value = app.state[key];
  return select;
}

// -- words

// What a model has learned, at a glance: a few words whose neighbours are nearest, among those of middling frequency.
async function first(app) {
  const candidates = app.words.filter((item) => item.length > 4).slice(300, 3000).filter((_, i) => i % 90 === 0);
  const parts = [h("h2", {}, "What the model has learned"), h("p", { class: "soft" },
    "Each dot is a word; words that occur in the same company lie together. Zoom with the wheel, click a word, or find one with /.")];
  if (candidates.length) {
    const { results } = await ask("/neighbors", { model: app.state.model, words: candidates, n: 5, among: 20000 });
    const near = (item) => item.neighbors.reduce((sum, other) => sum + other.similarity, 0);
    const best = results.filter((item) => item.known && item.neighbors.length).sort((first, second) => near(second) - near(first)).slice(0, 6);
    parts.push(h("div", { class: "examples" }, best.map((item) => [wordButton(item.word, (name) => app.open(name)),
      h("span", {}, h("bdi", {}, item.neighbors.map((other) => other.word).join(", ")))])));
  }
  if (!candidates.length) parts.push(h("p", {}, app.words.slice(0, 60).map((item) => [wordButton(item, (name) => app.open(name)), " \u00a0"])));
  const texts = app.vectors.filter((model) => model.answers.includes("/search")).map((model) => model.name);
  if (texts.length) parts.push(h("p", { class: "soft" }, `Maps of texts, in the menu above: ${texts.join(", ")}.`));
  return parts;
}

// The neighbours of a word over several runs, and how to read them.
function overRuns(app, { runs, neighbors }) {
  const unstable = neighbors.filter((item) => item.share < STABLE).length;
  return [whiskers(neighbors, (item) => app.open(item), STABLE), h("p", { class: "soft small legend" },
    h("span", { class: "bar key" }, h("b", {})), ` mean cosine of ${runs} trainings and its 95 % interval; per cent: trainings that have the word among the ten nearest. `,
    unstable ? "Faded, and not marked on the map: fewer than half of them have it, so that another training may show other words."
      : "Half of them or more have each of these.")];
}

async function word(app, { look = false } = {}) {
  const shown = app.state.word;
  if (!shown) {
    app.highlight([], []);
    return first(app);
  }
  const { model } = app.state;
  const answer = app.answers(RUNS) ? await ask(RUNS, { model, word: shown, n: 10 })
    : (await ask("/neighbors", { model, words: [shown], n: 15 })).results[0];
  const parts = [h("h2", {}, h("bdi", {}, shown))];
  if (!answer.known) {
    app.highlight([], []);
    parts.push(note(`The model ${app.state.model} has no vector of this word.`));
    if (answer.suggestions.length) parts.push(h("p", {}, "Did you mean ", answer.suggestions.map((item) => [wordButton(item, (name) => app.open(name)), " "])));
    return parts;
  }
  const row = app.rows.get(shown);
  const facts = [
    app.counts && row !== undefined ? `${app.counts[row].toLocaleString()} times in the text` : null,
    row !== undefined ? `word ${(row + 1).toLocaleString()}${app.mapOf ? ` of ${app.words.length.toLocaleString()}` : ""}` : app.mapOf ? "not among the words of the map" : null,
  ].filter(Boolean);
  parts.push(h("p", { class: "soft small" }, facts.join(" · ")));
  const near = answer.runs ? answer.neighbors.filter((item) => item.share >= STABLE) : answer.neighbors;
  parts.push(h("h3", {}, "Nearest words"), ...(answer.runs ? overRuns(app, answer) : [bars(answer.neighbors.map((item) => [item.word, item.similarity]), (item) => app.open(item))]));
  app.highlight([shown], near.map((item) => item.word), { look });
  for (const model of app.able("/senses")) {
    const { senses } = await ask("/senses", { model, word: shown, n: 6 }).catch(() => ({ senses: [] }));
    if (senses.length) {
      parts.push(h("h3", {}, `Senses (${model})`), h("table", {}, senses.map((sense) => h("tr", {},
        h("td", {}, sense.label ?? `sense ${sense.number + 1}`), h("td", { class: "number" }, `${Math.round(100 * sense.share)} %`),
        h("td", {}, sense.neighbors.filter((item) => item.word !== shown).map((item) => [wordButton(item.word, (name) => app.open(name)), " "]))))));
    }
  }
  if (app.corpus) {
    const inText = await ask("/contexts", { model: app.corpus.name, word: shown, n: 12, width: 7 }).catch(() => null);
    if (inText?.occurrences) {
      parts.push(h("h3", {}, `In the text, ${inText.occurrences.toLocaleString()} times`),
        rows(shown, "context", inText.contexts.map((item) => aligned(`${item.before.join(" ")} `, shown, ` ${item.after.join(" ")}`))),
        h("p", {}, h("button", { type: "button", class: "more", onclick: () => {
          app.set({ view: "contexts", "contexts.query": shown, "contexts.page": "0" }, { step: true });
          app.tabs();
          app.show({ reveal: true });
        } }, "Show all, with files")));
    }
  }
  return parts;
}

// -- every occurrence

function aligned(before, match, after) {
  const left = before.replace(/ $/, "\u00a0"); // a space at the end of a line is not drawn
  return [["before", left], ["match", match], ["after", after]].map(([side, text]) => h("span", { class: side }, h("bdi", {}, text)));
}

// Aligned rows; those of Arabic, Hebrew and other scripts from right to left, what comes before on the right.
function rows(match, name, ...children) {
  return h("div", { class: name, dir: /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(match) ? "rtl" : "ltr" }, children);
}

const PAGE = 50; // occurrences of a page
const SAVED = 1000; // that are asked for at once to be saved
const SORTS = { file: "of the text", left: "by the words before", right: "by the words after" };

function contexts(app) {
  const query = h("input", { type: "text", placeholder: "a word, a phrase, or a pattern: hono*r", spellcheck: false });
  const sort = h("select", {}, Object.entries(SORTS).map(([value, label]) => h("option", { value }, label)));
  const page = h("input", { type: "hidden", value: "0" });
  const asked = (more) => ask("/concordance", { model: app.corpus.name, query: query.value.trim(), sort: sort.value, ...more });
  const [element, output, run] = form(app, "contexts", { query, sort, page }, () => {
    if (!query.value.trim()) throw new Refusal("Give a word, a phrase or a pattern.");
    return asked({ page: Number(page.value) || 0, n: PAGE });
  }, (reply) => {
    const [number, begin] = [Number(page.value) || 0, PAGE * (Number(page.value) || 0)];
    if (!reply.rows.length) return [note(number ? "There is no such page." : `The text has no “${query.value.trim()}”. * stands for any letters, ? for one.`)];
    const turn = (label, next, open) => h("button", { type: "button", disabled: !open, onclick: () => { page.value = String(next); run(); } }, label);
    const forms = reply.forms.length > 1 ? `: ${reply.forms.map((item) => `${item.form} ${item.count.toLocaleString()}`).join(", ")}` : "";
    const pager = [turn("Previous", number - 1, number > 0), turn("Next", number + 1, reply.more)];
    return [
      h("p", { class: "soft small" }, `${(begin + 1).toLocaleString()} to ${(begin + reply.rows.length).toLocaleString()} of ${reply.found.toLocaleString()}${reply.complete ? "" : " or more"} in ${reply.files.toLocaleString()} ${reply.unit}${forms}`),
      reply.notes.map(note),
      reply.found > reply.kept ? note(`The first ${reply.kept.toLocaleString()} in this order have pages and can be saved; firth concordance CORPUS WORD --csv prints all.`) : null,
      h("div", { class: "row" }, pager, h("button", { type: "button", onclick: async (event) => {
        event.target.disabled = true;
        await saved(query.value.trim(), asked).catch((error) => app.say(error));
        event.target.disabled = false;
      } }, "Save all (CSV)")),
      rows(reply.rows[0].match, "context pages", reply.rows.map((row) => {
        const sentence = h("blockquote", { hidden: true, dir: "auto" }, row.sentence);
        return [h("button", { type: "button", class: "word place", title: "Show the sentence", "aria-expanded": "false", onclick: (event) => {
          sentence.hidden = !sentence.hidden;
          event.currentTarget.setAttribute("aria-expanded", String(!sentence.hidden));
        } }, h("bdi", { dir: "ltr" }, `${row.file ? `${row.file}:` : ""}${row.line}`)), aligned(row.before, row.match, row.after), sentence];
      })),
    ].flat();
  }, { auto: true });
  for (const control of [query, sort]) control.addEventListener("change", () => { page.value = "0"; });
  sort.addEventListener("change", () => { if (query.value.trim()) run(); });
  app.highlight([], []);
  return [h("h2", {}, "Contexts"), h("p", { class: "soft" }, "Every occurrence as it is written. Click a file and line for the whole sentence."),
    element(field("Word, phrase or pattern", query), field("Order", sort)), output];
}

async function saved(query, asked) {
  const names = ["file", "line", "before", "match", "after", "sentence"];
  const rows = [names];
  for (let page = 0, more = true; more; page++) {
    const reply = await asked({ page, n: SAVED });
    rows.push(...reply.rows.map((row) => names.map((name) => row[name])));
    more = reply.more;
  }
  download(`${query}.csv`, table(rows), "text/csv");
}

// -- texts of like meaning

async function texts(app, { look = false } = {}) {
  const input = h("textarea", { placeholder: "A question, a sentence, a paragraph", "aria-label": "Text", rows: 3 });
  input.value = app.state.query ?? "";
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    if (input.value.trim()) app.seek(input.value.trim());
  });
  const form = h("form", { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) app.seek(input.value.trim()); } },
    field("Texts whose meaning is near", input), h("div", { class: "row" }, h("button", { class: "main" }, "Find")));
  const top = [h("h2", {}, "Texts"), h("p", { class: "soft" }, "Each dot is a text; texts of like meaning lie together. The menu above has the maps of words."), form];
  const { query, row } = app.state;
  if (query === undefined && row === undefined) {
    app.highlight([], []);
    return top;
  }
  const reply = await ask("/search", { model: app.state.model, n: 20, ...(row === undefined ? { text: query } : { row }) });
  const labels = reply.results.map((item) => app.words[item.row]).filter(Boolean);
  app.highlight(row === undefined ? [] : [app.words[row]].filter(Boolean), labels, { look });
  const column = [...app.columns.values()].find((item) => item.names);
  const label = (position) => (column ? h("small", { class: "soft" }, ` ${column.names[column.values[position]] ?? ""}`) : null);
  return [...top, row === undefined ? null : h("blockquote", { dir: "auto" }, reply.text, label(row)),
    h("h3", {}, row === undefined ? "Nearest texts" : "Texts near it"),
    h("ol", { class: "texts" }, reply.results.map((item) => h("li", {},
      h("button", { type: "button", class: "text", dir: "auto", onclick: () => { app.set({ row: item.row, query: undefined }); app.show({ look: true }); } }, item.text),
      h("span", { class: "number small" }, number(item.similarity, 2)), label(item.row))))];
}

function analogy(app) {
  const [first, second, third] = ["man", "king", "woman"].map((example) => h("input", { type: "text", placeholder: example, spellcheck: false }));
  const [element, output] = form(app, "analogy", { a: first, b: second, c: third }, () => {
    for (const input of [first, second, third]) input.value = app.spelled(input.value.trim());
    const [a, b, c] = [first, second, third].map((input) => input.value);
    if (!a || !b || !c) throw new Refusal("Give three words.");
    return ask("/analogy", { model: app.state.model, positive: [b, c], negative: [a], n: 10 });
  }, (reply) => {
    app.highlight([first.value.trim(), second.value.trim(), third.value.trim(), reply.neighbors[0]?.word].filter(Boolean), reply.neighbors.map((item) => item.word), { look: true });
    return [h("h3", {}, "Is to it as"), bars(reply.neighbors.map((item) => [item.word, item.similarity]), (name) => app.open(name))];
  }, { label: "Complete", auto: true });
  return [h("h2", {}, "Analogy"), h("p", { class: "soft" }, "A is to B as C is to which word? The words nearest to B − A + C."),
    element(field("A", first), field("B", second), field("C", third)), output];
}

function axes(app) {
  const inputs = ["cold, cool", "hot, warm", "small", "large"].map((example) => h("input", { type: "text", placeholder: example, spellcheck: false }));
  const count = h("input", { type: "number", min: 10, max: 50000, value: 500, "aria-label": "words" });
  const [element, output] = form(app, "axes", { a: inputs[0], b: inputs[1], c: inputs[2], d: inputs[3], n: count }, () => {
    const [first, second, third, fourth] = inputs.map((input) => words(input.value).map((item) => app.spelled(item)));
    if (!first.length || !second.length) throw new Refusal("Give words for both poles.");
    return ask("/axes", { model: app.state.model, first, second, third, fourth, n: Math.min(Number(count.value) || 500, app.words.length) });
  }, async (reply) => {
    const two = reply.names.length === 2;
    const cosines = numbers(reply.places, Float32Array);
    const width = reply.names.length;
    const n = cosines.length / width;
    const places = new Float32Array(2 * n);
    for (let i = 0; i < n; i++) {
      places[2 * i] = cosines[width * i];
      places[2 * i + 1] = two ? cosines[2 * i + 1] : ((i * 0.618034) % 1) * 0.6; // one axis: heights only keep labels apart
    }
    app.highlight([], []);
    await app.place(places, two ? `From left to right: ${reply.names[0]}. From bottom to top: ${reply.names[1]}. Cosines.` : `From left to right: ${reply.names[0]}. Heights mean nothing.`, reply.names.flatMap((name) => name.split(" → ")));
    return [reply.missing.length ? note(`Without a vector: ${reply.missing.join(", ")}`) : null, reply.names.map((name, axis) => {
      const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => cosines[width * a + axis] - cosines[width * b + axis]);
      const ends = [order.slice(0, 8), order.slice(-8).reverse()].map((rows) => bars(rows.map((row) => [app.words[row], cosines[width * row + axis]]), (name) => app.open(name)));
      return name.split(" → ").map((pole, end) => [h("h3", {}, `Towards ${pole}`), ends[end]]);
    })].flat(3);
  }, { auto: true });
  return [h("h2", {}, "Semantic axes"), h("p", { class: "soft" }, "Place words between two poles, or two pairs of poles; a pole is one word or several."),
    element(field("From", inputs[0]), field("to", inputs[1]), field("And from (optional)", inputs[2]), field("to", inputs[3]), field("Most frequent words", count)), output];
}

function matrix(app) {
  const input = h("textarea", { placeholder: "monday tuesday red green", spellcheck: false, "aria-label": "Words" });
  if (app.state["matrix.words"] === undefined && app.selection.length) input.value = app.selection.slice(0, 25).join(" ");
  const [element, output, again] = form(app, "matrix", { words: input }, () => {
    const list = [...new Set(words(input.value).map((item) => app.spelled(item)))];
    if (list.length < 2) throw new Refusal("Give two words or more.");
    const intervals = app.answers("/similarity/intervals");
    return ask(intervals ? "/similarity/intervals" : "/similarity", { model: app.state.model, words: list.slice(0, intervals ? 30 : 100) });
  }, async ({ words: given, similarities: all, runs }) => {
    const places = given.map((_, i) => i).filter((i) => all[i][i] !== null);
    const [list, similarities] = [places.map((i) => given[i]), places.map((i) => places.map((j) => all[i][j]))];
    const unknown = given.filter((_, i) => all[i][i] === null);
    app.highlight(list, []);
    const cell = (item, others) => {
      const value = runs ? item?.value ?? null : item;
      const shade = value === null ? 0 : Math.min(Math.max(value, 0), 1);
      const range = runs && others && (item?.low ?? null) !== null ? h("small", {}, `${number(item.low, 2)} to ${number(item.high, 2)}`) : null;
      return h("td", { title: number(value), style: value === null ? {} : { background: `rgba(43, 95, 217, ${0.6 * shade})` } }, value === null ? "" : number(value, 2), range);
    };
    const { results } = unknown.length ? await ask("/neighbors", { model: app.state.model, words: unknown, n: 1 }) : { results: [] };
    const missing = results.map((item) => h("p", { class: "note" }, "No vector of ", h("bdi", {}, item.word),
      item.suggestions?.length ? [": ", item.suggestions.map((name) => [wordButton(name, () => { input.value = input.value.replace(item.word, name); again(); }), " "]), "?"] : ""));
    if (!list.length) return missing;
    return [missing, h("div", { class: "matrix", tabIndex: 0, role: "region", "aria-label": "Cosines" }, h("table", {},
      h("thead", {}, h("tr", {}, h("td"), list.map((item) => h("th", { scope: "col" }, h("bdi", {}, item))))),
      h("tbody", {}, list.map((item, i) => h("tr", {}, h("th", { scope: "row" }, wordButton(item, (name) => app.open(name))), similarities[i].map((item, j) => cell(item, i !== j)))))))].flat();
  }, { auto: true });
  return [h("h2", {}, "Similarities"), h("p", { class: "soft" }, `Cosines of all pairs of a list${app.answers("/similarity/intervals") ? "; below each its 95 % interval over the trainings" : ""}.`), element(field("Words", input)), output];
}

function compare(app) {
  const names = app.able("/changes");
  const [old, young] = [names[0], names[1]].map((name) => h("select", {}, names.map((item) => h("option", { value: item, selected: item === name }, item))));
  const minCount = h("input", { type: "number", min: 1, max: 1000000, value: 50 });
  const [element, output] = form(app, "compare", { old, new: young, minCount }, () => {
    if (old.value === young.value) throw new Refusal("Choose two models.");
    return ask("/changes", { old: old.value, new: young.value, n: 30, min_count: Number(minCount.value) || 1 });
  }, (reply) => {
    app.highlight([], reply.changes.map((item) => item.word));
    return [h("p", {}, `Of ${reply.words.toLocaleString()} words that both models have, a word keeps ${Math.round(100 * reply.kept)} % of its 25 nearest words on average.`),
      reply.kept < 0.35 ? note("That is little: two trainings on like texts differ so, too. Look for words whose neighbours tell a story; rare words move by chance.") : null,
      h("p", { class: "soft small" }, "Changed most (1 − cosine, after one space was turned onto the other); how often each occurs; its nearest words in either."),
      reply.changes.map((item) => h("div", { class: "change" },
        h("p", {}, wordButton(item.word, (name) => app.open(name)), h("span", { class: "soft small" }, ` ${number(item.distance, 2)}${item.counts ? ` · ${item.counts.map((count) => count.toLocaleString()).join(" and ")} times` : ""}`)),
        h("p", { class: "small" }, h("span", { class: "soft" }, `${old.value}: `), h("bdi", {}, item.old.slice(0, 6).join(", "))),
        h("p", { class: "small" }, h("span", { class: "soft" }, `${young.value}: `), h("bdi", {}, item.new.slice(0, 6).join(", ")))))].flat();
  }, { label: "Compare" });
  return [h("h2", {}, "Two models"), h("p", { class: "soft" }, "Which words mean something else in another model: of another time, place or author."),
    element(field("First", old), field("Second", young), field("Minimum count of a word in each", minCount)), output];
}

const PRESETS = {
  "Names and careers (WEAT 6)": "weat-6", "Mathematics, arts and gender (WEAT 7)": "weat-7", "Science, arts and gender (WEAT 8)": "weat-8",
  "Flowers, insects and pleasantness (WEAT 1)": "weat-1", "Instruments, weapons and pleasantness (WEAT 2)": "weat-2",
};

function bias(app) {
  const preset = h("select", {}, h("option", { value: "" }, "own words"), Object.entries(PRESETS).map(([label, test]) => h("option", { value: test }, label)));
  const sets = ["man, he, father, son, male", "woman, she, mother, daughter, female", "science, engineering, mathematics, physics", "art, poetry, music, literature"]
    .map((value) => h("input", { type: "text", value, spellcheck: false }));
  const [element, output] = form(app, "bias", { preset, a: sets[0], b: sets[1], x: sets[2], y: sets[3] }, () => {
    if (preset.value) return ask("/bias", { model: app.state.model, test: preset.value });
    const lists = sets.map((input) => words(input.value).map((item) => app.spelled(item)));
    if (lists.some((list) => !list.length)) throw new Refusal("Give words for all four sets.");
    return ask("/bias", { model: app.state.model, targets: [lists[2], lists[3]], attributes: [lists[0], lists[1]] });
  }, (reply) => [
    h("p", { class: "big" }, number(reply.effect, 2)),
    reply.effect === null ? null : h("p", {}, reply.p !== null && reply.p > 0.05 ? "No association beyond chance."
      : reply.effect > 0 ? "The first targets lie nearer to the first attributes, the second to the second." : "The first targets lie nearer to the second attributes, the second to the first."),
    h("p", { class: "soft" }, `Effect size (Cohen's d), from −2 to 2; 95 % interval ${number(reply.low, 2)} to ${number(reply.high, 2)}; p = ${reply.p === null ? "–" : reply.p.toPrecision(2)}; ${reply.words} words.`),
    reply.missing.length ? note(`Without a vector: ${reply.missing.join(", ")}`) : null, reply.notes.map(note),
    Object.keys(reply.by_word).length ? [h("h3", {}, "By word"), bars(Object.entries(reply.by_word).sort((a, b) => b[1] - a[1]), (name) => app.open(name), 1e-12)] : null,
  ].flat(2), { label: "Measure" });
  return [h("h2", {}, "Bias"), h("p", { class: "soft" }, "Do the first targets go with the first attributes, and the second with the second? (WEAT, Caliskan et al. 2017)"),
    element(field("Test", preset), field("First attributes", sets[0]), field("Second attributes", sets[1]), field("First targets", sets[2]), field("Second targets", sets[3])), output];
}

function selection(app) {
  const chosen = app.selection;
  app.highlight([], chosen);
  const what = app.isOfTexts ? "texts" : "words";
  if (!chosen.length) return [h("h2", {}, "Selection"), h("p", { class: "soft" }, `Hold Shift, or press Lasso, and draw around ${what}.`)];
  return [h("h2", {}, `${chosen.length.toLocaleString()} ${what}`), h("div", { class: "row" },
    h("button", { type: "button", onclick: () => download(`${app.state.model}-${what}.txt`, `${chosen.join("\n")}\n`) }, "Save as a list"),
    app.isOfTexts ? null : h("button", { type: "button", onclick: () => { app.set({ "matrix.words": chosen.slice(0, 25).join(" "), view: "matrix" }); app.tabs(); app.show(); } }, "Compare them")),
  h("p", { class: app.isOfTexts ? "listed" : "" }, chosen.slice(0, 400).map((item) => [wordButton(item, (name) => app.open(name)), " \u00a0"]))];
}

// -- texts

const SPECIAL = { "<unk>": "⟨unknown word⟩", "</s>": "⟨end⟩", "<s>": "⟨start⟩" };

function language(app) {
  const model = chooser(app, "/score", "language.model");
  const text = h("textarea", { placeholder: "A text, or the start of one", "aria-label": "Text" });
  const [temperature, topP, topK, count, length, seed] = [[1, 0, 5, 0.1], [1, 0.01, 1, 0.01], ["", 1, 10000, 1], [3, 1, 16, 1], [40, 1, 500, 1], [0, 0, 4294967295, 1]]
    .map(([value, min, max, step]) => h("input", { type: "number", value, min, max, step }));
  const search = h("select", {}, ["sample", "greedy", "beam"].map((item) => h("option", { value: item }, item)));
  const what = h("select", {}, [["score", "how surprising each word is"], ["next", "which words come next"], ["generate", "how it goes on"]].map(([value, label]) => h("option", { value }, label)));
  const [element, output] = form(app, "language", { model, text, what, temperature, topP, topK, count, length, seed, search }, async () => {
    if (what.value === "score") return ask("/score", { model: model.value, texts: text.value.split("\n").filter((line) => line.trim()).slice(0, 64) });
    if (what.value === "next") return ask("/next", { model: model.value, prompt: text.value, n: 20 });
    const sampled = search.value === "sample";
    return ask("/generate", {
      model: model.value, prompt: text.value, n: search.value === "greedy" ? 1 : Number(count.value), search: search.value, seed: Number(seed.value), max_length: Number(length.value),
      ...(sampled ? { temperature: Number(temperature.value), top_p: Number(topP.value), ...(topK.value ? { top_k: Number(topK.value) } : {}) } : {}),
    });
  }, (reply) => {
    if (reply.texts) return reply.texts.map((item) => h("p", { dir: "auto" }, item));
    if (reply.words) return bars(reply.words.map((item) => [SPECIAL[item.word] ?? item.word, item.probability, `${(100 * item.probability).toFixed(1)} %`]));
    return reply.results.map((item) => [h("p", { class: "soft small" }, `Perplexity ${number(item.perplexity, 1)}. Below each word its surprisal in bits: −log₂ of its probability.`), h("p", { class: "tokens" }, item.tokens.map((token, i) => {
      const bits = item.log_probs[i] === null ? Infinity : -item.log_probs[i] / Math.LN2;
      const shade = Math.min(bits / 16, 1);
      return h("span", { class: "token", title: `${bits.toFixed(1)} bits`, style: { background: `rgba(226, 88, 34, ${0.75 * shade})` } }, h("bdi", {}, SPECIAL[token] ?? token), h("small", {}, bits.toFixed(1)));
    }))]).flat();
  });
  const controls = h("details", {}, h("summary", {}, "How it is generated"), h("div", { class: "row" }, [["Search", search], ["Temperature", temperature], ["Top p", topP], ["Top k", topK], ["Texts", count], ["Length", length], ["Seed", seed]].map(([label, control]) => field(label, control))));
  const generates = () => { controls.hidden = what.value !== "generate"; };
  what.addEventListener("change", generates);
  generates();
  return [h("h2", {}, "Language model"), element(field("Model", model), field("Text", text), field("Show", what), controls), output];
}

function classify(app) {
  const model = chooser(app, "/classify", "classify.model");
  const text = h("textarea", { placeholder: "A text to label", "aria-label": "Text" });
  const [element, output] = form(app, "classify", { model, text }, async () => {
    if (!text.value.trim()) throw new Refusal("Give a text.");
    const [labels] = (await ask("/classify", { model: model.value, texts: [text.value.replaceAll("\n", " ")], n: 10 })).results;
    const explanation = app.able("/explain").includes(model.value) ? await ask("/explain", { model: model.value, text: text.value.replaceAll("\n", " ") }).catch(() => null) : null;
    return { labels, explanation };
  }, ({ labels, explanation }) => {
    const most = explanation ? Math.max(...explanation.tokens.map((item) => Math.abs(item.score)), 1e-12) : 1;
    return [bars(labels.map((item) => [item.label, item.probability, `${(100 * item.probability).toFixed(1)} %`])),
      explanation && [h("h3", {}, `Where “${explanation.target}” comes from`), h("p", { class: "tokens" }, explanation.tokens.map((item) => h("span", {
        class: "token", title: item.score.toFixed(4), style: { background: item.score > 0 ? `rgba(46, 160, 67, ${(0.7 * item.score) / most})` : `rgba(218, 54, 51, ${(-0.7 * item.score) / most})` },
      }, h("bdi", {}, item.token))))]].flat().filter(Boolean);
  }, { label: "Label" });
  return [h("h2", {}, "Classifier"), element(field("Model", model), field("Text", text)), output];
}

function arcs(sentence) {
  const { words: tokens, heads, relations, tags } = sentence;
  const widths = tokens.map((token, i) => Math.max(40, 8 * Math.max(token.length, tags?.[i]?.length ?? 0) + 18));
  const centres = widths.map((width, i) => widths.slice(0, i).reduce((sum, item) => sum + item, 0) + width / 2);
  const total = widths.reduce((sum, item) => sum + item, 0);
  const spans = heads.map((head, i) => (head > 0 ? Math.abs(head - 1 - i) : 0));
  const height = 30 + 17 * Math.min(Math.max(...spans, 1), 9);
  const picture = svg("svg", { width: total, height: height + 48, viewBox: `0 0 ${total} ${height + 48}`, role: "img", "aria-label": `Tree of: ${tokens.join(" ")}` });
  heads.forEach((head, i) => {
    const to = centres[i];
    if (head === 0) {
      picture.append(svg("path", { d: `M${to},4 L${to},${height - 4}` }));
      return;
    }
    const from = centres[head - 1] + (i > head - 1 ? 6 : -6);
    const top = height - 6 - 17 * Math.min(spans[i], 9);
    picture.append(svg("path", { d: `M${from},${height} C${from},${top} ${to},${top} ${to},${height - 4}` }), svg("path", { d: `M${to - 3},${height - 8} L${to},${height - 2} L${to + 3},${height - 8}` }));
    const label = svg("text", { x: (from + to) / 2, y: top + (height - top) * 0.25 - 3, "text-anchor": "middle", class: "relation" });
    label.textContent = relations?.[i] ?? "";
    picture.append(label);
  });
  tokens.forEach((token, i) => {
    const label = svg("text", { x: centres[i], y: height + 16, "text-anchor": "middle" });
    label.textContent = token;
    const tag = svg("text", { x: centres[i], y: height + 34, "text-anchor": "middle", class: "relation" });
    tag.textContent = tags?.[i] ?? "";
    picture.append(label, tag);
  });
  return h("div", { class: "arcs", tabIndex: 0, role: "region", "aria-label": "Tree" }, picture);
}

function annotate(app) {
  const text = h("textarea", { placeholder: "A text", "aria-label": "Text" });
  const [element, output] = form(app, "annotate", { text }, () => {
    if (!text.value.trim()) throw new Refusal("Give a text.");
    return ask("/annotate", { texts: [text.value] });
  }, ({ documents: [document], models }) => {
    const parts = [h("p", { class: "soft small" }, `by ${models.join(", ")}`)];
    const entities = new Map();
    for (const [start, end, kind] of document.entities ?? []) for (let i = start; i < end; i++) entities.set(i, kind);
    const chains = new Map();
    (document.clusters ?? []).forEach((cluster, k) => cluster.forEach(([start, end]) => { for (let i = start; i < end; i++) chains.set(i, k + 1); }));
    let position = 0;
    for (const sentence of document.sentences) {
      parts.push(h("p", { class: "tokens" }, sentence.words.map((token, i) => {
        const [kind, chain] = [entities.get(position + i), chains.get(position + i)];
        return h("span", { class: kind || chain ? "token entity" : "token" }, h("bdi", {}, token), h("small", {}, [kind, chain && `chain ${chain}`, !sentence.heads && sentence.tags?.[i]].filter(Boolean).join(" ")));
      })));
      if (sentence.heads) parts.push(arcs(sentence));
      position += sentence.words.length;
    }
    return parts;
  }, { label: "Annotate" });
  return [h("h2", {}, "Annotation"), element(field("Text", text)), output];
}

function rewriting(path, title, label) {
  return (app) => {
    const model = chooser(app, path, `${title}.model`);
    const text = h("textarea", { placeholder: "A text", "aria-label": "Text" });
    const beam = h("input", { type: "number", value: 5, min: 1, max: 16 });
    const [element, output] = form(app, title, { model, text, beam }, () => {
      if (!text.value.trim()) throw new Refusal("Give a text.");
      return ask(path, { model: model.value, texts: path === "/translate" ? text.value.split("\n").filter((line) => line.trim()) : [text.value], beam: Number(beam.value), attention: true });
    }, (reply) => reply.texts.map((item, i) => [h("p", { dir: "auto" }, item), reply.attention?.[i] ? attention(reply.attention[i]) : null]).flat().filter(Boolean), { label });
    return [h("h2", {}, title), element(field("Model", model), field("Text", text), field("Beams", beam)), output];
  };
}

function attention({ source, target, weights }) {
  return h("div", { class: "matrix", tabIndex: 0, role: "region", "aria-label": "Attention" }, h("table", {},
    h("thead", {}, h("tr", {}, h("td"), source.map((token) => h("th", { scope: "col" }, h("bdi", {}, token))))),
    h("tbody", {}, target.map((token, i) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, token)), source.map((_, j) =>
      h("td", { title: number(weights[i]?.[j], 2), style: { background: `rgba(43, 95, 217, ${weights[i]?.[j] ?? 0})` } })))))));
}

function answer(app) {
  const model = chooser(app, "/answer", "answer.model");
  const question = h("input", { type: "text", placeholder: "A question" });
  const paragraph = h("textarea", { placeholder: "A paragraph that answers it", "aria-label": "Paragraph" });
  const [element, output] = form(app, "answer", { model, question, paragraph }, () => {
    if (!question.value.trim() || !paragraph.value.trim()) throw new Refusal("Give a question and a paragraph.");
    return ask("/answer", { model: model.value, question: question.value, paragraph: paragraph.value, n: 5 });
  }, ({ answers }) => {
    const [best] = answers;
    const letters = [...paragraph.value]; // places are counted in characters
    return [h("p", {}, letters.slice(0, best.start).join(""), h("mark", {}, letters.slice(best.start, best.end).join("")), letters.slice(best.end).join("")),
      bars(answers.map((item) => [item.text || "no answer", item.probability, `${(100 * item.probability).toFixed(1)} %`]))];
  }, { label: "Answer" });
  return [h("h2", {}, "Questions"), element(field("Model", model), field("Question", question), field("Paragraph", paragraph)), output];
}

function substitutes(app) {
  const model = chooser(app, "/substitutes", "substitutes.model");
  const text = h("input", { type: "text", placeholder: "she is a very [] student" });
  const [element, output] = form(app, "substitutes", { model, text }, () => {
    if (!text.value.includes("[]")) throw new Refusal("Put [] where a word is missing.");
    return ask("/substitutes", { model: model.value, text: text.value, n: 15 });
  }, ({ neighbors }) => bars(neighbors.map((item) => [item.word, item.similarity])));
  return [h("h2", {}, "Words that fit"), element(field("Model", model), field("Sentence", text)), output];
}

function about(app) {
  return [h("h2", {}, "Models"), app.info.models.map((model) => [h("h3", {}, model.name), h("p", { class: "small" }, model.description),
    model.scores.length ? h("table", {}, h("thead", {}, h("tr", {}, ["set", "metric", "value", "95 % interval"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, model.scores.map((score) => h("tr", {}, h("td", {}, score.set), h("td", {}, score.metric), h("td", { class: "number" }, number(score.value)), h("td", {}, score.low === null ? "" : `${number(score.low)} to ${number(score.high)}`))))) : null]),
  h("p", { class: "soft small" }, `firth ${app.info.version}. Nothing leaves this machine.`)].flat(2);
}

const can = (path) => (app) => app.able(path).length > 0;
const onMap = (path) => (app) => app.answers(path);

export const VIEWS = [
  { name: "word", label: "Word", shown: onMap("/neighbors"), render: word, marks: true },
  { name: "texts", label: "Texts", shown: onMap("/search"), render: texts, marks: true },
  { name: "contexts", label: "Contexts", shown: (app) => Boolean(app.corpus), render: contexts, wide: true },
  { name: "analogy", label: "Analogy", shown: onMap("/analogy"), render: analogy },
  { name: "axes", label: "Axes", shown: onMap("/axes"), render: axes, places: true },
  { name: "matrix", label: "Similarities", shown: onMap("/similarity"), render: matrix },
  { name: "compare", label: "Two models", shown: (app) => !app.isOfTexts && app.able("/changes").length > 1, render: compare },
  { name: "bias", label: "Bias", shown: onMap("/bias"), render: bias },
  { name: "selection", label: "Selection", shown: (app) => app.vectors.length > 0, render: selection, marks: true },
  { name: "language", label: "Language model", shown: can("/score"), render: language },
  { name: "classify", label: "Classifier", shown: can("/classify"), render: classify },
  { name: "annotate", label: "Annotation", shown: can("/annotate"), render: annotate },
  { name: "translate", label: "Translation", shown: can("/translate"), render: rewriting("/translate", "Translation", "Translate") },
  { name: "summarize", label: "Summary", shown: can("/summarize"), render: rewriting("/summarize", "Summary", "Summarize") },
  { name: "answer", label: "Questions", shown: can("/answer"), render: answer },
  { name: "substitutes", label: "Words that fit", shown: can("/substitutes"), render: substitutes },
  { name: "about", label: "About", shown: () => true, render: about },
];
