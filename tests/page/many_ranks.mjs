// 16,384 ranks on 2,048 nodes: how long a frame's work takes while somebody moves and zooms, how long the page takes to show
// another cluster, and how long the server takes to answer what it asks.
//
//   many_ranks.mjs INGERO [RANKS [WINDOWS]]
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Fleet, check, clusterDrawn, launch, none, open, picture } from "./browser.mjs";

const [ingero, ranks = "16384", windows = "8"] = process.argv.slice(2);
const FRAME_MS = 50, ANSWER_MS = 1000;
const work = mkdtempSync(path.join(os.tmpdir(), "ingero-page-"));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const server = await Fleet.start(ingero, work);
const browser = await launch();
try {
  server.simulate("many", windows, "--ranks", ranks, "--plan", windows < 60 ? "healthy" : "random");
  const opened = performance.now();
  const { page, problems } = await open(browser, server, { width: 1500, path: "/#/cluster?cluster=many" });
  await clusterDrawn(page);
  const shown = performance.now() - opened;
  await picture(page, "many-ranks");
  await page.evaluate(() => { document.getElementById("heat").frames.length = 0; });
  await page.locator("#heat").focus();
  for (const [key, turns] of [["ArrowDown", 40], ["ArrowLeft", 40], ["+", 6], ["PageDown", 20], ["-", 6], ["PageUp", 20]]) {
    for (let i = 0; i < turns; i++) {
      await page.keyboard.press(key);
      await page.waitForTimeout(15);
    }
  }
  await page.waitForTimeout(500);
  const frames = await page.evaluate(() => document.getElementById("heat").frames);
  const cells = await page.evaluate(async (url) => {
    const answer = await (await fetch(`${url}/api/v1/tools/effects`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ cluster_id: "many", windows: 60, top_n: 4096 }) })).json();
    return answer.nodes.reduce((sum, node) => sum + node.latest_percent.length, 0);
  }, server.url);
  const answers = {};
  for (const [tool, input] of [["run_analysis", { cluster_id: "many", top_n: 100 }], ["effects", { cluster_id: "many", windows: 60, top_n: 4096 }], ["find_outlier_nodes", { top_n: 1 }]]) {
    const took = [];
    for (let i = 0; i < 9; i++) {
      const begin = performance.now();
      const answer = await fetch(`${server.url}/api/v1/tools/${tool}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input) });
      check(answer.ok, `${tool}: ${await answer.text()}`);
      took.push(performance.now() - begin);
    }
    answers[tool] = Math.round(median(took));
  }
  none(problems, "many ranks");
  console.log(`measured: ${JSON.stringify({ ranks: Number(ranks), windows: Number(windows), shown_ms: Math.round(shown), frames: frames.length, frame_median_ms: +median(frames).toFixed(1),
    frame_most_ms: +Math.max(...frames).toFixed(1), answers_median_ms: answers })}`);
  check(cells === Number(ranks), `${cells} ranks are shown, not ${ranks}`);
  check(frames.length > 100, `${frames.length} frames were drawn`);
  check(median(frames) < FRAME_MS, `the median frame took ${median(frames)} ms`);
  for (const [tool, took] of Object.entries(answers)) check(took < ANSWER_MS, `${tool} took ${took} ms`);
} finally {
  await browser.close();
  await server.stop();
  rmSync(work, { recursive: true });
}
