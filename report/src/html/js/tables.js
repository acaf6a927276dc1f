// The tables: message queues, communicators, ranks, the run.

function startTables() {
  if (data.queues.length > 0) {
    const names = { sends: "sent, not received", receives: "waits to receive", unexpected: "arrived, not asked for" };
    section("queues", "Message queues at the end", longTable("Message queues at the end", [["Rank", "n"], ["Communicator"], ["Queue"], ["Peer", "n"], ["Tag", "n"], ["Size", "n"], ["Count", "n"], ["Call", "c"], ["Place", "c"]],
      data.queues.map((q) => [q.rank, q.communicator, names[q.queue] || q.queue, q.peer || "any", q.tag === null ? "any" : q.tag, q.bytes === null ? "" : bytes(q.bytes), q.count, q.function, q.place])));
  }
  if (line && line.communicators.length > 0) {
    const rows = line.communicators.map((c) => [c.number, c.kind, c.name, c.size, c.ranks + (c.remote ? ` | ${c.remote}` : "")]);
    const more = line.communicators_seen - rows.length;
    section("communicators", "Communicators", longTable("Communicators, windows and files", [["Number", "n"], ["Kind"], ["Name"], ["Size", "n"], ["Ranks"]], rows),
      more > 0 ? el("p", { class: "dim" }, `and ${count(more)} more`) : "");
  }
  if (data.ended.length > 0) {
    section("ranks", "Ranks", longTable("How each rank ended and what it did", [["Rank", "n"], ["End"], ["Calls", "n"], ["Sends", "n"], ["Receives", "n"], ["Collectives", "n"], ["Unfinished", "n"]],
      data.ended.map((e) => [e.rank, howItEnded(e), count(e.calls), count(e.sends), count(e.recvs), count(e.collectives), count(e.unfinished)])));
  }
  const facts = [["Program", [data.program, ...data.arguments].join(" ")], ...(data.jobs > 0 ? [["Jobs", count(data.jobs)]] : [["Ranks", count(data.ranks)], ["MPI library", data.mpi.library], ["MPI standard", data.mpi.standard]]),
    ["Trace", data.trace_dir], ["mpivet", data.version]].filter(([, v]) => v);
  section("run", "Run", el("dl", null, facts.map(([name, value]) => [el("dt", null, name), el("dd", null, el("code", null, value))])),
    data.remarks.length > 0 ? el("ul", { class: "notes" }, data.remarks.map((r) => el("li", null, r))) : "");
}
