// The pictures of steps and of ranks: what they show is what the recording has, each column can be reached by pointer and
// by key and says in words what it is, each picture has its table, and text of traced processes stays text.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Dashboard, check, drawn, goTo, launch, none, open, picture } from "./browser.mjs";

const [ingero, makeRecording] = process.argv.slice(2);
const work = mkdtempSync(path.join(os.tmpdir(), "ingero-page-"));
const file = path.join(work, "made.db");
execFileSync(makeRecording, [file, "20000"]);
const browser = await launch();
const sql = async (dashboard, query) => {
  const answer = await fetch(`${dashboard.url}/api/v1/tools/run_sql`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ query }) });
  return (await answer.json()).data;
};

// The entries of a picture: their names, where they are, how tall the coloured part of each is, and which is chosen.
const entries = (page, id) => page.evaluate((name) => [...document.querySelectorAll(`#${name} [role=option]`)].map((one) => {
  const slot = one.querySelector(".slot").getBoundingClientRect();
  const parts = [...one.querySelectorAll("rect[class*='t-'], rect.late")].map((part) => part.getBoundingClientRect());
  return { label: one.getAttribute("aria-label"), x: slot.x, width: slot.width, tall: parts.reduce((sum, part) => sum + part.height, 0), parts: parts.length,
    isChosen: one.getAttribute("aria-selected") === "true" };
}), id);
const isWide = (page) => page.viewportSize().width > 1000;
const chosen = async (page, id) => (await entries(page, id)).findIndex((one) => one.isChosen);

// Each column is a recorded step of the program shown, as tall as it took: all of them where there is room, and every slow one.
async function steps(page, dashboard) {
  await page.locator("#steps [role=option]").first().waitFor();
  const shown = await entries(page, "steps");
  const pid = Number(/pid (\d+)/.exec(await page.locator("#program").textContent())[1]);
  const all = await sql(dashboard, `SELECT number, duration_ns, is_slow FROM steps WHERE pid = ${pid} ORDER BY timestamp`);
  const numbers = new Set(shown.map((one) => Number(/^Step (\d+) /.exec(one.label)?.[1])));
  const recorded = all.filter(([number]) => numbers.has(number));
  check(shown.length === recorded.length && shown.length >= (isWide(page) ? all.length : 20), `${shown.length} columns for ${all.length} steps`);
  check(all.every(([number, , isSlow]) => isSlow === 0 || numbers.has(number)), "a slow step is not shown");
  recorded.forEach(([number, , isSlow], i) => {
    check(shown[i].label.startsWith(`Step ${number} took `), `column ${i} is "${shown[i].label}"`);
    check(shown[i].label.includes("slow: ") === (isSlow === 1), `step ${number}: "${shown[i].label}"`);
  });
  const usual = recorded.map(([, ns, isSlow], i) => ({ ns, tall: shown[i].tall, isSlow })).filter((one) => one.isSlow === 0);
  const scale = usual[0].tall / usual[0].ns;
  for (const one of usual) check(Math.abs(one.tall - one.ns * scale) < 3, `a step of ${one.ns} ns is ${one.tall} px tall, the first one has ${usual[0].tall} for ${usual[0].ns}`);
  check(shown.every((one) => one.parts > 0), "a column is empty");
  for (let i = 1; i < shown.length; i++) check(shown[i].x >= shown[i - 1].x + shown[i - 1].width - 0.1, `columns ${i - 1} and ${i} overlap`);
}

// By key, by pointer, by button; what is chosen is in the address and there again after a reload.
async function choosing(page) {
  await page.locator("#steps").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  check((await chosen(page, "steps")) === 1, "the right arrow does not choose the next column");
  check((await page.locator("#steps").getAttribute("aria-activedescendant")) === "steps-1", "a screen reader is not told");
  await page.keyboard.press("End");
  const all = await entries(page, "steps");
  check((await chosen(page, "steps")) === all.length - 1, "End is not the last one");
  await page.keyboard.press("Home");
  check((await chosen(page, "steps")) === 0, "Home is not the first one");
  await page.keyboard.press("ArrowLeft");
  check((await chosen(page, "steps")) === 0, "there is one before the first");
  const box = await page.locator("#steps svg").boundingBox();
  await page.mouse.click(all[5].x + all[5].width / 2, box.y + box.height / 2);
  check((await chosen(page, "steps")) === 5, `a click on the sixth chooses ${await chosen(page, "steps")}`);
  await page.getByRole("button", { name: "Next slow step" }).click();
  const slow = await chosen(page, "steps");
  check(all[slow].label.includes("slow: "), `"Next slow step" chose "${all[slow].label}"`);
  const detail = page.locator("#chosen-step");
  check((await detail.textContent()).includes("more waiting for a disk than usual"), `of a slow step is said: ${await detail.textContent()}`);
  await detail.getByText("train<b>: disk /data/<img src=x>").waitFor();
  check((await page.locator("main img").count()) === 0 && (await page.locator("#chosen-step b").count()) === 0, "a name became an element");
  const shares = await detail.locator("tbody tr").allTextContents();
  check(shares[0].includes("waiting for a disk"), `the most of it is ${shares[0]}`);
  await picture(page, "made-slow-step");
  await page.reload();
  await drawn(page, "overview");
  check((await chosen(page, "steps")) === slow, "a reload has another step");
  await page.locator("#chosen-step").getByRole("link", { name: "Show it on the timeline" }).click();
  await drawn(page, "timeline");
  check((await page.locator("#part").textContent()).startsWith("Part:"), "the link leads to the whole recording");
  await page.goBack();
  await drawn(page, "overview");
}

