// Every view on every published recording, and on one of today's that has something for each: drawn, no error, no request
// to anybody else, not wider than the window.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { SAMPLES, VIEWS, Dashboard, check, drawn, goTo, launch, none, open, picture } from "./browser.mjs";

const [ingero, folder, makeRecording] = process.argv.slice(2);
const work = mkdtempSync(path.join(os.tmpdir(), "ingero-page-"));
const made = path.join(work, "made.db");
execFileSync(makeRecording, [made, "20000"]);
const recordings = [...SAMPLES.map((name) => [name, path.join(folder, `${name}.db`)]), ["made", made]];
const browser = await launch();

// Of a table that is wider than its place: which columns never came into sight while its button was pressed. What is
// folded is opened first, as a reader does.
const unreachable = (page) => page.evaluate(async () => {
  const missed = [], folded = [...document.querySelectorAll("main details:not([open])")];
  for (const one of folded) one.open = true;
  await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
  for (const frame of document.querySelectorAll("main .frame")) {
    const [scroller, hint, heads] = [frame.querySelector(".table"), frame.querySelector(".hint"), [...frame.querySelectorAll("thead th")]];
    const reached = new Set();
    for (let presses = 0; presses < 30; presses++) {
      const place = scroller.getBoundingClientRect();
      heads.forEach((head, i) => {
        const box = head.getBoundingClientRect();
        // A figure is seen whole; a column of text, which may be wider than the place, from its beginning on.
        const end = Math.min(place.right, innerWidth) + 1;
        if (box.left >= place.left - 1 && (head.classList.contains("number") ? box.right : box.left + 40) <= end) reached.add(i);
      });
      if (hint.hidden || !hint.textContent.includes("more")) break;
      hint.click();
      await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
    }
    heads.forEach((head, i) => { if (!reached.has(i)) missed.push(`${scroller.ariaLabel}: ${head.textContent}`); });
  }
  for (const one of folded) one.open = false;
  return missed;
});

// Colours of calls that the timeline's picture has and its legend has not.
const unnamedColours = (page) => page.evaluate(() => {
  const canvas = document.getElementById("tracks");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < pixels.length; i += 4) seen.add(`${pixels[i]},${pixels[i + 1]},${pixels[i + 2]}`);
  const rgb = (text) => {
    const probe = document.createElement("i");
    probe.style.color = text;
    document.body.append(probe);
    const found = getComputedStyle(probe).color.match(/\d+/g).join(",");
    probe.remove();
    return found;
  };
  const style = getComputedStyle(document.documentElement);
  const kinds = ["launch", "memcpy", "memset", "alloc", "free", "sync", "event", "graph", "stream", "device", "collective", "p2p", "communicator", "fabric", "module", "host"];
  const named = new Set([...document.querySelectorAll(".legend .kind")].map((one) => getComputedStyle(one).backgroundColor.match(/\d+/g).join(",")));
  const drawn = kinds.filter((kind) => seen.has(rgb(style.getPropertyValue(`--${kind}`))));
  return { drawn, missing: drawn.filter((kind) => !named.has(rgb(style.getPropertyValue(`--${kind}`)))) };
});
let seen = 0;

async function look(dashboard, sample, width, dark) {
  const { page, problems, close } = await open(browser, dashboard, { width, dark });
  await drawn(page, "overview");
  for (const view of VIEWS) {
    await goTo(page, view);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `${sample}, ${view} at ${width}: ${wide} px wider than the window`);
    if (width === 360) {
      const missed = await unreachable(page);
      check(missed.length === 0, `${sample}, ${view}: out of reach: ${missed.join("; ")}`);
    }
    if (view === "timeline") {
      let { drawn: kinds, missing } = await unnamedColours(page);
      for (let tries = 0; tries < 30 && kinds.length === 0; tries++) {  // its tracks have not come yet
        await page.waitForTimeout(100);
        ({ drawn: kinds, missing } = await unnamedColours(page));
      }
      check(missing.length === 0 && (sample !== "made" || kinds.length >= 4), `${sample}: drawn ${kinds}, not in the legend: ${missing}`);
      // Of several nodes it says how well their order is known.
      const note = await page.locator("#order-note").allTextContents();
      check(sample === "sample-cluster" ? note.length === 1 && note[0].startsWith("Which of two events") : note.length === 0, `${sample}: notes ${note}`);
    }
    await picture(page, `${sample}-${view}-${width}${dark ? "-dark" : ""}`);
    seen++;
  }
  none(problems, `${sample} at ${width}`);
  await close();
}

try {
  for (const [sample, file] of recordings) {
    const dashboard = await Dashboard.start(ingero, file);
    try {
      for (const width of [1280, 360]) await Promise.all([false, true].map((dark) => look(dashboard, sample, width, dark)));
    } finally {
      await dashboard.stop();
    }
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
console.log(`${seen} views drawn`);
