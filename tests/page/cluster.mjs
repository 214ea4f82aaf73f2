// The page of a cluster: a real server, simulated jobs with a slow rank and with a hang that are planted, and a browser.
// The slow rank is named and its cell coloured, keys move, and nothing of another cluster stays after switching.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { check, launch, none, open, picture } from "./browser.mjs";

const [ingero] = process.argv.slice(2);
const work = mkdtempSync(path.join(os.tmpdir(), "ingero-page-"));
const LATE_SEED = 3;  // its slow rank is slow until the end

function serve() {
  const environment = { ...process.env };
  delete environment.INGERO_TOKEN;
  const child = spawn(ingero, ["fleet", "serve", "--db", path.join(work, "c.db"), "--insecure-no-tls", "--http-listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0"],
    { env: environment, stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((done, failed) => {
    let said = "";
    child.stderr.on("data", (part) => {
      said += part;
      const found = [...said.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([url]) => url);
      if (found.length >= 2) done({ child, otlp: found[0], url: found[1] });
    });
    child.on("exit", () => failed(new Error(`the server ended: ${said}`)));
  });
}

function simulate(server, cluster, ...more) {
  const file = path.join(work, `${cluster}.json`);
  execFileSync(ingero, ["fleet", "simulate", "--endpoint", server.otlp, "--fleet-cluster-id", cluster, "--windows", "60", "--truth", file, ...more]);
  return JSON.parse(readFileSync(file, "utf8"));
}

const ready = (page) => page.waitForFunction(() => document.getElementById("result") && document.getElementById("heat")?.frames.length > 0 && !document.getElementById("main").hasAttribute("aria-busy"));

// The colour in the middle of a cell.
const pixel = (page, node, back) => page.evaluate(([name, columns]) => {
  const canvas = document.getElementById("heat"), box = canvas.boxOf(name, columns), ratio = devicePixelRatio;
  return [...canvas.getContext("2d").getImageData(Math.round((box.x + box.width / 2) * ratio), Math.round((box.y + box.height / 2) * ratio), 1, 1).data].slice(0, 3).join();
}, [node, back]);
const tone = (page, number) => page.evaluate((i) => getComputedStyle(document.querySelector(`.kind.tone${i}`)).backgroundColor.match(/\d+/g).join(), number);

const server = await serve();
const browser = await launch();
try {
  const { stragglers: [slow], clock_offset_ns: clocks } = simulate(server, "late", "--ranks", "64", "--seed", String(LATE_SEED));
  simulate(server, "stuck", "--ranks", "64", "--seed", "5", "--plan", "hang");
  for (const [width, dark] of [[1500, false], [390, true]]) {
    const { page, problems, close } = await open(browser, server, { width, dark, path: "/#/cluster?cluster=late" });
    await ready(page);
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
    await page.locator("#node .commands").waitFor();
    check((await page.locator("#cell").textContent()).startsWith(`${slow.node_id}, `), "choosing the late rank does not choose its node");
    check(/ingero explain --from 20[\d-]+T[\d:]+Z --to 20/.test(await page.locator("#node .commands").textContent()), "the command has no times");
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
    await ready(page);
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
  server.child.removeAllListeners("exit");
  const gone = new Promise((done) => server.child.on("exit", done));
  server.child.kill("SIGTERM");
  await gone;
  rmSync(work, { recursive: true });
}
