// The page of a cluster: which cluster is shown, and keeping up with what its nodes send.
//
// Every two seconds the server is asked what it knows; a card whose content is the same stays as it is. Another cluster
// takes everything of the one before off the page at once, and drops the questions about it.
import { Failure, ask, get, logIn, needsToken } from "./ask.js";
import { causeCard, clocksCard, hangsCard, incidentsCard, lateCard } from "./cluster/cards.js";
import { ClusterHeader } from "./cluster/header.js";
import { HeatCard } from "./cluster/heat_card.js";
import { pick } from "./cluster/where.js";
import { onMove, place, start } from "./place.js";
import { begin, end, outline } from "./progress.js";
import { swap } from "./swap.js";
import { el } from "./text.js";

const EVERY_MS = 2000;
const MOST_ROWS = 100;  // of late ranks, and of incidents

const main = document.getElementById("main");
const notice = document.getElementById("notice");
let turns = 0;  // of keeping up: the latest goes on, others end
let shown = null;  // { cluster, cards, heat, abort } of what is drawn
let follows = true;

const header = new ClusterHeader({
  choose: (cluster) => pick({ cluster, job: null, node: null, at: null }, false),
  follow: () => {
    follows = !follows;
    header.draw({ follows });
  },
});

function showError(error) {
  notice.textContent = error instanceof Failure ? error.message : `This page failed: ${error.message}`;
  notice.hidden = false;
  if (!(error instanceof Failure)) console.error(error);
}

function leave() {
  shown?.abort.abort();
  shown?.heat?.close();
  shown = null;
}

// Nothing of a cluster is on the page from here on until its answers have come.
function open() {
  leave();
  notice.hidden = true;
  main.replaceChildren(outline("The cause"));
  main.setAttribute("aria-busy", "true");
  begin();
  shown = { cluster: null, cards: new Map(), heat: null, abort: new AbortController() };
}

// The card stands where it stood, unless what it is made of is the same.
function put(name, content, make) {
  const text = JSON.stringify(content);
  const before = shown.cards.get(name);
  if (before?.text === text) return;
  const made = make(content) ?? el("div", { hidden: true });
  made.id = name;
  shown.cards.set(name, { text, made });
  if (before) swap(before.made, made);
  else shown.view.append(made);
}

function show(analysis, clocks, onNode) {
  const { sentences, outliers, hangs, incidents, jobs, cut } = analysis;
  if (!shown.view) {
    shown.view = el("div", { class: "view cluster-view" });
    main.replaceChildren(shown.view);
  }
  put("cause", { sentences, cut }, causeCard);
  put("hangs", { hangs }, (content) => hangsCard(content, onNode));
  put("late", { outliers, jobs }, (content) => lateCard(content, onNode));
  if (!shown.heat) {
    shown.heat = new HeatCard(shown.cluster, shown.abort.signal, shown.dashboardUrl);
    shown.view.append(shown.heat.element);
  }
  put("clocks", clocks, clocksCard);
  put("incidents", { incidents: incidents.filter((one) => one.state !== "open") }, incidentsCard);
}

// The cluster that the address names; else the one of the worst that is known, else that with most ranks.
function clusterOf({ jobs, outliers }) {
  const named = place.chosen.cluster;
  if (named !== undefined) return named;
  return outliers[0]?.cluster_id ?? [...jobs].sort((one, other) => other.ranks - one.ranks)[0]?.cluster_id ?? null;
}

async function look() {
  const { signal } = shown.abort;
  if (shown.dashboardUrl === undefined) shown.dashboardUrl = (await get("/api/v1/health")).dashboard_url;
  const known = await ask("find_outlier_nodes", { top_n: 1 }, signal);
  const cluster = clusterOf(known);
  shown.cluster = cluster;
  header.draw({ follows, cluster, jobs: known.jobs });
  const analysis = await ask("run_analysis", { ...(cluster !== null && { cluster_id: cluster }), top_n: MOST_ROWS }, signal);
  // Their age is another one each time.
  const { clocks, unknown_nodes } = await ask("clocks", cluster === null ? {} : { cluster_id: cluster }, signal);
  show(analysis, { clocks: clocks.map(({ age_s, ...one }) => one), unknown_nodes }, (node, fromNs) => shown.heat.chooseNode(node, fromNs));
  await shown.heat.update(analysis);
  main.removeAttribute("aria-busy");
  end();
  notice.hidden = true;
}

const isBusy = () => main.querySelector(":active, input:focus, select:focus") !== null;

async function keepUp() {
  const turn = ++turns;
  try {
    const isFirst = shown.view === undefined;
    if (isFirst || (follows && !document.hidden && !isBusy())) await look();
  } catch (error) {
    if (turn !== turns || error.name === "AbortError") return;
    if (error.status === 401) return boot(error.message);
    if (!shown.view) main.replaceChildren();
    main.removeAttribute("aria-busy");
    end();
    showError(error);
  }
  setTimeout(() => turn === turns && keepUp(), EVERY_MS);
}

// With a sentence: why the token that was sent is not taken.
async function boot(sentence) {
  ++turns;
  open();
  try {
    if (sentence !== undefined || (await needsToken())) {
      main.removeAttribute("aria-busy");
      end();
      await logIn(main, sentence ?? "", "the cluster");
      document.activeElement?.blur();
      open();
    }
  } catch (error) {
    showError(error);
  }
  keepUp();
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
onMove(() => {
  if (!shown || (place.chosen.cluster ?? shown.cluster) === shown.cluster) {
    shown?.heat?.moved();
    return;
  }
  open();
  keepUp();
});
start();
header.draw({ follows });
boot();
