// Numbers, times and ranks in words.

const count = (n) => Math.round(n).toLocaleString("en-US");
const plural = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`;

// Nanoseconds with a unit; `step` is how far apart two neighbours are, which decides on the digits.
function time(ns, step = Math.abs(ns) / 1000) {
  const size = Math.max(Math.abs(ns), step);
  const [unit, per] = size >= 1e9 ? ["s", 1e9] : size >= 1e6 ? ["ms", 1e6] : size >= 1e3 ? ["\u00b5s", 1e3] : ["ns", 1];
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.max(step, 1e-9) / per) - 1e-9)));
  return `${(ns / per).toFixed(per === 1 ? 0 : digits)} ${unit}`;
}

function bytes(n) {
  if (n < 0 || n === null || n === undefined) return "size unknown";
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) { n /= 1024; i += 1; }
  return `${i === 0 ? count(n) : n.toFixed(n < 10 ? 1 : 0)} ${i === 0 && n === 1 ? "byte" : units[i]}`;
}

// "0-3,7" of names; those of other worlds stay apart.
function rankList(names) {
  const plain = names.filter((n) => /^\d+$/.test(n)).map(Number).sort((a, b) => a - b);
  const parts = [];
  for (let i = 0; i < plain.length;) {
    let j = i;
    while (j + 1 < plain.length && plain[j + 1] <= plain[j] + 1) j += 1;
    parts.push(plain[j] > plain[i] ? `${plain[i]}${plain[j] === plain[i] + 1 ? "," : "-"}${plain[j]}` : `${plain[i]}`);
    i = j + 1;
  }
  return parts.concat(names.filter((n) => !/^\d+$/.test(n))).join(",");
}
const ranksInWords = (names) => `${new Set(names).size === 1 ? "rank" : "ranks"} ${rankList([...new Set(names)])}`;

// Things that have the same key, in the order of the first of each.
function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    const k = key(item);
    if (groups.has(k)) groups.get(k).push(item); else groups.set(k, [item]);
  }
  return [...groups.values()];
}

const shortFile = (place) => place.split("/").pop();
