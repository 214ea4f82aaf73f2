// A dashboard and a real browser on it. Whatever the page writes to the console as an error, throws, or asks of another
// origin is collected, and fails the test that looks at it.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";

export const SAMPLES = ["pytorch-dataloader-starvation", "sample-cluster", "sample-gpu-node-01", "sample-gpu-node-02", "sample-gpu-node-03"];
export const VIEWS = ["overview", "operations", "timeline", "flame", "memory", "collectives", "inference", "fabric", "devices", "health"];

export class Dashboard {
  constructor(process, url) {
    this.process = process;
    this.url = url;
  }

  static start(ingero, database, more = ["--no-tls"], token = null, address = "127.0.0.1:0") {
    const environment = { ...process.env };
    delete environment.INGERO_TOKEN;
    if (token) environment.INGERO_TOKEN = token;
    const child = spawn(ingero, ["dashboard", "--db", database, "--addr", address, ...more],
      { env: environment, stdio: ["ignore", "ignore", "pipe"] });
    return new Promise((done, failed) => {
      let said = "";
      child.stderr.on("data", (part) => {
        said += part;
        const found = /(https?:\/\/[^,\s]+)/.exec(said);
        if (found) done(new Dashboard(child, found[1]));
      });
      child.on("exit", () => failed(new Error(`the dashboard ended: ${said}`)));
    });
  }

  stop() {
    return new Promise((done) => {
      this.process.removeAllListeners("exit");
      this.process.on("exit", done);
      this.process.kill("SIGTERM");
    });
  }
}

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});

// A tab; `problems` is empty as long as all is well.
export async function open(browser, dashboard, { width = 1280, height = 900, dark = false, path: where = "/" } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", ignoreHTTPSErrors: true, reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`thrown: ${error.stack}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(dashboard.url).origin) problems.push(`outbound: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText !== "net::ERR_ABORTED") problems.push(`failed: ${request.url()}: ${request.failure()?.errorText}`);
  });
  await page.goto(dashboard.url + where);
  return { page, problems, close: () => context.close() };
}

// Waits until the view is drawn; the notice says why when it is not.
export async function drawn(page, view) {
  await page.waitForFunction((name) => {
    const main = document.getElementById("main");
    const notice = document.getElementById("notice");
    return !main.hasAttribute("aria-busy") && (!notice.hidden || (main.querySelector(`.view.${name}`) && !main.querySelector("[data-pending]")));
  }, view, { timeout: 30000 });
  const notice = await page.locator("#notice").evaluate((one) => (one.hidden ? "" : one.textContent));
  if (notice) throw new Error(`${view}: ${notice}`);
}

export async function goTo(page, view, query = "") {
  await page.evaluate((hash) => { location.hash = hash; }, `#/${view}${query}`);
  await drawn(page, view);
}

export async function picture(page, name) {
  const folder = process.env.INGERO_PICTURES;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

export function check(good, sentence) {
  if (!good) throw new Error(sentence);
}

export function none(problems, where) {
  check(problems.length === 0, `${where}: ${problems.join("\n")}`);
}

// A fleet server that stores in a file of `folder`: where it takes metrics (otlp), and where its page is (url).
export class Fleet {
  static start(ingero, folder, more = []) {
    const environment = { ...process.env };
    delete environment.INGERO_TOKEN;
    const child = spawn(ingero, ["fleet", "serve", "--db", path.join(folder, "c.db"), "--insecure-no-tls", "--http-listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0",
      "--api-listen", "127.0.0.1:0", ...more], { env: environment, stdio: ["ignore", "ignore", "pipe"] });
    return new Promise((done, failed) => {
      let said = "";
      child.stderr.on("data", (part) => {
        said += part;
        const found = [...said.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([url]) => url);
        if (found.length >= 2) done(Object.assign(new Fleet(), { ingero, folder, process: child, otlp: found[0], url: found[1] }));
      });
      child.on("exit", () => failed(new Error(`the server ended: ${said}`)));
    });
  }

  // Sends `windows` of a job, and returns what was planted in it.
  simulate(cluster, windows, ...more) {
    const file = path.join(this.folder, `${cluster}.json`);
    execFileSync(this.ingero, ["fleet", "simulate", "--endpoint", this.otlp, "--fleet-cluster-id", cluster, "--windows", String(windows), "--truth", file, ...more]);
    return JSON.parse(readFileSync(file, "utf8"));
  }

  stop() { return Dashboard.prototype.stop.call(this); }
}

// The page of a cluster is drawn.
export const clusterDrawn = (page, timeout = 30000) => page.waitForFunction(
  () => document.getElementById("result") && document.getElementById("heat")?.frames.length > 0 && !document.getElementById("main").hasAttribute("aria-busy"), undefined, { timeout });
