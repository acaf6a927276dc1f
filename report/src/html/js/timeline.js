// The section of the time line: controls, legend, input.

let canvas = null;
let pending = false;

function redraw() {
  if (!canvas || pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; draw(canvas); });
}

function fit() {
  if (!canvas) return;
  const wide = canvas.parentElement.clientWidth;
  const longest = Math.max(2, ...Array.from({ length: scene.rows }, (_, row) => rowName(row).length));
  scene.gutter = Math.min(120, 26 + longest * 6.7);
  scene.width = Math.max(260, wide);
  scene.height = Math.min(AXIS + scene.rowsHeight() + 4, Math.max(300, Math.round(window.innerHeight * 0.7)));
  canvas.style.height = scene.height + "px";
  scene.scrollTo(scene.top);
  redraw();
}

function legend() {
  const key = (kind, text) => el("span", { class: "swatch-of" }, el("span", { class: "swatch " + kind, "aria-hidden": "true" }), text);
  return el("p", { class: "legend" },
    key("compute", "computing"), STATES.map((s) => key(s.key, s.name)), key("arrow", "message"),
    key("last", "the last one comes to a collective"), key("mark", "call of a finding"),
    line.regions.length > 0 ? key("region", "region of the program") : null);
}

function controls() {
  const button = (text, title, action) =>
    el("button", { type: "button", title, "aria-label": title, onclick: () => { action(); fit(); } }, text);
  const folding = line.ranks.length > 1;
  return el("div", { class: "controls", role: "toolbar", "aria-label": "Time line" },
    button("+", "Zoom in", () => scene.zoom(2)), button("\u2212", "Zoom out", () => scene.zoom(0.5)),
    button("\u2190", "Earlier", () => scene.pan(-0.25)), button("\u2192", "Later", () => scene.pan(0.25)),
    button("Whole run", "Show the whole run", () => scene.show(0, line.end)),
    folding ? button("Unfold", "Fewer ranks in a row, or higher rows", () => scene.unfold()) : null,
    folding ? button("Fold", "More ranks in a row", () => scene.foldMore()) : null);
}

function startTimeline() {
  if (!line || line.ranks.length === 0 || line.end <= 0) return;
  canvas = el("canvas", {
    id: "canvas", tabindex: 0, role: "application", "aria-roledescription": "time line", "aria-describedby": "timeline-keys",
    "aria-label": `Time line of ${plural(line.ranks.length, "rank")} over ${time(line.last)}`,
  });
  const tip = el("div", { id: "tip", role: "presentation", hidden: true });
  const seen = `${plural(line.calls_seen, "call")}, ${plural(line.messages_seen, "message")}, ${plural(line.collectives_seen, "collective operation")} in ${time(line.last)}`;
  const partly = line.lanes.some((lane) => lane.cut)
    ? "The run is long: earlier parts are shown as shares of time in each state, messages as a sample; calls one by one at the end of each rank." : "";
  section("timeline", "Time line", el("div", { class: "bar" }, el("p", { class: "dim" }, seen), controls()),
    el("div", { class: "canvas" }, canvas, tip), el("p", { id: "spoken", class: "spoken", "aria-live": "polite" }), legend(), curves(),
    el("p", { class: "dim small", id: "timeline-keys" },
      "Wheel or + and \u2212 zoom, dragging or arrow keys move, shift and wheel or page keys go through the ranks; on the time line up and down choose a rank, [ and ] go from call to call. ", partly));
  scene.start();
  wheelAndDrag(tip);
  canvas.addEventListener("keydown", onTimelineKey);
  ["focus", "blur"].forEach((name) => canvas.addEventListener(name, redraw));
  new ResizeObserver(fit).observe(canvas.parentElement);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  fit();
}

const pointers = new Map();

function wheelAndDrag(tip) {
  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const hide = () => { tip.hidden = true; };
  canvas.addEventListener("wheel", (event) => {
    const [x] = at(event);
    if (event.shiftKey) scene.scrollTo(scene.top + (event.deltaY || event.deltaX));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) scene.pan(event.deltaX / 800);
    else scene.zoom(1.0018 ** -event.deltaY, Math.max(x, scene.gutter));
    event.preventDefault();
    hide();
    redraw();
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => { pointers.set(event.pointerId, at(event)); canvas.setPointerCapture(event.pointerId); hide(); });
  const up = (event) => pointers.delete(event.pointerId);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", hide);
  canvas.addEventListener("dblclick", (event) => { scene.zoom(4, at(event)[0]); redraw(); });
  canvas.addEventListener("pointermove", (event) => {
    const to = at(event);
    if (!pointers.has(event.pointerId)) return showTip(tip, to);
    const from = pointers.get(event.pointerId);
    const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId).map((p) => p[1]);
    if (others.length > 0) {
      const [x, y] = others[0];
      const ratio = Math.hypot(to[0] - x, to[1] - y) / Math.max(1, Math.hypot(from[0] - x, from[1] - y));
      scene.zoom(ratio, (to[0] + x) / 2);
    } else {
      scene.pan((from[0] - to[0]) / (scene.width - scene.gutter));
      scene.scrollTo(scene.top + from[1] - to[1]);
    }
    pointers.set(event.pointerId, to);
    redraw();
  });
}

