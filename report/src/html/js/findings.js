// The list of findings, its filter, and the finding that is chosen.

const LISTED = 400; // more are shown when somebody asks
let listed = LISTED;
const wanted = { text: "", severity: "", check: "", rank: "" };

const SIGNS = { error: "\u2715", warning: "!", note: "i" };
const badge = (severity) => el("span", { class: "badge " + severity }, el("span", { "aria-hidden": "true" }, SIGNS[severity] || "i"), el("span", { class: "hidden" }, severity));

function everything(f) {
  if (!f.text) f.text = [f.code, f.check, f.severity, f.message, f.who, ...f.notes, ...f.sites.flatMap((s) => [s.call, s.place, s.role])].join("\n").toLowerCase();
  return f.text;
}

// "3", "0-3", "w1.0"
function wantsRank(f) {
  const names = line ? f.ranks.map((p) => line.ranks[p] || String(p)) : f.sites.map((s) => s.rank);
  return wanted.rank.split(",").map((w) => w.trim()).filter(Boolean).some((w) => {
    const range = /^(\d+)-(\d+)$/.exec(w);
    return range ? names.some((n) => Number(n) >= Number(range[1]) && Number(n) <= Number(range[2])) : names.includes(w);
  });
}

// Findings that were accepted are seen only by those who ask for them.
const isOfKind = (f) => (wanted.severity === "accepted" ? Boolean(f.accepted) : !f.accepted && (!wanted.severity || f.severity === wanted.severity));

function applyFilter() {
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  state.shown = [];
  data.findings.forEach((f, i) => {
    const fits = isOfKind(f) && (!wanted.check || f.check === wanted.check) &&
      (!wanted.rank.trim() || wantsRank(f)) && words.every((w) => everything(f).includes(w));
    if (fits) state.shown.push(i);
  });
  const isLeak = (i) => (data.findings[i].leak ? 1 : 0);
  state.shown.sort((a, b) => isLeak(a) - isLeak(b) || a - b);
  drawList();
  redraw();
}

function filterBar() {
  const field = (name, node) => { node.addEventListener("input", () => { wanted[name] = node.value; applyFilter(); }); return node; };
  const option = (value, text) => el("option", { value }, text);
  const severities = ["error", "warning", "note"].filter((s) => data.findings.some((f) => f.severity === s));
  const checks = [...new Set(data.findings.map((f) => f.check))];
  const codeOf = (check) => data.findings.find((f) => f.check === check).code;
  byId("filter").replaceChildren(
    field("text", el("input", { id: "search", type: "search", placeholder: "Search ( / )", "aria-label": "Search in findings", autocomplete: "off" })),
    field("severity", el("select", { id: "severity", "aria-label": "Severity" }, option("", "all severities"), severities.map((s) => option(s, s + "s")), data.findings.some((f) => f.accepted) ? option("accepted", "accepted ones") : null)),
    field("check", el("select", { id: "check", "aria-label": "Check" }, option("", "all checks"), checks.map((c) => option(c, `${codeOf(c)} ${c}`)))),
    field("rank", el("input", { id: "rank", type: "text", size: 8, placeholder: "rank, 0-3", "aria-label": "Ranks, such as 2 or 0-3", autocomplete: "off" })));
}

function item(i) {
  const f = data.findings[i];
  return el("div", { role: "listitem" }, el("button", {
    type: "button", class: "finding " + f.severity, "data-finding": i, "aria-current": i === state.chosen ? "true" : null, onclick: () => choose(i),
  }, badge(f.severity), el("span", { class: "title" }, el("b", null, f.code), " ", f.check, f.count > 1 ? el("span", { class: "dim" }, ` \u00d7${count(f.count)}`) : null),
  el("span", { class: "message" }, f.message), el("span", { class: "dim who" }, [f.who, ...f.at].join(" \u00b7 "))));
}

function nothingListed() {
  if (data.findings.length === 0) return data.found_nothing ? "No errors found." : "No finding says why the job was stopped: the check is off.";
  return data.findings.every((f) => f.accepted) && wanted.severity !== "accepted" ? "All findings are accepted ones: see the filter." : "No finding fits the filter.";
}

