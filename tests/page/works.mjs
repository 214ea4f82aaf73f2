// That the page says that it works while the server takes its time, and shows nothing of what was left: the answers of a
// real dashboard are held back here until the test lets them through.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Dashboard, VIEWS, check, drawn, goTo, launch, none, open } from "./browser.mjs";

const [ingero, makeRecording] = process.argv.slice(2);
const SOON_MS = 100;
const work = mkdtempSync(path.join(os.tmpdir(), "ingero-page-"));
const file = path.join(work, "made.db");
const other = path.join(work, "other.db");
execFileSync(makeRecording, [file, "20000"]);
execFileSync(makeRecording, [other, "5000"]);
const browser = await launch();

// Answers of these tools (all: "*") wait until `release`.
async function hold(page, tools) {
  let release;
  const released = new Promise((done) => { release = done; });
  await page.route(`**/api/v1/tools/${tools}`, async (route) => {
    await released;
    await route.continue().catch(() => {});  // the page has dropped it
  });
  return async () => {
    release();
    await page.unroute(`**/api/v1/tools/${tools}`);
  };
}

// Clicks a tab: after how many milliseconds the page says that it works, and what stands in its main part then.
const clickTab = (page, view) => page.evaluate(async (name) => {
  const main = document.getElementById("main");
  const begin = performance.now();
  document.getElementById(`tab-${name}`).click();
  for (;;) {
    await new Promise(requestAnimationFrame);
    const ms = performance.now() - begin;
    const progress = document.getElementById("progress");
    const says = progress.checkVisibility() && main.querySelector(".waiting")?.checkVisibility();
    if (says || ms > 3000) return { ms, says, progress: progress.textContent, text: main.innerText, headings: [...main.querySelectorAll("h2")].map((one) => one.textContent) };
  }
}, view);

// Every tab, with all answers held back: its name and that something is being loaded, and not a word of the tab before.
async function everyTab(page) {
  let slowest = 0;
  for (const [i, view] of VIEWS.entries()) {
    const from = VIEWS[(i + 1) % VIEWS.length];
    await goTo(page, from);
    const before = (await page.locator("main h2").allTextContents())[0];
    const title = await page.locator(`#tab-${view}`).textContent();
    const release = await hold(page, "*");
    const seen = await clickTab(page, view);
    check(seen.says && seen.ms < SOON_MS, `${view}: after ${seen.ms} ms the page does not say that it works: ${JSON.stringify(seen)}`);
    check(/^Loading .+ …/.test(seen.progress), `${view}: it works on "${seen.progress}"`);
    check(seen.headings.includes(view === "overview" ? "The cause" : title), `${view}: its outline has the headings ${seen.headings}`);
    check(!seen.headings.includes(before), `${view} shows "${before}" of ${from}`);
    slowest = Math.max(slowest, seen.ms);
    await release();
    await drawn(page, view);
    check(!(await page.locator("#progress").isVisible()), `${view}: drawn, and still says that it works`);
    check((await page.locator("main .waiting").count()) === 0, `${view}: drawn, and still an outline`);
  }
  console.log(`measured: ${JSON.stringify({ slowest_sign_of_work_ms: Math.round(slowest) })}`);
}

// A page that is opened, before its recording is known.
async function opening(page) {
  const release = await hold(page, "*");
  await page.reload();
  await page.waitForTimeout(200);
  check(await page.locator("main .waiting").isVisible(), "a page that was just opened is empty");
  check((await page.locator("#progress").textContent()).includes("the figures of all calls"), "and does not say what it waits for");
  check((await page.locator("[role=tab]").count()) === VIEWS.length, "and has no tabs");
  // Another tab before the first answer has come.
  const seen = await clickTab(page, "memory");
  check(seen.says && seen.ms < SOON_MS && seen.headings.join() === "Memory", `the tab clicked early shows ${JSON.stringify(seen)}`);
  await release();
  await drawn(page, "memory");
}

// The search for causes, the slowest, does not hold up the figures.
async function figuresFirst(page) {
  await goTo(page, "memory");
  const release = await hold(page, "get_causal_chains");
  await page.locator("#tab-overview").click();
  await page.getByRole("heading", { name: "Processes" }).waitFor();
  await page.getByRole("group", { name: "Processes" }).locator("tbody tr").first().waitFor();
  check((await page.locator("#progress").textContent()).startsWith("Loading the causes"), "what is missing is not named");
  check(await page.locator("section", { hasText: "The cause" }).locator(".waiting").isVisible(), "the cause is there before its answer");
  await release();
  await drawn(page, "overview");
  await page.locator("section", { hasText: "The cause" }).locator("h3", { hasText: "returned 700" }).first().waitFor();
}

// A tab that was left: its question is dropped, and its answer is never seen.
async function left(page) {
  await goTo(page, "operations");
  const dropped = [];
  page.on("requestfailed", (request) => dropped.push(`${request.url().split("/").pop()} ${request.failure()?.errorText}`));
  const release = await hold(page, "get_stacks");
  await page.locator("#tab-flame").click();
  await page.waitForTimeout(300);
  await page.evaluate(() => {
    window.seenViews = new Set();
    new MutationObserver(() => { for (const one of document.querySelectorAll("#main .view")) window.seenViews.add(one.className); })
      .observe(document.getElementById("main"), { childList: true, subtree: true });
  });
  await page.locator("#tab-operations").click();
  await drawn(page, "operations");
  await release();
  await page.waitForTimeout(500);
  check(dropped.includes("get_stacks net::ERR_ABORTED"), `dropped were: ${dropped}`);
  const seen = await page.evaluate(() => [...window.seenViews]);
  check(seen.includes("view operations") && !seen.includes("view flame"), `seen were: ${seen}`);
}

// The server is started anew with another recording: from the click on, nothing of the first one is seen.
async function anotherRecording() {
  const first = await Dashboard.start(ingero, file);
  const { page, problems, close } = await open(browser, first);
  await drawn(page, "overview");
  const address = new URL(first.url).host;
  await first.stop();
  const second = await Dashboard.start(ingero, other, ["--no-tls"], null, address);
  try {
    await page.evaluate(() => {
      window.old = [];
      new MutationObserver(() => {
        const text = document.getElementById("recording").innerText + document.getElementById("main").innerText;
        if (document.getElementById("recording").innerText.includes("other.db") && /made\.db|20,0\d\d/.test(text)) window.old.push(text);
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await page.locator("#tab-operations").click();
    await page.waitForFunction(() => document.getElementById("recording").innerText.includes("other.db"));
    await drawn(page, "operations");
    await page.locator("#tab-overview").click();
    await drawn(page, "overview");
    check((await page.locator("main").innerText()).includes("other.db"), "the overview is of another file");
    const old = await page.evaluate(() => window.old);
    check(old.length === 0, `under the new recording's name stood: ${old[0]}`);
    none(problems.filter((one) => !one.includes("ERR_CONNECTION")), "another recording");
  } finally {
    await close();
    await second.stop();
  }
}

try {
  const dashboard = await Dashboard.start(ingero, file);
  try {
    for (const [name, test] of Object.entries({ everyTab, opening, figuresFirst, left })) {
      const { page, problems, close } = await open(browser, dashboard);
      await drawn(page, "overview");
      await test(page);
      none(problems, name);
      await close();
      console.log(`${name}: passed`);
    }
  } finally {
    await dashboard.stop();
  }
  await anotherRecording();
  console.log("anotherRecording: passed");
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
