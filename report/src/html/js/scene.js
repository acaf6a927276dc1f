// Which part of the time line is seen: times from left to right, rows of ranks from top to bottom. A row is one rank, or a
// group of neighbouring ranks that are folded together.

const ROW_GAP = 3;
const AXIS = 26;

const scene = {
  width: 800, height: 300, gutter: 64,
  from: 0, to: 1, // times
  fold: 1, rows: 0, rowHeight: 22, top: 0, // the first pixel of the rows that is seen
  row: 0, // the row that the keyboard is at
  tall: 1, // how much higher than usual rows are
  strip: 0, // what regions take of the height of a row

  start() {
    this.from = 0;
    this.to = line.end;
    let fold = 1;
    while (line.ranks.length / fold > 64) fold *= 2;
    this.setFold(fold);
  },

  setFold(fold) {
    const most = 2 ** Math.ceil(Math.log2(Math.max(1, line.ranks.length)));
    this.fold = Math.min(most, Math.max(1, fold));
    this.rows = Math.ceil(line.ranks.length / this.fold);
    const usual = this.rows <= 4 ? 44 : this.rows <= 12 ? 30 : this.rows <= 32 ? 20 : 14;
    this.rowHeight = Math.min(Math.max(44, usual), usual * this.tall);
    this.strip = fold > 1 || line.regions.length === 0 ? 0 : this.rowHeight >= 28 ? 12 : 3;
    this.row = Math.min(this.row, this.rows - 1);
    this.shares = new Map();
    this.scrollTo(this.top);
  },

  // Fewer ranks in a row; where each has its own, higher rows.
  unfold() {
    if (this.fold === 1) this.tall = Math.min(4, this.tall * 2);
    this.setFold(this.fold / 2);
  },
  foldMore() {
    if (this.tall > 1) this.tall /= 2;
    else this.fold *= 2;
    this.setFold(this.fold);
  },

  rowsHeight() { return this.rows * (this.rowHeight + ROW_GAP); },
  scrollTo(top) { this.top = Math.max(0, Math.min(top, this.rowsHeight() - (this.height - AXIS))); },

  x(t) { return this.gutter + ((t - this.from) / (this.to - this.from)) * (this.width - this.gutter); },
  t(x) { return this.from + ((x - this.gutter) / (this.width - this.gutter)) * (this.to - this.from); },
  y(row) { return AXIS + row * (this.rowHeight + ROW_GAP) - this.top; },
  rowAt(y) {
    const row = Math.floor((y - AXIS + this.top) / (this.rowHeight + ROW_GAP));
    return y >= AXIS && row >= 0 && row < this.rows ? row : -1;
  },
  rowOf(rank) { return Math.floor(rank / this.fold); },
  middle(rank) { return this.y(this.rowOf(rank)) + this.rowHeight / 2; },
  ranksOf(row) {
    const ranks = [];
    for (let r = row * this.fold; r < Math.min((row + 1) * this.fold, line.ranks.length); r += 1) ranks.push(r);
    return ranks;
  },
  isSeen(row) { return this.y(row) + this.rowHeight > AXIS && this.y(row) < this.height; },

  // Zooms by a factor so that the time at x stays where it is.
  zoom(factor, x = this.gutter + (this.width - this.gutter) / 2) {
    const t = this.t(x);
    const least = Math.min(line.end, 50);
    const span = Math.min(Math.max((this.to - this.from) / factor, least), line.end);
    const share = (x - this.gutter) / (this.width - this.gutter);
    this.show(t - span * share, t + span * (1 - share));
  },
  pan(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  },
  show(from, to) {
    const span = Math.max(1, to - from);
    const start = Math.max(0, Math.min(from, line.end - span));
    this.from = start;
    this.to = Math.min(line.end, start + span);
  },

  // Shares of the states of a row, cell by cell: the mean of its ranks.
  sharesOf(row) {
    if (!this.shares.has(row)) {
      const ranks = this.ranksOf(row);
      const length = Math.max(0, ...ranks.map((r) => cells[r].length));
      const sums = new Float32Array(length);
      for (const r of ranks) {
        const own = cells[r];
        for (let i = 0; i < own.length; i += 1) sums[i] += own[i] / (255 * ranks.length);
      }
      this.shares.set(row, sums);
    }
    return this.shares.get(row);
  },
};

// A call in the given rank at this time, if calls are known one by one there.
function callAt(rank, t) {
  for (const lane of exact[rank].lanes) {
    let low = 0, high = lane.calls.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (lane.calls[mid].begin <= t) low = mid + 1; else high = mid;
    }
    const call = lane.calls[low - 1];
    if (call && call.end >= t) return call;
  }
  return null;
}
