// The header: which recording, the tabs of the views, which part of the recording. Its elements stay the same ones, so
// that the focus is not lost when the recording grows.
import { count, duration, el, timeOfDay, wallNs } from "./text.js";
import { go, hashOf, place } from "./place.js";
import { keyOf } from "./keys.js";

const STEP = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// The tabs are links: the selected one is reached by Tab, the others by arrow keys, and Enter or Space opens one.
function tabs(views) {
  const links = views.map((view, i) => el("a", { role: "tab", id: `tab-${view.name}`, "aria-controls": "view", "aria-keyshortcuts": keyOf(i) }, view.title));
  const list = el("div", { role: "tablist", class: "tabs", "aria-label": "Views" }, links);
  list.addEventListener("keydown", (event) => {
    const at = links.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const ends = { Home: 0, End: links.length - 1 };
    if (event.key === " ") links[at].click();
    else if (event.key in STEP) links[(at + STEP[event.key] + links.length) % links.length].focus();
    else if (event.key in ends) links[ends[event.key]].focus();
    else return;
    event.preventDefault();
  });
  return { links, list };
}

export class Header {
  // follow(): somebody wants the page to go on with the recording, or to pause.
  constructor(views, follow) {
    this.views = views;
    this.text = el("span");
    this.follow = el("button", { id: "follow", onclick: follow });
    this.part = el("span");
    this.whole = el("button", { id: "whole", onclick: () => go({ from: null, to: null, chosen: place.chosen }) }, "Whole recording");
    const { links, list } = tabs(views);
    this.links = links;
    document.getElementById("recording").append(this.text, " ", this.follow);
    document.getElementById("views").append(list);
    document.getElementById("part").append(this.part, " ", this.whole);
  }

  // info: of the recording, or null while it is not known.
  draw({ info, origin, spanNs }, follows) {
    const view = this.views.find((one) => one.name === place.view) ?? this.views[0];
    document.title = [view.title, info?.file, "ingero"].filter(Boolean).join(" – ");
    this.links.forEach((link, i) => {
      const isSelected = this.views[i] === view;
      link.href = hashOf({ view: this.views[i].name });
      link.setAttribute("aria-selected", String(isSelected));
      link.tabIndex = isSelected ? 0 : -1;
    });
    this.follow.hidden = !info?.live;
    this.whole.hidden = !place.from && !place.to;
    if (!info) {
      this.text.textContent = "";
      this.part.textContent = "";
      return;
    }
    const { file, legacy, first, events } = info;
    const line = [file, `${count(events)} events`, first ? `${duration(spanNs)} from ${first.slice(0, 10)} ${timeOfDay(first)} UTC` : "no event yet"];
    if (legacy) line.push("made by the legacy agent");
    this.text.textContent = line.join(" · ");
    this.follow.textContent = follows ? "Live: following" : "Live: paused";
    this.follow.setAttribute("aria-pressed", String(follows));
    if (this.whole.hidden) {
      this.part.textContent = "Whole recording";
      return;
    }
    const offset = (text, otherwise) => (text ? Number((wallNs(text) ?? origin) - origin) : otherwise);
    const [from, to] = [offset(place.from, 0), offset(place.to, spanNs)];
    this.part.textContent = `Part: ${duration(Math.max(0, to - from))}, from ${duration(from)} on`;
  }
}