function showTip(tip, [x, y]) {
  const words = wordsAt(x, y);
  tip.hidden = !words;
  if (!words) return;
  tip.replaceChildren(...words.map((text, i) => el(i === 0 ? "b" : "div", null, text)));
  const wide = tip.offsetWidth, tall = tip.offsetHeight;
  tip.style.left = Math.max(0, Math.min(x + 14, scene.width - wide - 4)) + "px";
  tip.style.top = (y + 18 + tall > scene.height && y > tall + 12 ? y - tall - 10 : y + 18) + "px";
}

const TIMELINE_KEYS = {
  ArrowLeft: () => scene.pan(-0.2), ArrowRight: () => scene.pan(0.2),
  ArrowUp: () => goToRow(scene.row - 1), ArrowDown: () => goToRow(scene.row + 1),
  PageUp: () => scene.scrollTo(scene.top - scene.height + AXIS), PageDown: () => scene.scrollTo(scene.top + scene.height - AXIS),
  "+": () => scene.zoom(2), "=": () => scene.zoom(2), "-": () => scene.zoom(0.5), Home: () => scene.show(0, line.end),
  "[": () => stepCall(-1), "]": () => stepCall(1),
};

function onTimelineKey(event) {
  const action = TIMELINE_KEYS[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  action();
  event.preventDefault();
  event.stopPropagation();
  redraw();
}

function goToRow(row) {
  scene.row = Math.max(0, Math.min(scene.rows - 1, row));
  const y = scene.y(scene.row);
  if (y < AXIS) scene.scrollTo(scene.top + y - AXIS);
  if (y + scene.rowHeight > scene.height) scene.scrollTo(scene.top + y + scene.rowHeight - scene.height);
  byId("spoken").textContent = (wordsAt(scene.x((scene.from + scene.to) / 2), scene.y(scene.row) + scene.rowHeight / 2) || [`rank ${rowName(scene.row)}`]).join(". ");
}

// To the next or the last call of the row; it gets into the middle, and so near that it can be seen.
let spokenCall = null;
function stepCall(by) {
  if (scene.fold > 1) return;
  const calls = exact[scene.row].lanes.flatMap((lane) => lane.calls).sort((a, b) => a.begin - b.begin);
  if (calls.length === 0) return;
  const middle = (scene.from + scene.to) / 2;
  let i = spokenCall && spokenCall.rank === scene.row ? calls.indexOf(spokenCall) + by : calls.findIndex((c) => c.begin >= middle);
  i = Math.max(0, Math.min(calls.length - 1, i < 0 ? calls.length - 1 : i));
  spokenCall = calls[i];
  const length = spokenCall.end - spokenCall.begin;
  const tiny = scene.x(spokenCall.end) - scene.x(spokenCall.begin) < 3;
  const span = tiny ? Math.max(24 * length, 1000) : scene.to - scene.from;
  scene.show(spokenCall.begin - span / 2, spokenCall.begin + span / 2);
  byId("spoken").textContent = callInWords(spokenCall).join(". ");
}

// Shows the calls of a finding on the time line.
function showOnTimeline(finding) {
  const { calls, arrows } = concernOf(finding);
  if (calls.length === 0) return;
  const begins = calls.map((c) => c.call.begin).concat(arrows.map((m) => m.sent));
  const ends = calls.map((c) => Math.min(c.call.end, line.end)).concat(arrows.map((m) => m.received));
  const from = Math.min(...begins), to = Math.max(...ends);
  const room = Math.max((to - from) * 0.25, 200);
  scene.show(from - room, to + room);
  goToRow(scene.rowOf(calls[0].call.rank));
  byId("timeline").scrollIntoView({ block: "start" });
  fit();
}

// Samples of performance variables, a small curve each.
function curves() {
  const shown = line.samples.filter((s) => s.points.some((p) => p[1] !== 0));
  if (shown.length === 0) return null;
  shown.sort((a, b) => Math.max(...b.points.map((p) => p[1])) - Math.max(...a.points.map((p) => p[1])));
  return el("div", { class: "curves" }, shown.slice(0, 24).map(curve));
}

function curve(s) {
  const w = 220, h = 44;
  const most = Math.max(...s.points.map((p) => p[1]), 1e-12);
  const d = s.points.map(([t, v], i) => `${i ? "L" : "M"}${((t / line.end) * w).toFixed(1)},${(h - 2 - (v / most) * (h - 8)).toFixed(1)}`).join(" ");
  const name = `${s.variable}${s.comm ? ` of ${s.comm}` : ""}, rank ${line.ranks[s.rank]}`;
  return el("figure", { class: "curve" }, el("figcaption", null, name, el("span", { class: "dim" }, ` up to ${most.toLocaleString("en-US")}`)),
    svg("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": `${name}: up to ${most} in ${plural(s.points.length, "reading")}` },
      svg("line", { x1: 0, x2: w, y1: h - 1, y2: h - 1 }), svg("path", { d })));
}
