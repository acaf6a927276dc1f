// Draws the time line on its canvas.

const MOST_CALLS = 6000;
const MOST_ARROWS = 1500;
let colours = {};
let patterns = {};

function readColours(canvas, context) {
  const style = getComputedStyle(canvas);
  const names = ["paper", "ink", "dim", "rule", "row", "accent", "bad", "message", "waiting", "collective", "other", "arrow", "region"];
  colours = Object.fromEntries(names.map((n) => [n, style.getPropertyValue("--" + n).trim()]));
  patterns = { waiting: stripes(context, colours.waiting, colours["paper"]), open: stripes(context, colours.waiting, colours["paper"], 9) };
}

// Waiting is striped: colour alone would not do for everybody, nor on paper.
function stripes(context, ink, paper, size = 6) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const c = tile.getContext("2d");
  c.fillStyle = ink;
  c.fillRect(0, 0, size, size);
  c.strokeStyle = paper;
  c.globalAlpha = 0.55;
  c.lineWidth = 1.6;
  for (const at of [-size, 0, size]) {
    c.beginPath();
    c.moveTo(at - 1, size + 1);
    c.lineTo(at + size + 1, -1);
    c.stroke();
  }
  return context.createPattern(tile, "repeat");
}

const inkOf = (s) => (s === 1 ? patterns.waiting : colours[STATES[s].key]);

function draw(canvas) {
  const begun = performance.now();
  const context = canvas.getContext("2d");
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(scene.width * ratio) || canvas.height !== Math.round(scene.height * ratio)) {
    canvas.width = Math.round(scene.width * ratio);
    canvas.height = Math.round(scene.height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  readColours(canvas, context);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, scene.width, scene.height);
  context.font = "11px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
  state.drawn = { calls: 0, cells: 0, messages: 0, collectives: 0, regions: 0, marks: 0, arrows: [], rows: scene.rows };
  context.save();
  context.beginPath();
  context.rect(0, AXIS, scene.width, scene.height - AXIS);
  context.clip();
  const rows = [];
  for (let row = 0; row < scene.rows; row += 1) if (scene.isSeen(row)) rows.push(row);
  drawRows(context, rows);
  context.save();
  context.beginPath();
  context.rect(scene.gutter, AXIS, scene.width - scene.gutter, scene.height - AXIS);
  context.clip();
  drawCollectives(context);
  drawMessages(context);
  drawChosen(context);
  drawMarks(context);
  context.restore();
  drawNames(context, rows);
  context.restore();
  drawAxis(context);
  state.view = { from: scene.from, to: scene.to, fold: scene.fold, top: scene.top };
  state.drawn.ms = performance.now() - begun;
}

// Are the calls that are seen few enough to be drawn one by one?
function showsCalls(rows) {
  if (scene.fold > 1) return false;
  let n = 0;
  for (const row of rows) for (const lane of exact[row].lanes) {
    n += between(lane.calls, scene.from, scene.to).length;
    if (n > MOST_CALLS) return false;
  }
  return true;
}

function between(calls, from, to) {
  let low = 0, high = calls.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (calls[mid].end < from) low = mid + 1; else high = mid;
  }
  let end = low;
  while (end < calls.length && calls[end].begin <= to) end += 1;
  return calls.slice(low, end);
}

// The ground that a row stands on: the time that the rank was there.
function drawGround(context, row) {
  const [first, last] = line.spans[scene.ranksOf(row)[0]];
  if (first < 0) return;
  const a = Math.max(scene.gutter, scene.x(first)), b = Math.min(scene.width, scene.x(last));
  context.fillStyle = colours.row;
  if (b > a) context.fillRect(a, scene.y(row), b - a, scene.rowHeight);
}

function drawRows(context, rows) {
  const detail = showsCalls(rows);
  rows.forEach((row) => drawGround(context, row));
  cellPicture.start(colours);
  for (const row of rows) {
    const until = detail ? exact[row].from : Infinity;
    if (scene.from < until) cellPicture.row(row, Math.min(until, scene.to));
  }
  cellPicture.end(context);
  for (const row of rows) {
    if (detail && scene.to > exact[row].from) drawCalls(context, row);
    drawRegions(context, row);
  }
}

function drawCalls(context, row) {
  const lanes = exact[row].lanes;
  const h = (scene.rowHeight - scene.strip) / Math.max(1, lanes.length);
  lanes.forEach((lane, i) => {
    const y = scene.y(row) + scene.strip + i * h;
    for (const call of between(lane.calls, Math.max(scene.from, exact[row].from), scene.to)) drawCall(context, call, y, h);
  });
}

