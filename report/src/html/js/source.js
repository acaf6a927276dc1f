// Places in the source, of all ranks side by side.

const KEYWORDS = /\b(MPI_[A-Za-z0-9_]+|if|else|for|while|return|int|double|float|char|void|const|static|struct|call|do|end|subroutine|integer|real|use|def|import|from|in)\b|(\/\/.*$|\/\*.*?\*\/|^\s*#.*$|^\s*!.*$)|("(?:[^"\\]|\\.)*")|\b(\d+(?:\.\d+)?)\b/g;

// A line with its words told apart, a little.
function tinted(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(KEYWORDS)) {
    if (match.index < at) continue;
    if (match.index > at) parts.push(text.slice(at, match.index));
    const kind = match[2] ? "remark" : match[3] ? "text" : match[4] ? "number" : match[0].startsWith("MPI_") ? "mpi" : "word";
    parts.push(el("span", { class: "t-" + kind }, match[0]));
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  return parts;
}

function snippet(number) {
  const { first, line: marked, lines } = data.snippets[number];
  const plain = lines.map((text) => text.replaceAll("\t", "    "));
  // What all lines are indented by says nothing.
  const indent = Math.min(...plain.filter((text) => text.trim() !== "").map((text) => text.search(/\S/)));
  const rows = plain.map((whole, i) => {
    const text = whole.slice(Number.isFinite(indent) ? indent : 0);
    const at = first + i;
    const here = at === marked;
    return el("div", { class: here ? "line here" : "line", "aria-current": here ? "true" : null },
      el("span", { class: "number", "aria-hidden": "true" }, here ? "\u25b8" : "", at),
      el("code", null, tinted(text), text === "" ? " " : null));
  });
  return el("div", { class: "snippet", tabindex: 0, role: "group", "aria-label": `line ${marked} and its surroundings` }, rows);
}

function stackOf(number) {
  const frames = data.stacks[number].map((f) =>
    el("li", { class: f.user ? "user" : null }, el("code", null, f.function), " ", el("span", { class: "dim" }, f.place)));
  return el("details", { class: "stack" }, el("summary", null, `Stack, ${plural(frames.length, "frame")}`), el("ol", null, frames));
}

// The calls that ranks made at one place with one stack.
function callsAt(sites) {
  const same = groupBy(sites, (s) => `${s.call}\n${s.role}\n${s.thread}`);
  const shown = same.slice(0, 6).map((group) => {
    const s = group[0];
    const who = ranksInWords(group.map((g) => g.rank)) + (s.thread ? ` thread ${s.thread}` : "");
    return el("li", null, el("b", null, who), s.role ? el("span", { class: "role" }, " ", s.role) : null,
      el("code", { class: "call" }, s.call || s.function || "outside of MPI"));
  });
  const hidden = same.slice(6).flat().map((s) => s.rank);
  if (hidden.length > 0) shown.push(el("li", { class: "dim" }, `and ${count(hidden.length)} more: ${ranksInWords(hidden)}`));
  return el("ul", { class: "calls" }, shown);
}

// A card for each place: where it is, the source, who was there.
function places(finding) {
  const groups = groupBy(finding.sites, (s) => (s.snippet === null && !s.place ? `stack ${s.stack}` : s.place));
  const cards = groups.slice(0, 24).map((sites) => {
    const s = sites[0];
    const frame = s.stack === null ? null : data.stacks[s.stack][0];
    const where = s.place || (frame ? `${frame.function} (${frame.place})` : "place unknown");
    const stacks = [...new Set(sites.map((x) => x.stack).filter((x) => x !== null))];
    return el("figure", { class: "place" },
      el("figcaption", null, el("b", null, ranksInWords(sites.map((x) => x.rank))), el("span", { class: "where" }, where)),
      s.snippet !== null ? snippet(s.snippet) : el("p", { class: "dim nosource" }, s.place ? "The source file is not there." : "No line is known."),
      callsAt(sites), stacks.slice(0, 4).map(stackOf));
  });
  const more = groups.slice(24).flat().map((s) => s.rank);
  return [
    el("div", { class: "places" }, cards),
    more.length > 0 ? el("p", { class: "dim" }, `and at other places ${ranksInWords(more)}`) : null,
    finding.sites_hidden > 0 ? el("p", { class: "dim" }, `${plural(finding.sites_hidden, "more call")}: see the JSON report`) : null,
  ];
}
