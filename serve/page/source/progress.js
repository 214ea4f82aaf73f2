// That the page works, and on what: a line in the header while a view is being drawn, and the outline of a view that has
// no content yet.
import { onWork, underWay } from "./ask.js";
import { el } from "./text.js";

const line = document.getElementById("progress");
const what = el("span");
const since = el("span", { "aria-hidden": "true" });  // every second; a screen reader hears only what changes
line.replaceChildren(what, since);
let began = null;
let timer = 0;

function update() {
  if (began === null) return;
  const questions = underWay();
  what.textContent = `Loading ${questions.length ? questions.join(", ") : "the view"}`;
  const seconds = Math.floor((performance.now() - began) / 1000);
  since.textContent = seconds ? ` … ${seconds} s` : " …";
}
onWork(update);

export function begin() {
  if (began === null) timer = setInterval(update, 1000);
  began = performance.now();
  line.hidden = false;
  update();
}

export function end() {
  began = null;
  clearInterval(timer);
  line.hidden = true;
}

// Where text and figures will stand.
export const waiting = (lines = 3) => el("div", { class: "waiting", "aria-hidden": "true" }, Array.from({ length: lines }, () => el("i")));
export const outline = (title) => el("div", { class: "view outline" }, el("section", { class: "card" }, el("h2", {}, title), waiting(6)));
