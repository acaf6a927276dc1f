// The wait-for graph of a finding: in a circle, so that cycles can be seen; many ranks that do the same are one vertex.

const MOST_VERTICES = 64;

// What a finding calls a process: of several jobs each has names of its own, and there is no time line.
const nameIn = (finding, process) => (line && line.ranks[process]) || (finding.names && finding.names[process]) || String(process);

// Vertices of the graph. Ranks in the same call at the same place are one if there are too many.
function verticesOf(finding) {
  const waits = finding.waits;
  const one = (group) => ({
    ranks: group.map((w) => w.rank), processes: new Set(group.map((w) => w.process)), function: group[0].function, place: group[0].place,
    any: group.some((w) => w.any), all: group.some((w) => !w.any && w.waits_for.length > 1),
    waitsFor: new Set(group.flatMap((w) => w.waits_for)), hopeless: group.every((w) => w.waits_for.length === 0),
  });
  let groups = waits.map((w) => [w]);
  if (groups.length > MOST_VERTICES) groups = groupBy(waits, (w) => `${w.function}\n${w.place}\n${w.any}`);
  const vertices = groups.map(one);
  const known = new Set(vertices.flatMap((v) => [...v.processes]));
  const others = new Set(vertices.flatMap((v) => [...v.waitsFor]).filter((p) => !known.has(p)));
  const name = (p) => nameIn(finding, p);
  if (others.size > 12) {
    vertices.push({ ranks: [...others].map(name), processes: others, function: "", place: "", waitsFor: new Set(), outside: true });
  } else {
    for (const p of others) vertices.push({ ranks: [name(p)], processes: new Set([p]), function: "", place: "", waitsFor: new Set(), outside: true });
  }
  return vertices;
}

function edgesOf(vertices) {
  const edges = [];
  vertices.forEach((from, i) => vertices.forEach((to, j) => {
    if ([...to.processes].some((p) => from.waitsFor.has(p)) && (i !== j || from.processes.size > 1)) edges.push([i, j]);
  }));
  return edges;
}

// Follows the edges, so that who waits stands beside whom he waits for.
function inOrderOfWaiting(vertices, edges) {
  const next = vertices.map((_, i) => edges.filter((e) => e[0] === i).map((e) => e[1]));
  const seen = new Set();
  const order = [];
  for (let first = 0; first < vertices.length; first += 1) {
    const open = [first];
    while (open.length > 0) {
      const at = open.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      order.push(at);
      open.push(...next[at].slice().reverse());
    }
  }
  return order;
}

function label(v, tight) {
  const who = tight ? rankList(v.ranks) : ranksInWords(v.ranks);
  const lines = [who.length > 26 ? `${v.ranks.length} ranks` : who];
  if (!tight && v.function) lines.push(v.function.replace(/^MPI_/, ""));
  if (!tight && v.place) lines.push(shortFile(v.place));
  return lines;
}

function drawGraph(finding) {
  const vertices = verticesOf(finding);
  const edges = edgesOf(vertices);
  const order = inOrderOfWaiting(vertices, edges);
  const n = vertices.length;
  const tight = n > 12;
  const w = tight ? 40 : 128, h = tight ? 22 : 54;
  const radius = n === 1 ? 0 : Math.max(n < 3 ? 110 : 92, (n * (tight ? 56 : 118)) / (2 * Math.PI));
  const flat = tight ? 1 : 0.78;
  // Room above for the arrow of a group whose ranks wait for each other.
  const loops = edges.some(([i, j]) => i === j) ? 22 : 0;
  const width = 2 * (radius + w / 2 + 14), height = 2 * (radius * (n === 2 ? 0.12 : flat) + h / 2 + 14 + loops);
  const at = new Array(n);
  order.forEach((v, i) => {
    const angle = n === 2 ? Math.PI * (1 - i) : (2 * Math.PI * i) / n - Math.PI / 2;
    at[v] = [width / 2 + radius * Math.cos(angle) * (n === 1 ? 0 : 1), height / 2 + radius * (n === 1 ? 0 : flat) * Math.sin(angle)];
  });
  const words = finding.waits.slice(0, 64).map((v) =>
    `rank ${v.rank} in ${v.function} waits for ${v.waits_for.length === 0 ? "a call that no rank makes" : (v.any ? "any of " : "") + ranksInWords(v.waits_for.map((p) => nameIn(finding, p)))}`);
  const picture = svg("svg", { viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`, role: "img", class: tight ? "graph tight" : "graph",
    "aria-label": "Who waits for whom: " + words.join("; "), style: `max-width: ${Math.min(width, 900).toFixed(0)}px` },
    svg("defs", null, ["and", "or"].map((kind) => svg("marker", { id: "tip-" + kind, viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse", class: "tip " + kind },
      svg("path", { d: "M0,0.8 L8,4 L0,7.2 Z" })))),
    edges.map(([i, j]) => edge(at[i], at[j], vertices[i].any ? "or" : "and", [w, h], i === j)),
    vertices.map((v, i) => vertex(v, at[i], w, h, tight)));
  const kinds = [edges.some(([i]) => !vertices[i].any) && el("span", { class: "key and" }, "waits for all of them"),
    edges.some(([i]) => vertices[i].any) && el("span", { class: "key or" }, "waits for any of them")];
  return el("figure", { class: "waits" }, el("figcaption", null, "Who waits for whom ", kinds), picture);
}

// An arrow that bends a little to the right, so that two of them between the same ranks stay apart.
function edge(from, to, kind, [w, h], loop) {
  if (loop) {
    const [x, y] = from;
    return svg("path", { class: "edge " + kind, d: `M${x - 14},${y - h / 2} C${x - 34},${y - h / 2 - 36} ${x + 34},${y - h / 2 - 36} ${x + 14},${y - h / 2}`, "marker-end": `url(#tip-${kind})` });
  }
  const dx = to[0] - from[0], dy = to[1] - from[1];
  const far = Math.hypot(dx, dy) || 1;
  const bend = Math.min(26, far * 0.12);
  const mid = [(from[0] + to[0]) / 2 - (dy / far) * bend, (from[1] + to[1]) / 2 + (dx / far) * bend];
  const a = border(from, mid, w / 2 + 2, h / 2 + 2), b = border(to, mid, w / 2 + 5, h / 2 + 5);
  return svg("path", { class: "edge " + kind, d: `M${a[0].toFixed(1)},${a[1].toFixed(1)} Q${mid[0].toFixed(1)},${mid[1].toFixed(1)} ${b[0].toFixed(1)},${b[1].toFixed(1)}`, "marker-end": `url(#tip-${kind})` });
}

// Where the way from the middle of a box to a point leaves the box.
function border([x, y], [tx, ty], w, h) {
  const dx = tx - x, dy = ty - y;
  const scale = Math.min(w / Math.max(Math.abs(dx), 1e-6), h / Math.max(Math.abs(dy), 1e-6));
  return [x + dx * Math.min(scale, 1), y + dy * Math.min(scale, 1)];
}

function vertex(v, [x, y], w, h, tight) {
  const lines = label(v, tight);
  return svg("g", { class: v.outside ? "vertex outside" : v.hopeless ? "vertex hopeless" : "vertex" },
    svg("title", null, `${ranksInWords(v.ranks)} ${v.function} ${v.place}`),
    svg("rect", { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 5 }),
    lines.map((text, i) => svg("text", { x, y: y + (i - (lines.length - 1) / 2) * 14.5 + 4, class: i === 0 ? "who" : "what" }, text.length > 18 ? text.slice(0, 17) + "\u2026" : text)));
}
