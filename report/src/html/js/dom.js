// Makes elements. Text gets into the document here only, and only as text.

const SVG = "http://www.w3.org/2000/svg";

function fillIn(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const el = (tag, attributes, ...children) => fillIn(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fillIn(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);

// Shows a section with a heading and something below it.
function section(id, title, ...children) {
  const node = byId(id);
  node.hidden = false;
  node.replaceChildren();
  return fillIn(node, null, [el("h2", { id: id + "-title" }, title), children]);
}

// A table; columns are [heading, kind], where kind "n" is for numbers and "c" for code.
function table(caption, columns, rows) {
  const head = columns.map(([name, kind]) => el("th", { scope: "col", class: kind }, name));
  const body = rows.map((row) => el("tr", null, row.map((cell, i) => el("td", { class: columns[i][1] }, cell))));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", null, el("caption", { class: "hidden" }, caption), el("thead", null, el("tr", null, head)), el("tbody", null, body)));
}

// A table of which only the first rows are shown, until somebody wants all.
function longTable(caption, columns, rows, most = 200) {
  if (rows.length <= most) return table(caption, columns, rows);
  const box = el("div", null, table(caption, columns, rows.slice(0, most)));
  const all = () => box.replaceChildren(table(caption, columns, rows));
  box.append(el("button", { type: "button", onclick: all }, `Show all ${count(rows.length)}`));
  return box;
}
