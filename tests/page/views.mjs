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
let seen = 0;
try {
  for (const [sample, file] of recordings) {
    const dashboard = await Dashboard.start(ingero, file);
    try {
      for (const [width, dark] of [[1280, false], [1280, true], [360, false], [360, true]]) {
        const { page, problems, close } = await open(browser, dashboard, { width, dark });
        await drawn(page, "overview");
        for (const view of VIEWS) {
          await goTo(page, view);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          check(wide <= 0, `${sample}, ${view} at ${width}: ${wide} px wider than the window`);
          await picture(page, `${sample}-${view}-${width}${dark ? "-dark" : ""}`);
          seen++;
        }
        none(problems, `${sample} at ${width}`);
        await close();
      }
    } finally {
      await dashboard.stop();
    }
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
console.log(`${seen} views drawn`);
