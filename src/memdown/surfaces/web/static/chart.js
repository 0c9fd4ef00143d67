// The picture of the timeline, to zoom into. Without it, the page shows the same as a plain picture.
"use strict";
(() => {
  const DAY = 86400;
  const DATES = [[DAY * 365, "{YYYY}", null, null, null, null, null, null, 1], [DAY * 28, "{MMM}", "\n{YYYY}", null, null, null, null, null, 1], [DAY, "{MMM} {D}", "\n{YYYY}", null, null, null, null, null, 1]];
  const draw = () => {
    const figure = document.querySelector("#chart");
    if (!figure || !window.uPlot) return null;
    const { days, kinds, rows } = JSON.parse(figure.dataset.series);
    if (days.length < 2) return null;
    const times = days.map((day) => Date.parse(day + "T12:00:00Z") / 1000);
    const colour = (number) => getComputedStyle(figure.querySelector(".kind-" + number) ?? figure).fill;
    const ink = getComputedStyle(document.body);
    const token = (name) => ink.getPropertyValue(name).trim() || getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    // Stacked: each row is drawn over the sum of itself and those below it, the tallest first.
    const sums = rows.map((row, number) => row.map((_, at) => rows.slice(0, number + 1).reduce((sum, other) => sum + other[at], 0)));
    const drawn = document.createElement("div");
    const colours = kinds.map((_, number) => colour(number));
    const bars = uPlot.paths.bars({ size: [0.8, 26], align: 0 });
    const small = Math.round(parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.78); // uPlot reads whole ones only
    const axis = { font: `${small}px ${ink.fontFamily}`,  stroke: token("--soft"), grid: { stroke: token("--line"), width: 1 }, ticks: { show: false } };
    const day = document.querySelector("#day");
    let shown = "", wait = 0;
    const tell = (chart) => {
      const at = chart.cursor.idx;
      if (at == null || !document.body.dataset.live) return;
      const asked = new URLSearchParams({ q: figure.dataset.asked, first: days[at], last: days[at] }).toString();
      if (asked === shown) return;
      shown = asked;
      clearTimeout(wait);
      wait = setTimeout(async () => {
        const answer = await fetch("/day?" + asked).catch(() => null); // the server may be away
        if (answer?.ok && asked === shown) {
          const found = new DOMParser().parseFromString(await answer.text(), "text/html");
          day.replaceChildren(...found.body.childNodes);
        }
      }, 120);
    };
    const size = () => ({ width: figure.clientWidth, height: Math.max(180, Math.min(420, innerHeight * 0.3)) });
    let whole = null; // what is shown before anybody zooms in; a page is not replaced while somebody looks closer
    const mark = (chart, name) => {
      if (name !== "x") return;
      const { min, max } = chart.scales.x;
      whole ??= [min, max];
      figure.classList.toggle("zoomed", max - min < whole[1] - whole[0] - 1);
    };
    drawn.tabIndex = 0;
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", figure.querySelector("svg").getAttribute("aria-label"));
    drawn.setAttribute("aria-describedby", "zoom");
    drawn.addEventListener("keydown", (event) => {
      const { min, max } = chart.scales.x, [first, last] = whole, part = (max - min) / 4;
      const moves = { "+": [min + part, max - part], "-": [min - 2 * part, max + 2 * part], ArrowLeft: [min - part, max - part], ArrowRight: [min + part, max + part] };
      const [from, to] = moves[event.ctrlKey || event.metaKey || event.altKey ? "" : event.key] ?? [];
      if (from === undefined) return;
      event.preventDefault();
      const wide = Math.min(Math.max(to - from, DAY), last - first), low = Math.min(Math.max(from, first), last - wide);
      chart.setScale("x", { min: low, max: low + wide });
    });
    figure.prepend(drawn); // the plain picture stays, for printing
    figure.classList.add("drawn");
    const chart = new uPlot({
      ...size(),
      tzDate: (stamp) => uPlot.tzDate(new Date(stamp * 1000), "Etc/UTC"),
      cursor: { drag: { x: true, y: false }, points: { show: false }, y: false },
      legend: { show: false },
      scales: { x: { range: (_, low, high) => [low - 43200 - (high - low) * 0.01, high + 43200 + (high - low) * 0.01] }, y: { range: (_, low, high) => [0, Math.max(high, 1)] } },
      axes: [{ ...axis, incrs: [1, 2, 3, 5, 7, 10, 15, 30, 60, 90, 120, 180, 365, 730, 1825, 3650].map((number) => number * DAY), values: DATES, space: small * 5, size: small * 3.4 }, { ...axis, size: small * 3.6, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] }],
      series: [{}, ...sums.map((_, number) => kinds.length - 1 - number).map((number) => ({ label: kinds[number], fill: colours[number], stroke: colours[number], width: 0, paths: bars, points: { show: false } }))],
      hooks: { setCursor: [tell], setScale: [mark] },
    }, [times, ...sums.map((_, number) => sums[kinds.length - 1 - number])], drawn);
    document.querySelector("#zoom").hidden = false;
    if (figure.dataset.search) {
      let from = null; // a drag zooms, and ends as a click
      chart.over.addEventListener("mousedown", (event) => { from = event.clientX; });
      chart.over.addEventListener("click", (event) => {
        const at = chart.cursor.idx;
        if (at != null && Math.abs(event.clientX - from) < 4) location.href = `${figure.dataset.search}#q=${encodeURIComponent(`after:${days[at]} before:${days[at]}`)}`;
      });
    }
    return { resize: () => chart.setSize(size()), end: () => { chart.destroy(); drawn.remove(); } };
  };
  let picture = draw();
  addEventListener("resize", () => picture?.resize());
  const again = () => { picture?.end(); picture = draw(); };
  document.addEventListener("fresh", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
})();
