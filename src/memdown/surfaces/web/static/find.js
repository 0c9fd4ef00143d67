// Searching the pages of an export, from a disk as well: the data are scripts, of which those are loaded that a question needs.
"use strict";
(() => {
  const form = document.querySelector("#ask"), box = document.querySelector("#q"), place = document.querySelector("#results");
  if (!form || !box || !place) return;
  const listed = [...place.childNodes]; // what the page shows without a question
  const SIZE = 25, MOST = 12, DAY = 719163; // the number of 1970-01-01
  const waiting = new Map();
  window.memdownTake = (name, data) => waiting.get(name)?.take(data);
  const load = (name) => {
    if (!waiting.has(name)) {
      const held = {};
      held.data = new Promise((take, fail) => {
        held.take = take;
        const script = document.createElement("script");
        script.src = `${form.dataset.folder}/${name}.js`;
        script.onerror = () => { waiting.delete(name); fail(new Error(script.src)); };
        document.head.append(script);
      });
      waiting.set(name, held);
    }
    return waiting.get(name).data;
  };

  // The question: words, "phrases" as their words, begin*, -not, and filters.
  const fold = (text) => text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
  const pieces = (text) => (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    const letters = [...word];
    return unspaced.test(word) && letters.length > 2 ? letters.slice(1).map((letter, at) => letters[at] + letter) : [word];
  });
  const parse = (text, index) => {
    const asked = { words: [], not: [], filters: [], problem: "" };
    for (const [, no, name, quoted, bare] of text.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/giu)) {
      const value = quoted ?? bare ?? "", filter = name?.toLowerCase();
      if (!filter) {
        const last = quoted === undefined && (bare.endsWith("*") || text.trimEnd().endsWith(bare));
        const found = pieces(value).map((word) => ({ word, begins: last && word.length > 1 }));
        (no ? asked.not : asked.words).push(...found);
        continue;
      }
      const fits = condition(filter === "type" ? "kind" : filter === "since" ? "after" : filter, value, index);
      if (typeof fits === "string") asked.problem = fits;
      else asked.filters.push(no ? (at) => !fits(at) : fits);
    }
    return asked;
  };
  const condition = (name, value, index) => {
    if (name in index.columns) {
      const { values, of } = index.columns[name], wanted = fold(value);
      const right = new Set(values.flatMap((each, number) => (fold(each) === wanted ? [number] : [])));
      return (at) => (Array.isArray(of[at]) ? of[at].some((each) => right.has(each)) : right.has(of[at]));
    }
    if (name === "after" || name === "before") {
      const age = /^(\d{1,5})([dw])$/i.exec(value), then = Date.parse(value + (value.length === 7 ? "-01" : "") + "T00:00:00Z");
      const day = age ? index.today - age[1] * (age[2].toLowerCase() === "w" ? 7 : 1) : then / 86400000 + DAY;
      if (Number.isNaN(day)) return `“${value}” is not a date; write ${name}:2026-01-31 or ${name}:30d.`;
      return name === "after" ? (at) => index.days[at] >= day : (at) => index.days[at] > 0 && index.days[at] <= day;
    }
    if (name === "is" && value === "superseded") return (at) => index.over[at] & 1;
    if (name === "is" && value === "expired") return (at) => index.over[at] & 2;
    if (name === "is" && value === "undated") return (at) => !index.days[at];
    return `“${name}:${value}” cannot be asked in a report; ${Object.keys(index.columns).join(":, ")}:, after:, before:, is:superseded, is:expired and is:undated can.`;
  };

  // Which records have a word, and whether their titles do.
  const numbers = (steps) => {
    let at = -1;
    return steps === "-" ? [] : steps.split(",").map((each) => (at += 1 + (each ? parseInt(each, 16) : 0)));
  };
  const having = async ({ word, begins }, index) => {
    let from = 0;
    while (from + 1 < index.words.length && index.words[from + 1] <= word) from++;
    let to = from;
    while (begins && to + 1 < index.words.length && index.words[to + 1].startsWith(word)) to++;
    const found = new Map();
    for (let number = from; number <= to && index.words.length; number++) {
      const held = await load(`words-${number}`);
      for (const each of begins ? Object.keys(held).filter((other) => other.startsWith(word)) : Object.hasOwn(held, word) ? [word] : []) {
        held[each].forEach((steps, part) => numbers(steps).forEach((at) => found.set(at, Math.max(found.get(at) ?? 0, part ? 1 : 3))));
      }
    }
    return found;
  };
  const answer = async (text, index) => {
    const asked = parse(text, index), common = new Set(index.common), left = [];
    const known = index.days.length;
    let scores = null, note = "";
    const ranked = asked.words.filter((each) => !common.has(each.word) || (left.push(each.word), false));
    if (ranked.length) {
      const each = await Promise.all(ranked.map((one) => having(one, index)));
      const sums = new Map(), counts = new Map();
      each.forEach((found) => {
        const weight = Math.log(1 + known / (1 + found.size));
        found.forEach((score, at) => { sums.set(at, (sums.get(at) ?? 0) + score * weight); counts.set(at, (counts.get(at) ?? 0) + 1); });
      });
      scores = new Map([...sums].filter(([at]) => counts.get(at) === each.length));
      if (!scores.size && sums.size && each.length > 1) { scores = sums; note = "No record has all of these words; these have some."; }
    }
    const without = await Promise.all(asked.not.map((one) => having({ ...one, begins: false }, index)));
    const all = scores ? [...scores.keys()] : [...Array(known).keys()];
    const fitting = all.filter((at) => asked.filters.every((fits) => fits(at)) && !without.some((found) => found.has(at)));
    const worth = (at) => (scores.get(at) ?? 0) * (index.over[at] ? 0.5 : 1);
    if (scores) fitting.sort((one, two) => worth(two) - worth(one) || one - two);
    return { fitting, left, note: asked.problem || note, words: asked.words, problem: asked.problem };
  };

  // What is shown.
  const make = (tag, given = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const marked = (text, words) => {
    const wanted = words.map(({ word }) => word).filter((word) => word.length > 1);
    return text.split(/([\p{L}\p{N}]+)/u).map((piece, at) => (at % 2 && wanted.some((word) => fold(piece).startsWith(word)) ? make("mark", {}, piece) : piece));
  };
  const names = (name, at, index) => [index.columns[name].of[at]].flat().map((each) => index.columns[name].values[each]);
  const written = (day) => new Date((day - DAY) * 86400000).toISOString().slice(0, 10);
  const entry = async (at, index, words) => {
    const [title, page, where, text] = (await load(`rows-${Math.floor(at / index.rows)}`))[at % index.rows];
    const meta = make("p", { class: "meta" }, make("span", { class: "kind" }, names("kind", at, index)[0]), " ");
    meta.append(index.days[at] ? make("time", { datetime: written(index.days[at]) }, written(index.days[at])) : make("span", {}, "no date"), " ");
    names("author", at, index).forEach((each) => meta.append(make("span", { class: "who" }, each), " "));
    names("status", at, index).forEach((each) => meta.append(make("span", {}, each), " "));
    if (index.over[at] & 1) meta.append(make("span", { class: "flag" }, "superseded"), " ");
    if (index.over[at] & 2) meta.append(make("span", { class: "flag" }, "expired"), " ");
    meta.append(make("span", { class: "place" }, where));
    return make("li", { class: index.over[at] ? "entry over" : "entry" }, make("a", { class: "entry-title", "data-row": "", href: page }, ...marked(title, words)), meta,
      ...(text ? [make("p", { class: "snippet" }, ...marked(text, words))] : []));
  };
  const address = (text) => "#q=" + encodeURIComponent(text);
  const facets = (text, fitting, index) => Object.entries(index.columns).flatMap(([name, { values, of }]) => {
    const counts = new Map();
    fitting.forEach((at) => [of[at]].flat().forEach((each) => counts.set(each, (counts.get(each) ?? 0) + 1)));
    const most = [...counts].sort((one, two) => two[1] - one[1] || one[0] - two[0]).slice(0, MOST);
    if (!most.length) return [];
    return [make("section", {}, make("h2", {}, name), make("ul", { class: "facets" }, ...most.map(([each, count]) => {
      const term = `${name}:${/[\s"]/.test(values[each]) ? `"${values[each]}"` : values[each]}`;
      const chosen = text.includes(term);
      const next = chosen ? text.replace(term, "").replace(/\s+/g, " ").trim() : `${text} ${term}`.trim();
      const link = make("a", { href: address(next), ...(chosen ? { "aria-current": "true", title: "Remove this filter" } : {}) }, values[each]);
      return make("li", {}, link, " ", make("span", { class: "figure" }, count.toLocaleString("en")));
    })))];
  });
  let turn = 0, shown = SIZE;
  const show = async () => {
    const text = box.value.trim(), mine = ++turn;
    let index;
    try {
      index = await load("index");
      const found = await answer(text, index);
      const rows = text ? await Promise.all(found.fitting.slice(0, shown).map((at) => entry(at, index, found.words))) : [];
      if (mine !== turn) return;
      const aside = make("aside", { "aria-label": "Narrow down" }, ...facets(text, found.fitting, index));
      if (!text) { place.replaceChildren(...listed, aside); return; }
      const many = found.fitting.length, section = make("section", { "aria-label": "Results" });
      if (found.note) section.append(make("p", { class: "notice", role: "status" }, found.note));
      const said = [`${many.toLocaleString("en")} ${many === 1 ? "record" : "records"}`];
      if (found.left.length) said.push(`too common to rank by: ${found.left.join(", ")}`);
      if (index.total > index.days.length) said.push(`the newest ${index.days.length.toLocaleString("en")} were searched`);
      section.append(make("p", { class: "quiet", role: "status" }, said.join(" · ")), make("ol", { class: "entries results" }, ...rows));
      if (many > shown) {
        const more = make("button", { type: "button" }, "Show more");
        more.addEventListener("click", () => { shown += 4 * SIZE; show(); });
        section.append(more);
      }
      place.replaceChildren(section, aside);
    } catch (error) {
      if (mine === turn) place.replaceChildren(make("p", { class: "notice", role: "status" }, `A file of this report cannot be read: ${error.message}`), ...listed);
    }
  };
  const fromAddress = () => {
    box.value = decodeURIComponent((/^#q=(.*)$/s.exec(location.hash) ?? ["", ""])[1].replace(/%(?![0-9a-f]{2})/gi, "%25"));
    shown = SIZE;
    show();
  };
  let timer = 0;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { shown = SIZE; history.replaceState(null, "", address(box.value.trim())); show(); }, 120);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", fromAddress);
  for (const each of [form, document.querySelector("#language")]) each.hidden = false;
  fromAddress();
})();
