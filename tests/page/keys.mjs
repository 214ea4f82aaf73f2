// The page by keyboard alone, its links, its names for screen readers, and the token: what the views test does not touch.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Dashboard, VIEWS, check, drawn, goTo, launch, none, open, picture } from "./browser.mjs";

const [ingero, makeRecording] = process.argv.slice(2);
const work = mkdtempSync(path.join(os.tmpdir(), "ingero-page-"));
const file = path.join(work, "made.db");
execFileSync(makeRecording, [file, "20000"]);
const browser = await launch();
const focused = (page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
const hash = (page) => page.evaluate(() => location.hash);

// The skip link, the views by number, the list of keys, and a walk by Tab that comes by every part and is never lost.
async function everywhere(page) {
  await page.keyboard.press("Tab");
  check((await focused(page)) === "skip", `the first stop is ${await focused(page)}`);
  await page.keyboard.press("Enter");
  check((await focused(page)) === "main", "the skip link leads to the view");
  for (const [i, view] of VIEWS.entries()) {
    await page.keyboard.press((i + 1).toString(36));
    await drawn(page, view);
    check((await page.locator("nav [role=tab][aria-selected=true]").count()) === 1, `${view} is not the current one`);
  }
  await page.keyboard.press("?");
  check(await page.locator("dialog[open] h2").isVisible(), "? shows the keys");
  await page.keyboard.press("Escape");
  check((await page.locator("dialog[open]").count()) === 0, "Escape closes them");
  await goTo(page, "operations");
  const stops = new Set();
  await page.locator("#skip").focus();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    stops.add(await focused(page));
  }
  for (const stop of ["Operations", "Total", "cudaMalloc"]) check([...stops].some((one) => one?.includes(stop)), `Tab never comes to ${stop}`);
}

// A call of the table, its distribution, a part of it by the fields; the link of a listed call leads to the timeline.
async function operations(page) {
  await goTo(page, "operations");
  await page.getByRole("button", { name: "cudaStreamSync", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "cudaStreamSync" }).waitFor();
  const rows = () => page.getByRole("group", { name: /Calls of cudaStreamSync/ }).locator("tbody tr").count();
  await page.getByLabel("From µs").fill("60");
  await page.getByLabel("to µs", { exact: true }).fill("65");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("least=60000"));
  await drawn(page, "operations");
  const some = await rows();
  check(some > 0, "no call took 60 to 65 µs");
  const took = await page.getByRole("group", { name: /Calls of cudaStreamSync/ }).locator("tbody tr th").allTextContents();
  check(took.every((text) => parseFloat(text) >= 60 && parseFloat(text) <= 65 && text.endsWith("µs")), `listed: ${took}`);
  // The same part with the pointer.
  const box = await page.locator("canvas.distribution").boundingBox();
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => !location.hash.includes("least=60000"));
  await drawn(page, "operations");
  await picture(page, "made-brushed");
  await page.getByRole("group", { name: /Calls of cudaStreamSync/ }).getByRole("link").first().click();
  await drawn(page, "timeline");
  await page.getByRole("heading", { name: "cudaStreamSync" }).waitFor();
}

// Tracks and calls by keys; what is chosen is announced, in the address, and there again after a reload.
async function timeline(page) {
  await goTo(page, "timeline");
  await page.locator("#tracks").focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowDown");
  const said = await page.locator("#status").textContent();
  check(/thread 4000.*events/.test(said), `the chosen track is said as "${said}"`);
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press("+");
    await page.waitForTimeout(20);
  }
  // There is a call to choose once the server has answered for what is now in sight.
  for (let i = 0; i < 100 && !(await hash(page)).includes("call="); i++) {
    await page.waitForTimeout(300);
    await page.keyboard.press(".");
  }
  check((await hash(page)).includes("call="), `no call was chosen: "${await page.locator("#status").textContent()}"`);
  await page.keyboard.press(".");
  await page.locator("#chosen-call h3").waitFor();
  const told = await page.locator("#chosen-call h3").textContent();
  await page.keyboard.press("Enter");
  let before = null;
  for (let now = await hash(page); now !== before; now = await hash(page)) {  // until it has come to rest
    before = now;
    await page.waitForTimeout(500);
  }
  await picture(page, "made-chosen-call");
  check(/from=2026-.*to=2026-.*lane=.*call=\d+/.test(decodeURIComponent(before)), `the address is ${before}`);
  await page.reload();
  await drawn(page, "timeline");
  check((await hash(page)) === before && (await page.locator("#chosen-call h3").textContent()) === told, "a reload leads elsewhere");
  const part = await page.locator("#part").textContent();
  check(part.startsWith("Part:"), `the part is told as "${part}"`);
  await page.keyboard.press("1");
  await drawn(page, "overview");
  await page.keyboard.press("0");
  await page.waitForFunction(() => document.querySelector("#part span").textContent === "Whole recording");
}

