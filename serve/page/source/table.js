// A table that can be sorted by its heads, with rows that can be chosen by keyboard too.
import { el } from "./text.js";

// By caption: what was sorted stays sorted when the view is drawn anew.
const orders = new Map();

const plural = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

// A table scrolls in a frame of its own where it is wider than its place; a button above it says how many columns are out
// of sight and brings them in. Without such columns the Tab key passes the frame.
function framed(name, grid, more) {
  const scroller = el("div", { class: "table", role: "group", "aria-label": name }, grid, more);
  const hint = el("button", { class: "hint", hidden: true }, "More columns");
  const heads = [...grid.querySelectorAll("thead th")];
  const update = () => {
    const width = scroller.clientWidth;
    if (!width) return;
    const isWide = scroller.scrollWidth > width + 1;
    const hidden = isWide ? heads.filter((head) => head.offsetLeft + head.offsetWidth > scroller.scrollLeft + width + 1) : [];
    const right = hidden.length;
    scroller.classList.toggle("is-wide", isWide);
    frame.classList.toggle("is-cut", right > 0);
    if (isWide) scroller.tabIndex = 0;
    else scroller.removeAttribute("tabindex");
    hint.hidden = !isWide;
    hint.textContent = right ? `${plural(right, "more column")} →` : "← to the first column";
    // The first that is cut comes next to the column of names, which stays; one that is there already is wider than its place.
    hint.onclick = () => {
      const next = right ? hidden[0].offsetLeft - heads[0].offsetWidth : 0;
      scroller.scrollLeft = right && next <= scroller.scrollLeft ? scroller.scrollLeft + width / 2 : next;
    };
  };
  const frame = el("div", { class: "frame" }, hint, scroller);
  scroller.addEventListener("scroll", update, { passive: true });
  const observer = new ResizeObserver(update);
  observer.observe(scroller);
  observer.observe(grid);
  return frame;
}

// columns: { head, title?, text(row), sort(row)?, node(row)?, number? }. choose(row): a click or Enter on a row.
export function table({ caption, columns, rows, sorted = null, choose = null, key = null, chosen = null, most = 200 }) {
  const state = orders.get(caption) ?? { by: sorted, down: true };
  orders.set(caption, state);
  const body = el("tbody");
  const more = el("p", { class: "quiet" });

  function fill() {
    const column = columns[state.by];
    let list = rows;
    if (column?.sort) {
      list = [...rows].sort((a, b) => {
        const [x, y] = [column.sort(a), column.sort(b)];
        const order = x === y ? 0 : x === null || x === undefined ? -1 : y === null || y === undefined ? 1 : x < y ? -1 : 1;
        return state.down ? -order : order;
      });
    }
    body.replaceChildren(...list.slice(0, most).map((row) => {
      const line = el("tr", { "aria-selected": key && chosen !== null ? String(key(row)) === String(chosen) : undefined });
      columns.forEach((one, i) => {
        const content = one.node ? one.node(row) : one.text(row);
        line.append(el(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : undefined, class: one.number ? "number" : undefined },
          i === 0 && choose ? el("button", { class: "plain", onclick: () => choose(row) }, content) : content));
      });
      return line;
    }));
    more.textContent = rows.length > most ? `${most} of ${rows.length} rows are shown.` : "";
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== state.by ? "none" : state.down ? "descending" : "ascending"));
  }

  const heads = columns.map((column, i) => el("th", { scope: "col", class: column.number ? "number" : undefined, title: column.title },
    column.sort ? el("button", { class: "plain", onclick: () => {
      state.down = state.by === i ? !state.down : true;
      state.by = i;
      fill();
    } }, column.head) : column.head));
  const grid = el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body);
  fill();
  return framed(caption, grid, more);
}

// Pairs of a name and what it is.
export function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

export const card = (title, ...children) => el("section", { class: "card" }, el("h2", {}, title), ...children);
export const nothing = (sentence) => el("p", { class: "quiet" }, sentence);

// What an answer leaves out, said where it is shown.
export const cuts = (answer) => (answer?.cut?.length ? el("ul", { class: "cut" }, answer.cut.map((one) => el("li", {}, one))) : null);
