// A million events: how long a frame's work takes while somebody zooms and pans, how long the server takes to answer, and
// what it keeps in memory.
//
//   million.mjs INGERO MAKE_RECORDING [EVENTS]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Dashboard, check, drawn, goTo, launch, none, open, picture } from "./browser.mjs";

const [ingero, makeRecording, events = "1000000"] = process.argv.slice(2);
const FRAME_MS = 50, ANSWER_MS = 100;
const work = mkdtempSync(path.join(os.tmpdir(), "ingero-page-"));
const file = path.join(work, "million.db");
execFileSync(makeRecording, [file, events]);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const rssMb = (dashboard) => Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${dashboard.process.pid}/status`, "utf8"))[1]) / 1024);
const browser = await launch();
const dashboard = await Dashboard.start(ingero, file);
try {
  const { page, problems } = await open(browser, dashboard);
  await drawn(page, "overview");
  const before = rssMb(dashboard);
  const answers = [], asked = [];
  page.on("requestfinished", (request) => {
    if (!request.url().endsWith("/get_timeline")) return;
    answers.push(request.timing().responseStart - request.timing().requestStart);
    asked.push(request.postData());
  });
  await goTo(page, "timeline");
  const first = answers[0];
  await picture(page, "million-timeline");
  await page.waitForFunction(() => document.getElementById("tracks")?.frames?.length > 0);
  await page.evaluate(() => { document.getElementById("tracks").frames.length = 0; });
  const box = await page.locator("#tracks").boundingBox();
  await page.mouse.move(box.x + 500, box.y + 200);
  await page.keyboard.down("Control");
  for (let round = 0; round < 3; round++) {
    for (const [turns, by] of [[60, -60], [60, 60]]) {
      for (let i = 0; i < turns; i++) {
        await page.mouse.wheel(0, by);
        await page.waitForTimeout(15);
      }
      await page.waitForTimeout(300);
      if (round === 1 && by < 0) await picture(page, "million-zoomed");
    }
  }
  await page.keyboard.up("Control");
  for (let i = 0; i < 40; i++) await page.locator("#tracks").press(i % 8 < 4 ? "ArrowRight" : "ArrowLeft");
  await page.waitForTimeout(500);
  const frames = await page.evaluate(() => document.getElementById("tracks").frames);
  none(problems, "a million events");
  // The same questions once more, without a browser that draws on the same processors.
  const later = [];
  for (const body of asked.slice(1)) {
    const begin = performance.now();
    const answer = await fetch(`${dashboard.url}/api/v1/tools/get_timeline`, { method: "POST", body });
    await answer.arrayBuffer();
    later.push(performance.now() - begin);
  }
  const said = { events: Number(events), first_answer_ms: Math.round(first), answers: later.length, answer_median_ms: Math.round(median(later)), answer_most_ms: Math.round(Math.max(...later)), beside_the_browser_median_ms: Math.round(median(answers)),
    frames: frames.length, frame_median_ms: +median(frames).toFixed(1), frame_most_ms: +Math.max(...frames).toFixed(1), rss_before_mb: before, rss_mb: rssMb(dashboard) };
  console.log(`measured: ${JSON.stringify(said)}`);
  check(frames.length > 100, `${frames.length} frames were drawn`);
  check(median(frames) < FRAME_MS, `the median frame took ${median(frames)} ms`);
  check(later.length > 10 && median(later) < ANSWER_MS, `the median of ${later.length} answers took ${median(later)} ms`);
} finally {
  await browser.close();
  await dashboard.stop();
  rmSync(work, { recursive: true });
}
