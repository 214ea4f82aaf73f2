// A picture made of columns, one of which can be chosen: by pointer, by touch or by arrow keys. To a screen reader it is
// a list; each column is an entry that says in words what it shows. Colours come from classes of style.css, so a picture
// follows the scheme by itself.
import { duration, el } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";

// As el(), for the elements of a picture.
export function shape(name, properties = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(properties)) if (value !== undefined && value !== null) made.setAttribute(key, String(value));
  for (const child of children.flat()) if (child) made.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return made;
}

// The next of 1, 2, 5, 10, 20, ... that is not below.
export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((times) => times * power >= least) * power;
}

// The times below the columns; columns: { x, at } from left to right.
export function timeAxis(columns, y, right) {
  const marks = [];
  let free = -Infinity;
  for (const { x, at } of columns) {
    const text = duration(Math.max(0, at));
    if (x < free || x + 6 * text.length > right) continue;
    marks.push(shape("text", { class: "axis", x, y }, text));
    free = x + 7 * text.length + 24;
  }
  return shape("g", { "aria-hidden": "true" }, marks);
}

// items: what the columns are about, with `id` (to find it again) and `label` (in words). draw(width): { height, slots,
// shapes, behind, before }, with slots [{ x, width }] and shapes (an array) for each item, and what is drawn behind and
// before them.
// onChoose(item): one was chosen. The element has choose(i), chosen() and close().
export function picture({ id, label, items, chosen = null, draw, onChoose }) {
  const scene = shape("svg", { role: "presentation", width: "100%" });
  const place = el("div", { class: "picture", id, role: "listbox", tabindex: 0, "aria-label": label, "aria-orientation": "horizontal" }, scene);
  let slots = [], options = [], at = items.findIndex((item) => String(item.id) === String(chosen)), width = 0;

  function mark() {
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    if (at >= 0 && options[at]) place.setAttribute("aria-activedescendant", options[at].id);
  }

  function drawAll() {
    const drawn = draw(width);
    slots = drawn.slots;
    scene.setAttribute("height", drawn.height);
    scene.setAttribute("viewBox", `0 0 ${width} ${drawn.height}`);
    options = items.map((item, i) => shape("g", { role: "option", id: `${id}-${i}`, "aria-label": item.label },
      shape("title", {}, item.label), shape("rect", { class: "slot", x: slots[i].x, y: 0, width: slots[i].width, height: drawn.height }), drawn.shapes[i]));
    scene.replaceChildren(...drawn.behind, ...options, ...drawn.before);
    mark();
  }

  place.choose = (i) => {
    at = Math.min(items.length - 1, Math.max(0, i));
    mark();
    onChoose(items[at]);
  };
  place.chosen = () => at;
  place.addEventListener("click", (event) => {
    const x = event.clientX - scene.getBoundingClientRect().left;
    let best = -1, least = Infinity;
    slots.forEach((slot, i) => {
      const away = Math.abs(slot.x + slot.width / 2 - x);
      if (away < least) [best, least] = [i, away];
    });
    if (best >= 0) place.choose(best);
  });
  place.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const tenth = Math.max(1, Math.round(items.length / 10));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowDown: at + 1, PageUp: at - tenth, PageDown: at + tenth, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    place.choose(to);
  });
  const observer = new ResizeObserver(() => {
    if (!place.clientWidth || place.clientWidth === width) return;
    width = place.clientWidth;
    drawAll();
  });
  observer.observe(place);
  place.close = () => observer.disconnect();
  return place;
}