// The table has what the picture has, and chooses too; another program has its own steps.
async function tables(page, dashboard) {
  await page.getByText("The picture as a table").click();
  const rows = page.getByRole("group", { name: /^Steps of the picture/ }).locator("tbody tr");
  const shown = await entries(page, "steps");
  check((await rows.count()) === shown.length, `${await rows.count()} rows for ${shown.length} columns`);
  await rows.nth(2).getByRole("button").click();
  check((await chosen(page, "steps")) === 2, "a row of the table does not choose its column");
  const programs = page.getByRole("group", { name: /^Programs/ }).locator("tbody tr");
  check((await programs.count()) === 4, `${await programs.count()} programs`);
  const [name] = await programs.nth(2).locator("th").allTextContents();
  await programs.nth(2).getByRole("button").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction((text) => document.querySelector("#program")?.textContent && text.startsWith(document.querySelector("#program").textContent), name);
  await drawn(page, "overview");
  const pid = Number(/pid (\d+)/.exec(name)[1]);
  const [[steps]] = await sql(dashboard, `SELECT count(*) FROM steps WHERE pid = ${pid}`);
  const other = (await entries(page, "steps")).length;
  check(isWide(page) ? other === steps : other > 0 && other <= steps, "the other program's steps are not shown");
}

// A column is a collective; the darkest cell and the dot are the rank that came last.
async function ranks(page, dashboard) {
  await goTo(page, "collectives");
  await page.locator("#ranks-0 [role=option]").first().waitFor();
  const shown = await entries(page, "ranks-0");
  const all = await sql(dashboard, "SELECT seq, last_rank, skew_ns FROM collective_arrivals ORDER BY timestamp");
  const numbers = new Set(shown.map((one) => Number(/ number (\d+):/.exec(one.label)?.[1])));
  const arrivals = all.filter(([number]) => numbers.has(number));
  check(shown.length >= (isWide(page) ? all.length : 20), `${shown.length} columns for ${all.length} collectives`);
  check(shown.length === arrivals.length, `${shown.length} columns for ${arrivals.length} collectives`);
  arrivals.forEach(([number, rank], i) => check(shown[i].label.startsWith(`ncclAllReduce number ${number}: rank ${rank} came last`), `column ${i} is "${shown[i].label}"`));
  const wrong = await page.evaluate(() => [...document.querySelectorAll("#ranks-0 [role=option]")].filter((one) => {
    const cells = [...one.querySelectorAll("rect.late")].sort((a, b) => b.getAttribute("fill-opacity") - a.getAttribute("fill-opacity"));
    const [cell, dot] = [cells[0].getBoundingClientRect(), one.querySelector("circle.last").getBoundingClientRect()];
    return cells.length !== 4 || dot.y + dot.height / 2 < cell.y || dot.y + dot.height / 2 > cell.bottom;
  }).length);
  check(wrong === 0, `in ${wrong} columns the dot is not on the darkest of four cells`);
  await page.locator("#ranks-0").focus();
  await page.keyboard.press("End");
  check((await chosen(page, "ranks-0")) === shown.length - 1, "End is not the last collective");
  const came = await page.getByRole("group", { name: "Who came when" }).locator("tbody tr").allTextContents();
  check(came.length === 4, `${came.length} ranks came`);
  check((await page.locator("main p").allTextContents()).some((text) => /^Rank \d came last most often: in \d+ of \d+ collectives/.test(text)), "who came last is not said");
  await picture(page, "made-ranks");
  await page.getByText("The picture as a table").click();
  check((await page.getByRole("group", { name: /^Collectives of the picture/ }).locator("tbody tr").count()) === Math.min(300, shown.length), "the table has other collectives");
}

// The cause stands once.
async function once(page) {
  await goTo(page, "overview");
  const card = page.locator("section", { has: page.getByRole("heading", { name: "The cause" }) });
  const said = await card.locator("h3").first().textContent();
  const text = await page.evaluate(() => document.getElementById("main").innerText);
  check(text.split(said).length === 2, `"${said}" stands ${text.split(said).length - 1} times`);
}

try {
  const dashboard = await Dashboard.start(ingero, file);
  try {
    for (const [width, dark] of [[1500, false], [360, true]]) {
      for (const [name, test] of Object.entries({ steps, choosing, tables, ranks, once })) {
        const { page, problems, close } = await open(browser, dashboard, { width, dark });
        await drawn(page, "overview");
        await test(page, dashboard);
        none(problems, name);
        await close();
        console.log(`${name} at ${width}: passed`);
      }
    }
  } finally {
    await dashboard.stop();
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true });
}
