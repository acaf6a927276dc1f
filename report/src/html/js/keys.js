// The keyboard.

const KEYS = [
  ["j, \u2193 / k, \u2191", "next / previous finding"], ["Enter", "read the chosen finding"], ["/", "search"], ["t", "show the finding on the time line"],
  ["e", "explain the check"], ["+ / \u2212", "zoom the time line"], ["\u2190 / \u2192", "move the time line (when it has the focus)"],
  ["[ / ]", "previous / next call of a rank (there)"], ["0", "whole run"], ["Esc", "leave the search or this help"], ["?", "this help"],
];

function showHelp() {
  const help = byId("help");
  help.replaceChildren(el("h2", { id: "help-title" }, "Keys"), el("dl", null, KEYS.map(([key, what]) => [el("dt", null, key), el("dd", null, what)])),
    el("form", { method: "dialog" }, el("button", null, "Close")));
  help.showModal();
}

const isTyping = (node) => node && (node.tagName === "INPUT" || node.tagName === "SELECT" || node.tagName === "TEXTAREA");

const ACTIONS = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
  "/": () => byId("search") && byId("search").focus(), "?": showHelp,
  t: () => state.chosen !== null && line && showOnTimeline(data.findings[state.chosen]),
  e: () => { const box = document.querySelector("#detail .explain"); if (box) { box.open = !box.open; box.scrollIntoView({ block: "nearest" }); } },
  "+": () => { scene.zoom(2); redraw(); }, "=": () => { scene.zoom(2); redraw(); }, "-": () => { scene.zoom(0.5); redraw(); },
  0: () => { if (line) { scene.show(0, line.end); redraw(); } },
};

function startKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const arrows = event.key === "ArrowDown" || event.key === "ArrowUp";
    // Arrows scroll, unless somebody is in the list.
    if (arrows && !byId("list").contains(document.activeElement)) return;
    if (event.key === "Enter") {
      if (event.target.dataset && event.target.dataset.finding !== undefined) { choose(Number(event.target.dataset.finding), true); event.preventDefault(); }
      return;
    }
    const action = ACTIONS[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  });
}
