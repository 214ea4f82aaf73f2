// Keys that work everywhere, and the list of all of them.
import { el } from "./text.js";
import { go } from "./place.js";

// Of the view that stands there: digits, then letters from "a" on.
export const keyOf = (i) => (i + 1).toString(36);

const EVERYWHERE = [["1 to 9, a", "the views, in their order"], ["0", "the whole recording"], ["?", "this list"], ["Escape", "closes it"]];
export const TIMELINE = [
  ["← →", "earlier, later"], ["+ −", "closer, farther (also ↑ ↓ with Ctrl, or the wheel with Ctrl)"], ["↑ ↓", "the track above, below"],
  [", .", "the previous, the next call of the track"], ["Enter", "as close as the chosen call"], ["Home End", "the beginning, the end"],
];
const PICTURES = [["← →", "the column before, the next"], ["Page Up, Page Down", "a tenth of them earlier, later"], ["Home End", "the first, the last"]];
const dialog = document.getElementById("keys");

const list = (title, pairs) => [el("h3", {}, title), el("dl", { class: "keys" },
  pairs.map(([key, what]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, what))))];

export function showKeys() {
  dialog.replaceChildren(el("h2", { id: "keys-title" }, "Keys"), ...list("Everywhere", EVERYWHERE), ...list("On the timeline", TIMELINE), ...list("On steps and ranks", PICTURES),
    el("button", { onclick: () => dialog.close() }, "Close"));
}

const types = (target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

export function onKey(event, views) {
  if (event.ctrlKey || event.metaKey || event.altKey || types(event.target) || dialog.open) return;
  const at = views.findIndex((_, i) => keyOf(i) === event.key);
  if (event.key === "?") dialog.showModal();
  else if (event.key === "0") go({ from: null, to: null });
  else if (at >= 0) go({ view: views[at].name });
  else return;
  event.preventDefault();
}
