// Where calls were made from: stacks laid on each other, as wide as the time spent in them.
import { ask } from "../ask.js";
import { choose, place, range } from "../place.js";
import { card, cuts, nothing, table } from "../table.js";
import { count, duration, el, percent } from "../text.js";

// Frames come innermost first; the root is where the program began.
function treeOf(stacks) {
  const root = { name: "all", ns: 0, n: 0, children: new Map() };
  for (const stack of stacks) {
    if (!stack.frames?.length) continue;
    root.ns += stack.total_ns ?? 0;
    root.n += stack.n;
    let at = root;
    for (const name of [...stack.frames].reverse()) {
      if (!at.children.has(name)) at.children.set(name, { name, ns: 0, n: 0, children: new Map() });
      at = at.children.get(name);
      at.ns += stack.total_ns ?? 0;
      at.n += stack.n;
    }
  }
  return root;
}

function find(root, path) {
  let at = root;
  for (const name of path) {
    at = at.children.get(name);
    if (!at) return null;
  }
  return at;
}

const kind = (node) => (node.children.size === 0 ? "leaf" : /\.py\b|\[Python\]/.test(node.name) ? "python" : "native");

// Boxes are buttons in nested lists: their order is that of the tree, for keys and for those who listen.
function boxes(node, whole, path, open, depth = 0) {
  if (depth > 60) return null;
  const children = [...node.children.values()].sort((a, b) => b.ns - a.ns).filter((child) => child.ns / whole.ns > 0.002);
  return el("ul", { class: "icicle" }, children.map((child) => {
    const line = el("li", {}, el("button", { class: `box ${kind(child)}`, title: `${child.name}: ${duration(child.ns)}, ${percent(child.ns / whole.ns)}, ${count(child.n)} calls`,
      onclick: () => open([...path, child.name]) }, child.name), boxes(child, whole, [...path, child.name], open, depth + 1));
    line.style.flexGrow = String(child.ns);  // through the object, which the policy allows
    line.style.width = `${(100 * child.ns) / node.ns}%`;
    return line;
  }));
}

async function draw(main, context) {
  const answer = await ask("get_stacks", { ...range(), limit: 100, ...(place.chosen.op && { op: place.chosen.op }) }, context.signal);
  const known = answer.stacks.filter((stack) => stack.frames?.length);
  const root = treeOf(known);
  let path = [];
  try {
    path = JSON.parse(place.chosen.path ?? "[]");
  } catch {
    path = [];
  }
  const zoomed = Array.isArray(path) ? find(root, path.map(String)) ?? root : root;
  if (zoomed === root) path = [];
  const open = (to) => choose({ path: to.length ? JSON.stringify(to) : null }, false);
  const ops = [...new Set(answer.stacks.map((stack) => stack.op))].sort();
  const select = el("select", { id: "op" }, el("option", { value: "" }, "all calls"), ops.map((op) => el("option", { value: op, selected: op === place.chosen.op }, op)));
  if (place.chosen.op && !ops.includes(place.chosen.op)) select.append(el("option", { value: place.chosen.op, selected: true }, place.chosen.op));
  select.addEventListener("change", () => choose({ op: select.value || null, path: null }, false));
  main.append(el("section", { class: "card" }, el("h2", {}, "Where calls were made"),
    el("div", { class: "bar" }, el("label", { for: "op" }, "Of"), select, path.length ? el("button", { onclick: () => open([]) }, "All of it") : null,
      path.length ? el("button", { onclick: () => open(path.slice(0, -1)) }, "One frame out") : null),
    known.length ? el("div", {}, path.length ? el("p", {}, path.at(-1)) : null, el("p", { class: "quiet" }, `${duration(zoomed.ns)} in ${count(zoomed.n)} calls; a frame is as wide as its share, the calls stand at the bottom.`),
      el("div", { class: "flames", role: "group", "aria-label": "Flame graph" }, boxes(zoomed, zoomed, path, open)))
      : nothing("This part has no stacks: not every call has one (trace --stack), and recordings of the legacy agent may have none."), cuts(answer)));
  if (answer.stacks.length) {
    main.append(card("Stacks", table({ caption: "Stacks by time", rows: answer.stacks, sorted: 2, columns: [
      { head: "Call", text: (stack) => stack.op, sort: (stack) => stack.op },
      { head: "Calls", number: true, text: (stack) => count(stack.n), sort: (stack) => stack.n },
      { head: "Time", number: true, text: (stack) => duration(stack.total_ns), sort: (stack) => stack.total_ns },
      { head: "Longest", number: true, text: (stack) => duration(stack.max_us === null ? null : stack.max_us * 1000), sort: (stack) => stack.max_us },
      { head: "Innermost frames", text: (stack) => (stack.frames ?? []).slice(0, 3).join(" < ") || "not known" }] })));
  }
}

export default { name: "flame", title: "Flame graph", draw };