// Everything that acts has a name; no image is silent.
async function names(page) {
  for (const view of VIEWS) {
    await goTo(page, view);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("a,button,input,select,canvas:not([aria-hidden]),[role=img]")]
      .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length)).map((one) => one.outerHTML.slice(0, 100)));
    check(nameless.length === 0, `${view}: without a name: ${nameless}`);
    check((await page.locator("h1").count()) === 1 && (await page.locator("main h2").count()) > 0, `${view} has no heading`);
  }
}

// A handle of 64 bits keeps its last digits.
async function handles(page) {
  await goTo(page, "collectives");
  check((await page.getByRole("heading", { name: "Communicator feedfacecafebeef" }).count()) === 1, "the communicator is called otherwise");
}

// A workload by keyboard, its steps over time (its stream is a handle of 64 bits), and the way from a slow step to the timeline.
async function inference(page) {
  await goTo(page, "inference");
  check((await page.getByText("meta/tiny<b>").count()) > 0, "the model's name is not shown");
  check((await page.getByRole("group", { name: /^Metrics of engines/ }).textContent()).includes("12 times625 ms"), "the engine's requests and their mean");
  await page.getByRole("group", { name: /^Workloads/ }).locator("tbody button").first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: /^Steps over time/ }).waitFor();
  await drawn(page, "inference");
  const values = await page.evaluate(() => document.querySelector(".chart").plot.data.slice(1).map((list) => Math.max(...list)));
  check(values[0] === 4e7 && values[1] === 1e7, `the chart shows ${values}`);
  await picture(page, "made-inference");
  const rows = page.getByRole("group", { name: /^Slow steps/ }).locator("tbody tr");
  check((await rows.count()) === 1 && (await rows.first().textContent()).includes("40.0 ms"), "the slow step is listed");
  await rows.first().getByRole("link").first().click();
  await drawn(page, "timeline");
  const part = await page.locator("#part").textContent();
  check(part.startsWith("Part: 80.0 ms"), `the part is told as "${part}"`);
}

// What the recording's processes call themselves is text, whatever it looks like.
async function hostile(page) {
  await goTo(page, "flame");
  check((await page.getByText("<img src=x>").count()) > 0, "the frame's name is not shown");
  check((await page.locator("main img").count()) === 0, "a frame's name became an image");
  await page.goto((await page.evaluate(() => location.origin)) + "/#/operations?op=%27%3Cimg%20src=x%3E%20OR%201=1&from=nonsense");
  await page.waitForFunction(() => !document.getElementById("notice").hidden);
}

async function secured() {
  const token = "a-token-of-the-tests-0123456789";
  const dashboard = await Dashboard.start(ingero, file, [], token);
  const { page, problems, close } = await open(browser, dashboard, { path: "/#/memory" });
  check(dashboard.url.startsWith("https:"), "TLS is the default");
  await page.getByLabel("Bearer token").fill(token);
  await page.keyboard.press("Enter");
  await drawn(page, "memory");
  none(problems, "with a token");
  const asked = [];
  page.on("request", (request) => asked.push(request));
  await page.reload();
  await drawn(page, "memory");
  const tools = asked.filter((request) => request.url().includes("/api/"));
  check(tools.length > 0 && tools.every((request) => request.headers().authorization === `Bearer ${token}`), "the token is not sent, or not with all");
  check(asked.every((request) => !request.url().includes(token)), "the token is in an address");
  await close();
  await dashboard.stop();
}

try {
  const dashboard = await Dashboard.start(ingero, file);
  try {
    for (const [name, test] of Object.entries({ everywhere, operations, timeline, names, handles, inference })) {
      const { page, problems, close } = await open(browser, dashboard);
      await drawn(page, "overview");
      await test(page);
      none(problems, name);
      await close();
      console.log(`${name}: passed`);
    }
    const { page, close } = await open(browser, dashboard);
    await drawn(page, "overview");
    await hostile(page);
    await close();
  } finally {
    await dashboard.stop();
  }
  await secured();
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
