// What was run and how it ended, at a glance.

const ENDS = {
  normal: (e) => (e.exit_status ? `ended with exit status ${e.exit_status}` : "ended normally"), abend: () => "crashed",
  abort: () => "ended by MPI_Abort or from outside", stopped: () => "stopped", running: () => "still running",
  missing: () => "no trace: MPI_Init was not called, or the trace is on another node", unknown: () => "end unknown",
};

function howItEnded(e) {
  const what = (ENDS[e.end] || ENDS.unknown)(e);
  if (e.end === "normal" || !e.function) return what;
  return `${what} in ${e.function}${e.place ? ` (${e.place})` : ""}`;
}

function library() {
  const first = data.mpi.library.split("\n")[0].replaceAll("\t", " ").split(",")[0].trim();
  const name = first.split(/\s+/).filter((w) => w !== "Version:").join(" ");
  return name + (data.mpi.standard ? ` (MPI ${data.mpi.standard})` : "");
}

function verdict() {
  if (data.failure) return [el("span", { class: "pill" }, "no report")];
  const part = (n, what) => (n > 0 ? el("span", { class: "pill " + what }, badge(what), plural(n, what)) : null);
  const pills = [part(data.errors, "error"), part(data.warnings, "warning"), part(data.notes, "note")];
  if (pills.some(Boolean)) return pills;
  if (data.found_nothing) return [el("span", { class: "pill clean" }, el("span", { "aria-hidden": "true" }, "\u2713 "), "no errors found")];
  const accepted = data.findings.filter((f) => f.accepted).length;
  return [el("span", { class: "pill" }, accepted > 0 ? `${plural(accepted, "accepted finding")}, no other` : "stopped; the check that says why is off")];
}

function startHead() {
  const ends = groupBy(data.ended, howItEnded).map((group) => el("li", null, el("b", null, ranksInWords(group.map((e) => e.rank))), " " + howItEnded(group[0])));
  const calls = data.ended.reduce((sum, e) => sum + e.calls, 0);
  byId("head").replaceChildren(
    el("p", { class: "brand" }, "mpivet"),
    el("h1", null, el("code", null, [data.program, ...data.arguments].join(" "))),
    el("p", { class: "facts" }, (data.jobs > 0 ? [plural(data.jobs, "job")] : [plural(data.ranks, "rank"), library(), plural(calls, "MPI call")]).filter(Boolean).join(" \u00b7 ")),
    el("p", { class: "verdict", role: "status" }, verdict()),
    el("ul", { class: "ends" }, ends.slice(0, 8), ends.length > 8 ? el("li", { class: "dim" }, `and ${count(ends.length - 8)} more kinds of ends: see Ranks`) : null,
      data.stopped ? el("li", { class: "dim" }, `mpivet stopped ${data.jobs > 0 ? "a job" : "the job"}, because it could never have gone on`) : null),
    data.failure ? el("div", { class: "damage", role: "alert" }, el("b", null, "There is no report: "), data.failure) : "",
    data.defects.length === 0 ? "" : el("div", { class: "damage", role: "alert" }, el("b", null, "The trace is incomplete, and so is this report:"),
      el("ul", null, data.defects.slice(0, 20).map((d) => el("li", null, [d.rank, d.offset === null ? "" : `at byte ${d.offset}`].filter(Boolean).join(" ") + (d.rank || d.offset !== null ? ": " : "") + d.what)),
        data.defects.length > 20 ? el("li", null, `and ${count(data.defects.length - 20)} more`) : null)));
  byId("nav").replaceChildren(...[...document.querySelectorAll("main > section:not([hidden])")].map((s) =>
    el("a", { href: "#" + s.id }, s.querySelector("h2").textContent)), el("button", { type: "button", id: "help-button", onclick: () => showHelp() }, "Keys (?)"));
}