function drawCall(context, call, y, h) {
  const a = Math.max(scene.x(call.begin), scene.gutter - 2);
  const b = Math.min(Math.max(scene.x(call.end), scene.x(call.begin) + 1.5), scene.width + 2);
  if (b < scene.gutter) return;
  context.fillStyle = inkOf(call.state);
  context.fillRect(a, y, b - a, h);
  if (call.wait > 0) {
    const w = Math.min(scene.x(call.begin + call.wait), b);
    context.fillStyle = call.open ? patterns.open : patterns.waiting;
    if (w > a) context.fillRect(a, y, Math.max(w - a, 1), h);
  }
  if (b - a > 3) {
    context.fillStyle = colours.paper;
    context.fillRect(b - 0.75, y, 0.75, h);
  }
  state.drawn.calls += 1;
  const name = call.name.replace(/^MPI_/, "");
  if (h >= 16 && b - a > name.length * 6.7 + 8) {
    const wide = name.length * 6.7 + 6;
    context.fillStyle = colours.paper;
    context.globalAlpha = 0.86;
    context.fillRect(a + 2, y + h / 2 - 7, wide, 14);
    context.globalAlpha = 1;
    context.fillStyle = colours.ink;
    context.textBaseline = "middle";
    context.fillText(name, a + 5, y + h / 2 + 0.5);
  }
}

// Regions have the upper edge of the row for themselves.
function drawRegions(context, row) {
  if (scene.strip === 0) return;
  const y = scene.y(row), h = scene.strip;
  for (const [rank, name, begin, end, depth] of line.regions) {
    if (rank !== row) continue;
    const a = Math.max(scene.gutter, scene.x(begin)), b = Math.min(scene.width, scene.x(end < 0 ? line.end : end));
    if (b <= a) continue;
    const inset = Math.min(depth * 2, h - 2);
    context.fillStyle = colours.region;
    context.globalAlpha = 0.3;
    context.fillRect(a, y + inset, b - a, h - inset);
    context.globalAlpha = 1;
    context.fillRect(a, y + inset, b - a, 1.5);
    context.fillRect(a, y + inset, 1.5, h - inset);
    const room = Math.floor((b - a - 8) / 6.7);
    if (h >= 12 && room > 2) {
      context.textBaseline = "middle";
      context.fillStyle = colours.ink;
      context.fillText(line.region_names[name].slice(0, room), a + 4, y + h / 2 + 1);
    }
    state.drawn.regions += 1;
  }
}

function drawCollectives(context) {
  const seen = line.collectives.filter(([, , times]) => times[2] >= scene.from && times[0] <= scene.to);
  if (seen.length > 400) return;
  for (const [, , [first, last, end], [low, high, latest], came, size] of seen) {
    const top = scene.y(scene.rowOf(low)), bottom = scene.y(scene.rowOf(high)) + scene.rowHeight;
    const a = scene.x(first), b = Math.max(scene.x(end), scene.x(last) + 1);
    context.globalAlpha = 0.1;
    context.fillStyle = colours.collective;
    context.fillRect(a, top, b - a, bottom - top);
    context.globalAlpha = 0.9;
    context.strokeStyle = came < size ? colours.bad : colours.collective;
    context.lineWidth = 1;
    context.setLineDash(came < size ? [4, 3] : []);
    context.beginPath();
    context.moveTo(scene.x(last), top);
    context.lineTo(scene.x(last), bottom);
    context.stroke();
    context.setLineDash([]);
    // Who came last.
    context.fillStyle = context.strokeStyle;
    context.beginPath();
    context.arc(scene.x(last), scene.middle(latest), 2.2, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
    state.drawn.collectives += 1;
  }
}

function drawMessages(context) {
  let seen = messages.filter((m) => m.received >= scene.from && m.sent <= scene.to && scene.rowOf(m.from) !== scene.rowOf(m.to));
  seen = seen.filter((m) => scene.isSeen(scene.rowOf(m.from)) || scene.isSeen(scene.rowOf(m.to)));
  if (seen.length > MOST_ARROWS) {
    const step = Math.ceil(seen.length / MOST_ARROWS);
    seen = seen.filter((_, i) => i % step === 0);
  }
  context.strokeStyle = context.fillStyle = colours.arrow;
  context.globalAlpha = seen.length > 300 ? 0.25 : seen.length > 60 ? 0.5 : 0.85;
  context.lineWidth = 1;
  for (const m of seen) arrow(context, m, seen.length <= 300 ? 5 : 0);
  context.globalAlpha = 1;
  state.drawn.messages = seen.length;
}

// Draws something over a broader stroke in the colour of the paper, so that it stands out on any ground.
function withHalo(context, action) {
  const { strokeStyle, fillStyle, lineWidth } = context;
  const dash = context.getLineDash();
  context.setLineDash([]);
  context.strokeStyle = context.fillStyle = colours.paper;
  context.lineWidth = lineWidth + 3;
  action();
  context.strokeStyle = strokeStyle;
  context.fillStyle = fillStyle;
  context.lineWidth = lineWidth;
  context.setLineDash(dash);
  action();
}

// From the middle of one row to the middle of the other.
function arrow(context, m, tip) {
  stroke(context, scene.x(m.sent), scene.middle(m.from), scene.x(m.received), scene.middle(m.to), tip);
}

function stroke(context, x1, y1, x2, y2, tip) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
  if (tip > 0) head(context, x1, y1, x2, y2, tip);
}

