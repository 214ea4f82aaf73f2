// The page: which view is drawn, its keys, and keeping up with a recording that is still being written.
//
// A view that is opened replaces the one before at once, with its outline until its content has come: what another view,
// another part of the recording or another recording showed never stands under its name. A view whose selection
// changed, or whose recording grew, is drawn anew and then takes the place of what it showed.
import { Failure, ask, logIn, needsToken, onRecording } from "./ask.js";
import { Header } from "./header.js";
import { el, wallNs } from "./text.js";
import { onMove, place, start } from "./place.js";
import { onKey, showKeys } from "./keys.js";
import { begin, end, outline } from "./progress.js";
import { swap } from "./swap.js";
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

// What every view is given; with `signal`, which ends what it asks when it is left, and `show`, which puts it on the page
// before all of its content is there.
const context = {
  info: null,  // the recording: file, live, first, last, events
  origin: 0n,  // of the times in views: the wall time of the first event, in nanoseconds
  spanNs: 0,
  say: (sentence) => { statusLine.textContent = sentence; },
  header: () => drawHeader(),
};
let shown = null;  // { view, part, info, abort, close? } of what is drawn
let follows = true;
const header = new Header(VIEWS, () => { follows = !follows; drawHeader(); });
const drawHeader = () => header.draw(context, follows);

const viewNow = () => VIEWS.find((one) => one.name === place.view) ?? VIEWS[0];
const isSame = (one, other) => one.file === other.file && one.schema === other.schema && one.legacy === other.legacy;

// Whether it is the recording that was known before; a recording without events has no first one yet.
async function look() {
  const stats = await ask("get_trace_stats");
  const { file, live, earlier_agent: legacy, schema } = stats.recording;
  const before = context.info;
  context.info = { file, live, legacy, schema, first: stats.first, last: stats.last, events: stats.events };
  context.origin = wallNs(stats.first) ?? 0n;
  context.spanNs = stats.last ? Number(wallNs(stats.last) - context.origin) : 0;
  return !before || (isSame(before, context.info) && (before.first ?? stats.first) === stats.first);
}

// The server may have been started anew with another recording, or the recording goes on that had ended.
onRecording((recording) => {
  const { info } = context;
  if (!info || (isSame(info, { ...recording, legacy: recording.earlier_agent }) && (info.live || !recording.live))) return;
  reopen();
  throw new DOMException("the server has another recording now", "AbortError");
});

function leave() {
  shown?.abort.abort();
  shown?.close?.();
  shown = null;
}

// The recording is looked at anew, with nothing on the page of the one before.
function reopen() {
  leave();
  context.info = null;
  drawHeader();
  open(viewNow());
  keepUp();
}

function open(view) {
  notice.hidden = true;
  context.say("");
  main.replaceChildren(outline(view.title));
  main.setAttribute("aria-busy", "true");
  begin();
}

async function draw(quietly = false) {
  const view = viewNow();
  const before = shown;
  const mine = { view, part: `${place.from} ${place.to}`, abort: new AbortController() };
  const stays = before !== null && before.view === view && (quietly || before.part === mine.part);
  before?.abort.abort();
  if (!stays) leave();
  shown = mine;
  drawHeader();
  if (!stays) {
    open(view);
  } else if (!quietly) {
    main.setAttribute("aria-busy", "true");
    begin();
  }
  const made = el("div", { class: `view ${view.name}`, id: "view", role: "tabpanel", "aria-labelledby": `tab-${view.name}` });
  const show = () => { if (shown === mine && !stays) main.replaceChildren(made); };
  try {
    mine.close = await view.draw(made, { ...context, signal: mine.abort.signal, show });
    if (shown !== mine) {
      mine.close?.();
      return;
    }
    notice.hidden = true;
  } catch (error) {
    if (shown !== mine || error.name === "AbortError") return;
    if (error instanceof Failure && error.status === 401) return boot(error.message);
    made.replaceChildren();
    showError(error);
  }
  if (stays) before.close?.();
  if (stays && !main.contains(made)) swap(main.firstElementChild, made);
  else if (!main.contains(made)) main.replaceChildren(made);
  main.removeAttribute("aria-busy");
  end();
}

function showError(error) {
  notice.textContent = error instanceof Failure ? error.message : `This page failed: ${error.message}`;
  notice.hidden = false;
  if (!(error instanceof Failure)) console.error(error);
}

// Another drawing is not finished, or somebody is dragging, typing or choosing: the view is not taken away from under them.
const isBusy = () => main.hasAttribute("aria-busy") || main.querySelector(":active, input:focus, select:focus") !== null;

let turns = 0;  // of keeping up: the latest goes on, others end

async function keepUp() {
  const turn = ++turns;
  const isDue = !context.info || (context.info.live && follows && !document.hidden);
  try {
    if (isDue) {
      const wasUnknown = !context.info;
      const isTheSame = await look();
      if (turn !== turns) return;
      notice.hidden = true;
      if (!isTheSame) leave();
      if (shown?.view.refresh && !wasUnknown) {
        drawHeader();
        await shown.view.refresh(context);
      } else if (!shown || !isBusy()) {
        await draw(shown !== null);
      }
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error.status === 401) return boot(error.message);
    if (!context.info) {
      main.replaceChildren();
      main.removeAttribute("aria-busy");
      end();
    }
    showError(error);
  }
  setTimeout(() => turn === turns && keepUp(), EVERY_MS);
}

// With a sentence: why the token that was sent is not taken.
async function boot(sentence) {
  leave();
  context.info = null;
  open(viewNow());
  try {
    if (sentence !== undefined || (await needsToken())) {
      main.removeAttribute("aria-busy");
      end();
      await logIn(main, sentence ?? "");
      document.activeElement?.blur();
      open(viewNow());
    }
  } catch (error) {
    showError(error);
  }
  keepUp();
}

addEventListener("keydown", (event) => onKey(event, VIEWS, shown?.view));
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
onMove(() => {
  if (context.info) return draw().then(() => { if (document.activeElement === document.body) main.focus({ preventScroll: true }); });
  drawHeader();
  if (main.hasAttribute("aria-busy")) open(viewNow());
});
start();
showKeys(VIEWS);
drawHeader();
boot();
