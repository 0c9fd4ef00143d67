// Keys, live changes and what else makes a page quicker. Every page can be read without it.
"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const typing = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");

  // Rows: arrows or j and k go from one to the next, Enter opens as for any link.
  const rows = () => all("[data-row]").filter((row) => row.offsetParent !== null);
  const step = (by) => {
    const found = rows();
    if (!found.length) return false;
    const at = found.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : found.length - 1) : at + by;
    if (next < 0) { one("#q, #find")?.focus(); return true; }
    found[Math.min(next, found.length - 1)].focus();
    return true;
  };
  let going = 0;
  const menu = one(".top nav"), here = one("[aria-current]", menu ?? document); // on a narrow screen it may be out of sight
  if (menu && here) menu.scrollLeft = here.offsetLeft - menu.offsetLeft - (menu.clientWidth - here.offsetWidth) / 2;
  const help = one("#help"), button = one("#keys");
  if (button) { button.hidden = false; button.addEventListener("click", () => help.showModal()); }

  const find = one(".find[data-page]"); // in an export, which has no server to ask
  if (find) {
    find.hidden = false;
    find.addEventListener("submit", (event) => {
      event.preventDefault();
      location.href = find.dataset.page + "#q=" + encodeURIComponent(one("#find").value.trim());
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help?.open) return;
    const box = one("#q") ?? one("#find");
    if (document.activeElement === box && box) {
      if (event.key === "ArrowDown" && !one("#completions option")) { if (step(1)) event.preventDefault(); }
      if (event.key === "Escape") box.blur();
      if (event.key === "Enter" && box.id === "q") {
        event.preventDefault();
        const first = rows()[0];
        if (first && !one(".htmx-request")) first.click();
      }
      return;
    }
    if (typing()) return;
    const page = Date.now() - going < 1200 && all("[data-key]").find((link) => link.dataset.key === event.key);
    if (page) { event.preventDefault(); page.click(); return; }
    switch (event.key) {
      case "/": if (box) { event.preventDefault(); box.focus(); box.select(); } break;
      case "?": if (help) { event.preventDefault(); help.showModal(); } break;
      case "g": going = Date.now(); break;
      case "j": case "ArrowDown": if (!event.target.closest?.(".card, .wide, .diff") && step(1)) event.preventDefault(); break;
      case "k": case "ArrowUp": if (!event.target.closest?.(".card, .wide, .diff") && step(-1)) event.preventDefault(); break;
    }
  });

  // Completion of the query language, by the browser's own list.
  const query = one("#q"), offered = one("#completions");
  if (query && offered && document.body.dataset.live) {
    let asked = "";
    query.addEventListener("input", async () => {
      const text = query.value, last = text.split(" ").pop();
      asked = text;
      if (!/^[-+(]?[a-z]+:/i.test(last)) { offered.replaceChildren(); return; }
      const answer = await fetch("/complete?" + new URLSearchParams({ q: text })).catch(() => null); // the server may be away
      const options = await answer?.text();
      if (answer?.ok && asked === text) {
        const found = new DOMParser().parseFromString(options, "text/html");
        offered.replaceChildren(...all("option", found).filter((option) => option.value !== text));
      }
    });
  }

  // The board: a task is dragged to a column, or moved by [ and ] when it has the focus.
  const order = () => all(".lane").map((lane) => lane.dataset.column);
  const move = (card, to) => one(`button[value="${to}"]`, card)?.click();
  let dragged = null;
  const allowed = (lane) => dragged?.dataset.to.split(" ").includes(lane?.dataset.column);
  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".card[draggable]");
    if (!dragged) return;
    event.dataTransfer.setData("text/plain", dragged.id);
    event.dataTransfer.effectAllowed = "move";
    dragged.classList.add("moving");
    all(".lane").forEach((lane) => lane.classList.toggle("open", allowed(lane)));
  });
  document.addEventListener("dragend", () => {
    dragged?.classList.remove("moving");
    dragged = null;
    all(".lane").forEach((lane) => lane.classList.remove("open"));
  });
  document.addEventListener("dragover", (event) => {
    if (allowed(event.target.closest?.(".lane"))) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const lane = event.target.closest?.(".lane");
    if (!allowed(lane)) return;
    event.preventDefault();
    move(dragged, lane.dataset.column);
  });
  document.addEventListener("keydown", (event) => {
    const card = document.activeElement?.closest?.(".card");
    if (!card || typing() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "[" || event.key === "]") {
      const columns = order(), at = columns.indexOf(card.closest(".lane").dataset.column);
      const open = (card.dataset.to ?? "").split(" ");
      const beside = event.key === "]" ? columns.slice(at + 1) : columns.slice(0, at).reverse();
      const to = beside.find((column) => open.includes(column));
      if (to) { event.preventDefault(); move(card, to); }
      return;
    }
    if (!event.key.startsWith("Arrow")) return;
    const lanes = all(".lane").map((lane) => all(".card[tabindex]", lane));
    const column = lanes.findIndex((cards) => cards.includes(card));
    if (column < 0) return;
    const row = lanes[column].indexOf(card);
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0, down = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0;
    let next = lanes[column][row + down];
    if (across) {
      let other = column + across;
      while (lanes[other] && !lanes[other].length) other += across;
      next = lanes[other]?.[Math.min(row, lanes[other].length - 1)];
    }
    if (next) { event.preventDefault(); next.focus(); }
  });

  // Live: when memory changes on the disk, the page is fetched again and put in place, unless somebody is using what is there.
  const status = one("#live");
  const whisper = (text) => status?.replaceChildren(Object.assign(document.createElement("span"), { className: "unseen", textContent: text })); // to who cannot see it
  document.addEventListener("htmx:afterSwap", () => { // what comes with its own status is not read out
    const found = one("#results [role=status]")?.textContent.trim();
    if (found && (!status.textContent || one(".unseen", status))) whisper(found);
  });
  if (document.body.dataset.live >= 0 && window.EventSource) { // below is the answer to a form, which cannot be asked for again
    let timer = 0;
    let asking = null; // one fetch at a time: of two, an older answer might come last
    let leaving = 0; // when a form was sent: its answer is the page to come, and this one may be gone on the server
    addEventListener("submit", (event) => {
      if (event.defaultPrevented) return;
      leaving = Date.now();
      asking?.abort();
    });
    let pressed = false;
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) addEventListener(name, (event) => { pressed = event.buttons > 0; }, { capture: true, passive: true });
    addEventListener("dragend", () => { pressed = false; }, true);
    const later = (wait = 300) => { clearTimeout(timer); timer = setTimeout(refresh, wait); };
    const searching = () => document.activeElement?.id === "q" && one("#results"); // what is below the box is put in place alone
    const inUse = (main) => one("dialog[open]") || main.contains(document.activeElement) && typing() && !searching() || one("details[open] textarea")
      || !getSelection().isCollapsed && getSelection().containsNode(main, true) || one("#chart.zoomed, #day:not(:empty)");
    const offer = () => {
      if (one("button", status)) return;
      const again = Object.assign(document.createElement("button"), { type: "button", textContent: "Memory changed: reload" });
      again.className = "plain";
      again.addEventListener("click", () => location.reload());
      status.replaceChildren(again);
    };
    const waits = () => { // what begins while an answer is on its way is not taken from anybody's hands either
      if (pressed || dragged) { later(); return true; }
      if (inUse(one("#main"))) { offer(); later(); return true; }
      if (Date.now() - leaving < 30000) { later(1000); return true; } // longer only if somebody stopped it
      return false;
    };
    const refresh = async () => {
      if (asking) return later();
      if (waits()) return;
      asking = new AbortController();
      const asked = location.href;
      let answer, text;
      try {
        answer = await fetch(asked, { headers: { accept: "text/html" }, signal: asking.signal });
        text = await answer.text();
      } catch { // the server is away; when it comes back, there may be no other change that asks again
        return later(3000);
      } finally {
        asking = null;
      }
      if (answer.status >= 500) {
        status.textContent = "Not up to date: memory cannot be read.";
        return later(3000);
      }
      if (waits()) return;
      if (location.href !== asked || one(".htmx-request")) return later(); // somebody went on typing
      const found = new DOMParser().parseFromString(text, "text/html");
      if (one("#main", found)) put(found);
    };
    // What has the focus is found again by its id or its address, else by its place in what has an id.
    const place = (element) => {
      const around = element?.closest?.("#main [id]"), href = element?.getAttribute?.("href");
      return { around: around?.id, href, at: around ? all("a, button, summary, [tabindex]", around).indexOf(element) : -1 };
    };
    const focusAgain = ({ around, href, at }, main) => {
      const parent = around && document.getElementById(around);
      const links = href ? all("a[href]", parent ?? main).filter((link) => link.getAttribute("href") === href) : [];
      (links[0] ?? (at < 0 ? parent : parent && all("a, button, summary, [tabindex]", parent)[at] || parent))?.focus({ preventScroll: true });
    };
    const put = (found) => {
      const part = searching() && one("#results", found) ? "#results" : "#main";
      const main = one(part), fresh = one(part, found);
      const focused = main.contains(document.activeElement) && document.activeElement !== main ? place(document.activeElement) : null;
      const opened = new Set(all("details[open] > summary", main).map((summary) => summary.textContent));
      for (const part of all("[data-later]", fresh)) { // it comes by itself; until then the page does not jump
        const before = document.getElementById(part.id);
        if (before) part.replaceChildren(...before.childNodes);
      }
      const at = scrollY;
      main.replaceChildren(...fresh.childNodes);
      document.title = found.title;
      for (const summary of all("details > summary", main)) if (opened.has(summary.textContent)) summary.parentElement.open = true;
      window.htmx?.process(main);
      document.dispatchEvent(new Event("fresh"));
      if (focused) focusAgain(focused, main);
      scrollTo({ top: at, behavior: "instant" });
      whisper("Updated.");
    };
    let told = document.body.dataset.live, events = null, pause = 0;
    const rest = (wait) => { // a browser has few connections to a server, for all its tabs
      clearTimeout(pause);
      events?.close();
      if (wait) pause = setTimeout(listen, wait);
    };
    const listen = () => {
      rest();
      if (document.hidden) return;
      const stream = events = new EventSource("/events?since=" + told); // what changed since this page was made is told at once
      stream.addEventListener("changed", (event) => { told = event.lastEventId; later(200); });
      stream.addEventListener("later", () => rest(2000)); // it is the turn of another tab
      stream.addEventListener("error", () => {
        status.textContent = "Not up to date: memdown web does not answer.";
        if (stream.readyState === EventSource.CLOSED) rest(3000);
      });
      stream.addEventListener("open", () => { if (!one("button", status)) status.textContent = ""; });
    };
    listen();
    if (one("[data-again]")) later(3000); // memory cannot be read, perhaps only while a file is being written
    document.addEventListener("htmx:responseError", (event) => { if (event.detail.xhr.status >= 500) later(3000); });
    document.addEventListener("visibilitychange", listen);
    addEventListener("pagehide", () => rest());
    addEventListener("pageshow", (event) => { leaving = 0; if (event.persisted) listen(); });
  }
})();
