// Every view on every published recording: drawn, no error, no request to anybody else.
import path from "node:path";
import { SAMPLES, VIEWS, Dashboard, check, drawn, goTo, launch, none, open, picture } from "./browser.mjs";

const [ingero, folder] = process.argv.slice(2);
const browser = await launch();
let seen = 0;
try {
  for (const sample of SAMPLES) {
    const dashboard = await Dashboard.start(ingero, path.join(folder, `${sample}.db`));
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
}
console.log(`${seen} views drawn`);
