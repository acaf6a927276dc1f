// Statistics, if the report has them: `functions` (function, calls, seconds, polling_seconds, max_seconds, bytes), and `blocks`, the matrix of
// messages: `side` cells a side, each for `processes` ranks; `messages` and `bytes` row by row, a row a sender.

function startStatistics() {
  const s = data.statistics;
  if (!s) return;
  const parts = [];
  if (s.functions && s.functions.length > 0) {
    parts.push(longTable("Calls by function", [["Function", "c"], ["Calls", "n"], ["Time in all ranks", "n"], ["Time of repeated polls", "n"], ["Longest call", "n"], ["Data", "n"]],
      s.functions.map((f) => [f.function, count(f.calls), time(f.seconds * 1e9), f.polling_seconds > 0 ? time(f.polling_seconds * 1e9) : "", time(f.max_seconds * 1e9), f.bytes ? bytes(f.bytes) : ""])));
  }
  if (s.blocks && s.blocks.side > 0) parts.push(matrix(s.blocks));
  if (parts.length > 0) section("statistics", "Statistics", parts);
}

function matrix(blocks) {
  const side = blocks.side, size = Math.max(3, Math.min(24, Math.floor(420 / side)));
  const most = Math.max(1, ...blocks.bytes);
  const square = [];
  for (let i = 0; i < side * side; i += 1) {
    if (!blocks.messages[i]) continue;
    const from = Math.floor(i / side), to = i % side;
    const strong = Math.log(1 + blocks.bytes[i]) / Math.log(1 + most);
    const last = (b) => Math.min((b + 1) * blocks.processes, line ? line.ranks.length : Infinity) - 1;
    const name = (b) => (last(b) > b * blocks.processes ? `ranks ${b * blocks.processes}-${last(b)}` : `rank ${b * blocks.processes}`);
    square.push(svg("rect", { x: to * size, y: from * size, width: size - 0.5, height: size - 0.5, "fill-opacity": (0.15 + 0.85 * strong).toFixed(2) },
      svg("title", null, `${name(from)} to ${name(to)}: ${plural(blocks.messages[i], "message")}, ${bytes(blocks.bytes[i])}`)));
  }
  const all = side * size;
  return el("figure", { class: "matrix" }, el("figcaption", null, "Who sent to whom: rows send, columns receive; the stronger the colour the more bytes"),
    svg("svg", { viewBox: `-1 -1 ${all + 2} ${all + 2}`, style: `width: ${all}px`, role: "img", "aria-label": `Matrix of messages, up to ${bytes(most)} in a cell` },
      svg("rect", { class: "frame", x: -0.5, y: -0.5, width: all + 0.5, height: all + 0.5 }), square));
}
