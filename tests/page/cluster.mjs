// The page of a cluster: a real server, simulated jobs with a slow rank and with a hang that are planted, and a browser.
// The slow rank is named and its cell coloured, a click leads to its node's own recording, keys move, and nothing of another
// cluster stays after switching.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Dashboard, Fleet, check, clusterDrawn, drawn, launch, none, open, picture } from "./browser.mjs";

const [ingero, makeRecording] = process.argv.slice(2);
const work = mkdtempSync(path.join(os.tmpdir(), "ingero-page-"));
const LATE_SEED = 3;  // its slow rank is slow until the end

// The colour in the middle of a cell.
const pixel = (page, node, back) => page.evaluate(([name, columns]) => {
  const canvas = document.getElementById("heat"), box = canvas.boxOf(name, columns), ratio = devicePixelRatio;
  return [...canvas.getContext("2d").getImageData(Math.round((box.x + box.width / 2) * ratio), Math.round((box.y + box.height / 2) * ratio), 1, 1).data].slice(0, 3).join();
}, [node, back]);
const tone = (page, number) => page.evaluate((i) => getComputedStyle(document.querySelector(`.kind.tone${i}`)).backgroundColor.match(/\d+/g).join(), number);

const recording = path.join(work, "node.db");
execFileSync(makeRecording, [recording, "2000"]);
const dashboard = await Dashboard.start(ingero, recording);
const server = await Fleet.start(ingero, work, ["--dashboard-url", `${dashboard.url}/?of={node}`]);
const browser = await launch();
try {
  const { stragglers: [slow], clock_offset_ns: clocks } = server.simulate("late", 60, "--ranks", "64", "--seed", String(LATE_SEED));
  server.simulate("stuck", 60, "--ranks", "64", "--seed", "5", "--plan", "hang");
  for (const [width, dark] of [[1500, false], [390, true]]) {
    const { page, problems, close } = await open(browser, server, { width, dark, path: "/#/cluster?cluster=late" });
    await clusterDrawn(page);
    const said = await page.locator("#result").textContent();
    check(said.startsWith("Late since") && said.includes(`rank ${slow.rank} on ${slow.node_id}`), `the cause is "${said}"`);
    check((await page.locator("#late tbody tr").first().textContent()).includes(`rank ${slow.rank}`), "the slow rank is not the first of the late ones");
    const furthest = clocks.reduce((most, one, node) => (Math.abs(one) > Math.abs(clocks[most]) ? node : most), 0);
    check((await page.locator("#clocks tbody tr").first().textContent()).includes(`node-${String(furthest).padStart(4, "0")}${(clocks[furthest] / 1e6).toFixed(2)}`),
      "the clock that is furthest off is not the first");
    const column = 58;
    const late = await pixel(page, slow.node_id, column);
    const strong = await Promise.all([3, 4, 5].map((i) => tone(page, i)));
    check(strong.includes(late), `the cell of the slow rank has the colour ${late}, none of ${strong.join(" ")}`);
    await page.locator("#late tbody tr th button").first().click();
    const link = page.locator("#node a");
    await link.waitFor();
    check((await page.locator("#cell").textContent()).startsWith(`${slow.node_id}, `), "choosing the late rank does not choose its node");
    const [own] = await Promise.all([page.waitForEvent("popup"), link.click()]);
    await drawn(own, "overview");
    check(new RegExp(`/\\?of=${slow.node_id}#/overview\\?from=20[\\d-]+T[\\d:]+Z&to=20`).test(decodeURIComponent(own.url())), `the link leads to ${own.url()}`);
    await own.close();
    await page.locator("#heat").focus();
    const before = await page.locator("#cell").textContent();
    await page.keyboard.press("ArrowLeft");
    const moved = await page.locator("#cell").textContent();
    check(moved !== before && moved.startsWith(slow.node_id) && /\d+ % more own work/.test(moved), `the left arrow leads to "${moved}"`);
    await page.keyboard.press("ArrowDown");
    check(!(await page.locator("#cell").textContent()).startsWith(slow.node_id), "the down arrow stays on the node");
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `the page is wider than ${width}`);
    await picture(page, `cluster-late-${width}`);
    await page.locator("#clusters").selectOption("stuck");
    await page.waitForFunction(() => document.querySelector("#hangs h3"));
    await clusterDrawn(page);
    check((await page.locator("#result").textContent()).startsWith("Hang since"), "the hang is not the cause");
    check(!(await page.locator("main").innerText()).includes(said), "what the other cluster's cause was is still there");
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `the page of the hang is wider than ${width}`);
    await picture(page, `cluster-stuck-${width}`);
    none(problems, `at ${width}`);
    await close();
    console.log(`at ${width}: passed`);
  }
} finally {
  await browser.close();
  await server.stop();
  await dashboard.stop();
  rmSync(work, { recursive: true });
}