// What was not freed at the end is folded, unless there is nothing else.
function leaks(those, all) {
  if (those.length === 0) return [];
  const folded = el("details", { id: "leaks", open: those.length === all || those.includes(state.chosen) ? "" : null },
    el("summary", null, `Not freed at the end (${count(those.length)})`), el("div", { role: "list" }, those.map(item)));
  return [el("div", { role: "listitem" }, folded)];
}

function drawList() {
  const list = byId("list");
  const n = state.shown.length;
  byId("shown").textContent = n === data.findings.length ? "" : `${count(n)} of ${count(data.findings.length)}`;
  const seen = state.shown.slice(0, listed);
  list.replaceChildren(...seen.filter((i) => !data.findings[i].leak).map(item), ...leaks(seen.filter((i) => data.findings[i].leak), seen.length));
  if (n > listed) list.append(el("button", { type: "button", onclick: () => { listed *= 4; drawList(); } }, `Show more of ${count(n)}`));
  if (n === 0) list.append(el("p", { class: "empty" }, nothingListed()));
  for (const [who, more] of data.hidden) {
    list.append(el("p", { class: "dim" }, `${who || "collective operations"}: ${plural(more, "more finding")} not shown (--max-findings)`));
  }
}

// Chooses a finding; `enter`: goes to what it says.
function choose(i, enter = false) {
  state.chosen = i;
  for (const button of document.querySelectorAll("[data-finding]")) {
    if (Number(button.dataset.finding) === i) {
      button.setAttribute("aria-current", "true");
      const folded = button.closest("details");
      if (folded) folded.open = true;
    } else button.removeAttribute("aria-current");
  }
  drawDetail();
  redraw();
  if (enter) byId("detail").focus();
}

function move(by) {
  if (state.shown.length === 0) return;
  const at = state.shown.indexOf(state.chosen);
  const to = at < 0 ? 0 : Math.max(0, Math.min(state.shown.length - 1, at + by));
  if (to >= listed) { listed *= 4; drawList(); }
  choose(state.shown[to]);
  const button = document.querySelector(`[data-finding="${state.chosen}"]`);
  if (button) { button.focus({ preventScroll: true }); button.scrollIntoView({ block: "nearest" }); }
}

// Other callers that led to the same lines.
function waysOf(f) {
  const ways = f.ways || [];
  if (ways.length === 0) return "";
  const list = el("ul", { class: "ways" }, ways.map((way) => el("li", null, way)));
  return ways.length <= 3 ? list : el("details", null, el("summary", null, `${plural(ways.length, "other way")} to the same lines`), list);
}

function drawDetail() {
  const f = data.findings[state.chosen];
  const detail = byId("detail");
  if (!f) return detail.replaceChildren(el("p", { class: "empty" }, state.shown.length === 0 ? nothingListed() : "Choose a finding."));
  const notes = f.notes.slice();
  if (f.run && f.under) notes.unshift(`first seen in run ${f.run}, under ${f.under}`);
  if (f.came_true) notes.unshift(`came true in run ${f.came_true}`);
  if (f.accepted) notes.unshift(`accepted: ${f.accepted}`);
  const onLine = line && concernOf(f).calls.length > 0;
  detail.replaceChildren(
    el("div", { class: "titlebar" }, badge(f.severity), el("h3", null, `${f.code} ${f.check}`), el("span", { class: "dim" }, f.who + (f.count > 1 ? ` \u00b7 ${count(f.count)} times` : "")),
      onLine ? el("button", { type: "button", id: "show-on-timeline", onclick: () => showOnTimeline(f) }, "Show on the time line (t)") : null),
    el("p", { class: "says" }, f.message),
    f.waits.length > 1 ? drawGraph(f) : "",
    el("div", { class: "sources" }, places(f)),
    waysOf(f),
    notes.length > 0 ? el("ul", { class: "notes" }, notes.map((n) => el("li", null, n))) : "",
    explanation(f) || "");
}

function startFindings() {
  if (data.findings.length > 0) filterBar();
  applyFilter();
  if (state.shown.length > 0) choose(state.shown[0]); else drawDetail();
}
