// The data of the page, and what is chosen in it.

const data = JSON.parse(byId("data").textContent);
const line = data.timeline;

// Decodes the cells: for each rank an array of four shares a cell.
function decode(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

const STATES = [
  { key: "message", name: "messages" },
  { key: "waiting", name: "waiting for others" },
  { key: "collective", name: "collective" },
  { key: "other", name: "other MPI" },
];

// Calls that are known one by one, by rank: each an object, and until when there are only cells.
function readLanes() {
  const byRank = line.ranks.map(() => ({ lanes: [], from: 0 }));
  for (const lane of line.lanes) {
    const calls = lane.calls.map(([func, place, index, begin, length, wait, error, polls, args]) => ({
      rank: lane.rank, thread: lane.thread, func, index, begin, open: length < 0,
      end: length < 0 ? line.end : begin + length, wait: length < 0 ? line.end - begin : wait, error, polls, args,
      place: place < 0 ? "" : line.places[place], name: line.functions[func], state: line.states[func],
    }));
    const rank = byRank[lane.rank];
    rank.lanes.push({ thread: lane.thread, calls });
    if (lane.cut && calls.length > 0) rank.from = Math.max(rank.from, calls[0].begin);
  }
  return byRank;
}

const exact = line ? readLanes() : [];
const cells = line ? line.cells.data.map(decode) : [];
const callKey = (rank, thread, index) => `${rank}.${thread}.${index}`;

function indexOfCalls() {
  const known = new Map();
  for (const rank of exact) {
    for (const lane of rank.lanes) for (const call of lane.calls) known.set(callKey(call.rank, call.thread, call.index), call);
  }
  return known;
}
const knownCalls = indexOfCalls();

const messages = (line ? line.messages : []).map(([from, to, sent, received, size, tag, comm, c]) => ({
  from, to, sent, received, size, tag, comm,
  send: callKey(from, c[0], c[1]), recv: callKey(to, c[2], c[3]), end: callKey(to, c[4], c[5]),
}));
const communicators = new Map((line ? line.communicators : []).map((c) => [c.number, c]));
const commName = (number) => {
  const c = communicators.get(number);
  return c ? c.name || `${c.kind} ${c.number}` : `communicator ${number}`;
};

// The call of a place in a finding, with its times: from the time line if it is there, or from the finding.
function callOfSite(site) {
  const key = callKey(site.process, site.thread, (site.event - 1) / 2);
  const known = knownCalls.get(key);
  if (known) return { ...known, key };
  if (!site.span || !line) return null;
  const open = site.span[1] < 0;
  const func = line.functions.indexOf(site.function);
  return {
    key, rank: site.process, thread: site.thread, begin: site.span[0], end: open ? line.end : site.span[1], open,
    wait: open ? line.end - site.span[0] : 0, name: site.function, place: site.place, state: func < 0 ? 3 : line.states[func],
    args: site.call.replace(/^[^(]*\(/, "").replace(/\)$/, ""), error: 0, polls: 0, apart: true,
  };
}

// The calls of a finding on the time line, and the messages between them; both are looked for when they are needed first.
class Concern {
  constructor(finding) { this.finding = finding; }
  get calls() {
    return this.knownCalls ||= this.finding.sites.map((site) => ({ site, call: callOfSite(site) })).filter((c) => c.call);
  }
  get arrows() {
    if (!this.knownArrows) {
      const keys = new Set(this.calls.map((c) => c.call.key));
      const between = messages.filter((m) => keys.has(m.send) && (keys.has(m.recv) || keys.has(m.end)));
      this.knownArrows = between.length > 0 ? between : pairOf(this.calls);
    }
    return this.knownArrows;
  }
}

const concerns = new Map();
function concernOf(finding) {
  if (!line) return { calls: [], arrows: [] };
  if (!concerns.has(finding)) concerns.set(finding, new Concern(finding));
  return concerns.get(finding);
}

// A finding about one message speaks of its send and of its receive; the message may not be in the sample.
function pairOf(calls) {
  if (calls.length !== 2) return [];
  const send = calls.find((c) => c.site.sends), recv = calls.find((c) => c !== send && c.site.receives);
  if (!send || !recv || recv.call.open || send.call.rank === recv.call.rank) return [];
  return [{
    from: send.call.rank, to: recv.call.rank, sent: send.call.begin, received: recv.call.end, size: -1, tag: null,
    comm: null, send: send.call.key, recv: recv.call.key, end: recv.call.key,
  }];
}

// What is chosen; tests read it, too.
const state = { chosen: null, shown: [], view: null, drawn: {}, problems: [] };
window.mpivet = { state, data };