function head(context, x1, y1, x2, y2, size) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - size * Math.cos(angle - 0.45), y2 - size * Math.sin(angle - 0.45));
  context.lineTo(x2 - size * Math.cos(angle + 0.45), y2 - size * Math.sin(angle + 0.45));
  context.fill();
}

// The calls of the chosen finding, its messages, and who waits for whom.
function drawChosen(context) {
  const finding = data.findings[state.chosen];
  if (!finding) return;
  const { calls, arrows } = concernOf(finding);
  context.strokeStyle = context.fillStyle = colours.accent;
  context.lineWidth = 2;
  for (const { call } of calls) {
    const row = scene.rowOf(call.rank);
    // Among cells it is not drawn yet.
    if (call.apart && scene.fold === 1) drawCall(context, call, scene.y(row) + scene.strip, scene.rowHeight - scene.strip);
    context.strokeStyle = context.fillStyle = colours.accent;
    const a = scene.x(call.begin), b = Math.max(scene.x(call.end), a + 3);
    context.strokeRect(a - 1, scene.y(row) - 1, b - a + 2, scene.rowHeight + 2);
  }
  for (const m of arrows.slice(0, 200)) {
    withHalo(context, () => arrow(context, m, 8));
    state.drawn.arrows.push({ from: m.from, to: m.to, kind: "message" });
  }
  context.setLineDash([8, 3]);
  context.lineWidth = 1.5;
  const few = finding.waits.length <= 64 ? finding.waits : [];
  for (const w of few) {
    const call = callOfSite({ process: w.process, thread: w.thread, event: w.event, call: "" });
    if (!call) continue;
    for (const to of w.waits_for.slice(0, 8)) {
      if (scene.rowOf(to) === scene.rowOf(w.process)) continue;
      const x = Math.min(scene.x(call.end), scene.width) - 10 - 12 * (w.process % 4);
      withHalo(context, () => stroke(context, x, scene.middle(w.process), x, scene.middle(to), 7));
      state.drawn.arrows.push({ from: w.process, to, kind: "waits" });
    }
  }
  context.setLineDash([]);
}

// A flag where a call of a finding begins.
function drawMarks(context) {
  const done = new Set();
  for (const i of state.shown) {
    const finding = data.findings[i];
    for (const { call } of concernOf(finding).calls) {
      const row = scene.rowOf(call.rank), x = scene.x(call.begin), y = scene.y(row);
      const place = `${row} ${Math.round(x / 3)}`;
      const chosen = i === state.chosen;
      if (x < scene.gutter - 1 || x > scene.width || !scene.isSeen(row) || (done.has(place) && !chosen)) continue;
      done.add(place);
      context.fillStyle = chosen ? colours.accent : colours.bad;
      context.beginPath();
      context.moveTo(x, y + (chosen ? 10 : 7));
      context.lineTo(x - (chosen ? 6 : 4.5), y - 2);
      context.lineTo(x + (chosen ? 6 : 4.5), y - 2);
      context.fill();
      state.drawn.marks += 1;
    }
  }
  for (const [rank, t] of line.signals) {
    const x = scene.x(t), y = scene.middle(rank);
    context.strokeStyle = colours.bad;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x - 4, y - 4); context.lineTo(x + 4, y + 4);
    context.moveTo(x + 4, y - 4); context.lineTo(x - 4, y + 4);
    context.stroke();
  }
}

function rowName(row) {
  const ranks = scene.ranksOf(row);
  return ranks.length === 1 ? line.ranks[ranks[0]] : `${line.ranks[ranks[0]]}-${line.ranks[ranks[ranks.length - 1]]}`;
}

function drawNames(context, rows) {
  context.fillStyle = colours.paper;
  context.fillRect(0, AXIS, scene.gutter, scene.height - AXIS);
  context.textBaseline = "middle";
  context.textAlign = "right";
  rows.forEach((row) => {
    const here = row === scene.row && document.activeElement === context.canvas;
    context.fillStyle = here ? colours.accent : colours.dim;
    context.fillText((here ? "\u25b8 " : "") + rowName(row), scene.gutter - 8, scene.y(row) + scene.rowHeight / 2);
  });
  context.textAlign = "left";
}

function drawAxis(context) {
  const span = scene.to - scene.from;
  const rough = span / Math.max(2, (scene.width - scene.gutter) / 110);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough));
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, scene.width, AXIS);
  context.textBaseline = "middle";
  for (let t = Math.ceil(scene.from / step) * step; t <= scene.to; t += step) {
    const x = scene.x(t);
    context.fillStyle = colours.rule;
    context.fillRect(x, AXIS - 6, 1, 6);
    context.globalAlpha = 0.5;
    context.fillRect(x, AXIS, 1, scene.height);
    context.globalAlpha = 1;
    context.fillStyle = colours.dim;
    if (x < scene.width - 50) context.fillText(time(t, step), x + 4, AXIS / 2);
  }
  context.fillStyle = colours.rule;
  context.fillRect(0, AXIS - 1, scene.width, 1);
}
