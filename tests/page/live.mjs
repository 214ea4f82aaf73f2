// The page while the recording is being written: live.mjs INGERO DATABASE
import { readFileSync } from "node:fs";
import { Dashboard, VIEWS, check, drawn, goTo, launch, none, open, picture } from "./browser.mjs";

const [ingero, file] = process.argv.slice(2);
const browser = await launch();
const dashboard = await Dashboard.start(ingero, file);
const events = (page) => page.locator("#recording").textContent().then((text) => Number(/([\d,]+) events/.exec(text)[1].replaceAll(",", "")));
try {
  for (const [width, dark] of [[1280, false], [360, true]]) {
    const { page, problems, close } = await open(browser, dashboard, { width, dark });
    await drawn(page, "overview");
    check((await page.locator("#follow").textContent()) === "Live: following", "the page does not say that it follows");
    for (const view of VIEWS) {
      await goTo(page, view);
      await picture(page, `live-${view}-${width}`);
    }
    none(problems, `live at ${width}`);
    await close();
  }
  const { page, problems } = await open(browser, dashboard);
  await drawn(page, "overview");
  const first = await events(page);
  await page.locator("nav a").nth(1).focus();
  await page.waitForFunction((before) => Number(/([\d,]+) events/.exec(document.getElementById("recording").textContent)[1].replaceAll(",", "")) > before, first, { timeout: 15000 });
  // The timeline goes on with the recording, and stops doing so on request.
  await goTo(page, "timeline");
  const part = () => page.locator(".bar .quiet").textContent();
  const before = await part();
  await page.waitForFunction((text) => document.querySelector(".bar .quiet").textContent !== text, before, { timeout: 15000 });
  await page.locator("#follow").click();
  check((await page.locator("#follow").textContent()) === "Live: paused", "the page does not say that it is paused");
  const paused = await events(page);
  await page.waitForTimeout(4500);
  check((await events(page)) === paused, "a paused page goes on");
  none(problems, "following");
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${dashboard.process.pid}/status`, "utf8"))[1]);
  console.log(`measured: ${JSON.stringify({ first_events: first, later_events: paused, rss_mb: Math.round(rss / 1024) })}`);
} finally {
  await browser.close();
  await dashboard.stop();
}
