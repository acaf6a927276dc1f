// What is at a place of the time line, in words: for the mouse in a box, for the keyboard in a line that is read aloud.

function callInWords(call) {
  const length = call.open ? "did not return" : `took ${time(call.end - call.begin)}`;
  const lines = [
    `rank ${line.ranks[call.rank]}${call.thread ? ` thread ${call.thread}` : ""}: ${call.name}`,
    `at ${time(call.begin, Math.max(1, (scene.to - scene.from) / 1000))}, ${length}${call.wait > 0 && !call.open ? `, of which ${time(call.wait)} waiting` : ""}`,
  ];
  if (call.polls) lines.push(`${plural(call.polls + 1, "poll")} with the same answer`);
  if (call.error) lines.push("returned an error");
  if (call.place) lines.push(call.place);
  if (call.args) lines.push(call.args);
  const about = data.findings.filter((f) => concernOf(f).calls.some((c) => c.call.key === callKey(call.rank, call.thread, call.index)));
  for (const f of about.slice(0, 3)) lines.push(`${f.code} ${f.check}: ${f.message}`);
  return lines;
}

function cellInWords(row, t) {
  const shares = scene.sharesOf(row);
  const cell = Math.floor((t - line.cells.start) / line.cells.width);
  if (cell < 0 || cell * 4 >= shares.length) return null;
  const parts = STATES.map((s, i) => [shares[cell * 4 + i], s.name]).filter(([share]) => share > 0.004);
  const busy = Math.max(0, 1 - parts.reduce((sum, [share]) => sum + share, 0));
  parts.unshift([busy, "computing"]);
  const words = parts.map(([share, name]) => `${Math.round(share * 100)} % ${name}`);
  return [`${scene.fold > 1 ? "ranks" : "rank"} ${rowName(row)}, ${time(line.cells.width)} from ${time(cell * line.cells.width + line.cells.start, line.cells.width)}`, words.join(", ")];
}

function messageInWords(m) {
  const tag = m.tag === null ? "" : `, tag ${m.tag}, ${bytes(m.size)}, ${commName(m.comm)}`;
  return [`message from rank ${line.ranks[m.from]} to rank ${line.ranks[m.to]}${tag}`,
    `sent at ${time(m.sent, (scene.to - scene.from) / 1000)}, received ${time(Math.max(0, m.received - m.sent))} later`];
}

// How far a point is from the line of a message.
function distance(m, x, y) {
  const x1 = scene.x(m.sent), y1 = scene.middle(m.from), x2 = scene.x(m.received), y2 = scene.middle(m.to);
  const dx = x2 - x1, dy = y2 - y1;
  const share = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
}

function messageNear(x, y) {
  let best = null, least = 4;
  const chosen = data.findings[state.chosen];
  for (const m of messages.concat(chosen ? concernOf(chosen).arrows : [])) {
    if (m.received < scene.from || m.sent > scene.to || scene.rowOf(m.from) === scene.rowOf(m.to)) continue;
    const far = distance(m, x, y);
    if (far < least) { least = far; best = m; }
  }
  return best;
}

function regionsAt(rank, t) {
  const here = line.regions.filter(([r, , begin, end]) => r === rank && begin <= t && (end < 0 || end >= t));
  return here.length > 0 ? ["in " + here.map((r) => line.region_names[r[1]]).join(" > ")] : [];
}

// What is at a point of the canvas.
function wordsAt(x, y) {
  const row = scene.rowAt(y);
  const m = messageNear(x, y);
  if (row < 0 || x < scene.gutter) return m ? messageInWords(m) : null;
  const t = scene.t(x);
  if (scene.fold === 1 && t >= exact[row].from) {
    const call = callAt(row, t) || callAt(row, scene.t(x + 2)) || callAt(row, scene.t(x - 2));
    if (call) return callInWords(call).concat(regionsAt(row, t));
    if (m) return messageInWords(m);
    const inside = t >= line.spans[row][0] && t <= line.spans[row][1];
    return inside ? [`rank ${line.ranks[row]} computes`].concat(regionsAt(row, t)) : null;
  }
  return m ? messageInWords(m) : cellInWords(row, t);
}
