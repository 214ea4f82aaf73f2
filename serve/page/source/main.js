// The page: header, the way between views, keys, and keeping up with a recording that is still being written.
import { Failure, ask, get, login, logIn } from "./ask.js";
import { count, duration, el, timeOfDay, wallNs } from "./text.js";
import { go, hashOf, onMove, place, start } from "./place.js";
import { keyOf, onKey, showKeys } from "./keys.js";
import collectives from "./views/collectives.js";
import flame from "./views/flame.js";
import health from "./views/health.js";
import inference from "./views/inference.js";
import memory from "./views/memory.js";
import operations from "./views/operations.js";
import overview from "./views/overview.js";
import { devices, fabric } from "./views/samples.js";
import timeline from "./views/timeline.js";

const VIEWS = [overview, operations, timeline, flame, memory, collectives, inference, fabric, devices, health];
const EVERY_MS = 2000;

const main = document.getElementById("main");
const notice = document.getElementById("notice");
const statusLine = document.getElementById("status");

// What every view is given.
const context = {
  info: null,  // the recording: file, live, first, last, events
  origin: 0n,  // of the times in views: the wall time of the first event, in nanoseconds
  spanNs: 0,
  say: (sentence) => { statusLine.textContent = sentence; },
  header: () => drawHeader(),
};
let shown = null;  // { view, abort, close? } of what is drawn
let follows = true;

async function look() {
  const stats = await ask("get_trace_stats");
  const { file, live, earlier_agent: earlier, schema } = stats.recording;
  context.info = { file, live, earlier, schema, first: stats.first, last: stats.last, events: stats.events };
  context.origin = wallNs(stats.first) ?? 0n;
  context.spanNs = stats.last ? Number(wallNs(stats.last) - context.origin) : 0;
}

// Elements of the header stay the same ones, so that the focus is not lost when the recording grows.
const header = {
  text: el("span"),
  follow: el("button", { id: "follow", onclick: () => { follows = !follows; drawHeader(); } }),
  links: VIEWS.map((view, i) => el("a", { "aria-keyshortcuts": keyOf(i) }, view.title)),
  part: el("span"),
  whole: el("button", { id: "whole", onclick: () => go({ from: null, to: null, chosen: place.chosen }) }, "Whole recording"),
};
document.getElementById("recording").append(header.text, " ", header.follow);
document.getElementById("views").append(...header.links);
document.getElementById("part").append(header.part, " ", header.whole);

function drawHeader() {
  const { file, live, earlier, first, events } = context.info;
  document.title = `${VIEWS.find((view) => view.name === place.view)?.title ?? "?"} – ${file} – ingero`;
  const line = [file, `${count(events)} events`, first ? `${duration(context.spanNs)} from ${first.slice(0, 10)} ${timeOfDay(first)} UTC` : "no event yet"];
  if (earlier) line.push("made by the earlier agent");
  header.text.textContent = line.join(" · ");
  header.follow.hidden = !live;
  header.follow.textContent = follows ? "Live: following" : "Live: paused";
  header.follow.setAttribute("aria-pressed", String(follows));
  header.links.forEach((link, i) => {
    const isCurrent = VIEWS[i].name === place.view;
    link.href = hashOf({ view: VIEWS[i].name });
    if (isCurrent === link.hasAttribute("aria-current")) return;
    link.toggleAttribute("aria-current", isCurrent);
    if (!isCurrent) return;
    link.setAttribute("aria-current", "page");
    const nav = link.parentNode;
    nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
  });
  header.whole.hidden = !place.from && !place.to;
  if (header.whole.hidden) {
    header.part.textContent = "Whole recording";
    return;
  }
  const offset = (text, otherwise) => (text ? Number((wallNs(text) ?? context.origin) - context.origin) : otherwise);
  const [from, to] = [offset(place.from, 0), offset(place.to, context.spanNs)];
  header.part.textContent = `Part: ${duration(Math.max(0, to - from))}, from ${duration(from)} on`;
}

// Draws the view anew beside what is there, then changes them over; the focus stays where it was.
async function draw(quietly = false) {
  const view = VIEWS.find((one) => one.name === place.view) ?? VIEWS[0];
  const abort = new AbortController();
  const before = shown;
  before?.abort.abort();
  const mine = { view, abort };
  shown = mine;
  drawHeader();
  if (!quietly) main.setAttribute("aria-busy", "true");
  const made = el("div", { class: `view ${view.name}` });
  try {
    mine.close = await view.draw(made, { ...context, signal: abort.signal });
    if (shown !== mine) {
      mine.close?.();
      return;
    }
    notice.hidden = true;
  } catch (error) {
    if (shown !== mine || error.name === "AbortError") return;
    if (error instanceof Failure && error.status === 401) return boot(error.message);
    made.replaceChildren();
    tell(error);
  }
  before?.close?.();
  const focusable = "a,button,input,select,[tabindex]";
  const at = [...main.querySelectorAll(focusable)].indexOf(document.activeElement);
  const scroll = [scrollX, scrollY];
  const opened = [...main.querySelectorAll("details")].map((one) => one.open);
  main.replaceChildren(made);
  main.removeAttribute("aria-busy");
  if (quietly) {
    if (at >= 0) main.querySelectorAll(focusable)[at]?.focus({ preventScroll: true });
    main.querySelectorAll("details").forEach((one, i) => { one.open = opened[i] ?? false; });
    scrollTo(...scroll);
  }
}

function tell(error) {
  notice.textContent = error instanceof Failure ? error.message : `This page failed: ${error.message}`;
  notice.hidden = false;
  if (!(error instanceof Failure)) console.error(error);
}

// Somebody is dragging, typing or choosing: the view is not taken away from under them.
const isBusy = () => main.querySelector(":active, input:focus, select:focus") !== null;

let turns = 0;  // of keeping up: the latest goes on, others end

async function keepUp() {
  const turn = ++turns;
  const isDue = !context.info || (context.info.live && follows && !document.hidden);
  try {
    if (isDue) {
      const wasUnknown = !context.info;
      await look();
      notice.hidden = true;
      if (shown?.view.refresh && !wasUnknown) {
        drawHeader();
        await shown.view.refresh(context);
      } else if (!isBusy()) {
        await draw(true);
      }
    }
  } catch (error) {
    if (error.status === 401) return boot(error.message);
    tell(error);
  }
  setTimeout(() => turn === turns && keepUp(), EVERY_MS);
}

async function boot(sentence) {
  try {
    if (sentence) await logIn(main, sentence);
    else await login(main);
    document.activeElement?.blur();
  } catch (error) {
    tell(error);
  }
  keepUp();
}

addEventListener("keydown", (event) => onKey(event, VIEWS, shown?.view));
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
onMove(() => context.info && draw().then(() => { if (document.activeElement === document.body) main.focus({ preventScroll: true }); }));
start();
showKeys(VIEWS);
boot();
