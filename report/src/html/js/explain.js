// The page of a check from the catalogue: a little Markdown.

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) =>
    part.startsWith("`") ? el("code", null, part.slice(1, -1)) : part.startsWith("**") ? el("b", null, part.slice(2, -2)) : part);
}

function paragraphs(doc) {
  const out = [];
  let words = [], code = null, items = null;
  const flush = () => {
    if (words.length > 0) out.push(el("p", null, inline(words.join(" "))));
    if (items) out.push(el("ul", null, items.map((i) => el("li", null, inline(i)))));
    words = [];
    items = null;
  };
  for (const raw of doc.split("\n")) {
    const text = raw.replace(/^ /, "");
    if (text.trim().startsWith("```")) {
      if (code === null) { flush(); code = []; } else { out.push(el("pre", null, code.join("\n"))); code = null; }
    } else if (code !== null) code.push(text.replace("//~", "<--"));
    else if (text.startsWith("#")) { flush(); out.push(el("h4", null, text.replace(/^#+\s*/, ""))); }
    else if (/^[-*] /.test(text)) { if (!items) flush(); (items = items || []).push(text.slice(2)); }
    else if (text.trim() === "") flush();
    else if (items) items[items.length - 1] += " " + text.trim();
    else words.push(text.trim());
  }
  flush();
  return out;
}

function explanation(finding) {
  const check = data.checks[finding.check];
  if (!check) return null;
  return el("details", { class: "explain" }, el("summary", null, `What ${finding.code} ${finding.check} means, and how to fix it`),
    el("p", { class: "summary" }, check.summary), paragraphs(check.doc));
}
