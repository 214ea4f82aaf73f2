// Questions to the server: tools by POST, with the token of this tab. Nothing else of this page uses the network.
import { el } from "./text.js";

const KEY = "ingero-token";

export class Failure extends Error {
  constructor(status, word, sentence) {
    super(sentence);
    this.status = status;
    this.word = word;
  }
}

// JSON whose whole numbers may be handles of 64 bits: those that a double would falsify come as their digits, a string.
const WHOLE = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g;
export const parse = (text) => JSON.parse(text.replace(WHOLE, (one) => (one[0] === '"' || Number.isSafeInteger(Number(one)) ? one : `"${one}"`)));

async function send(method, path, body, signal) {
  const token = sessionStorage.getItem(KEY);
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, body, signal, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, "gone", "the server does not answer");
  }
  let said;
  try {
    said = parse(await answer.text());
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (answer.ok) throw new Failure(answer.status, "internal", `the server's answer cannot be read: ${error.message}`);
    said = { error: `status ${answer.status}`, class: "internal" };
  }
  if (!answer.ok) throw new Failure(answer.status, said.class, said.error);
  return said;
}

// What a question is about, for the line that says what is being loaded.
const ABOUT = {
  get_trace_stats: "the figures of all calls", get_time_spent: "where the time went", get_causal_chains: "the causes", get_calls_in_flight: "calls that have not returned",
  get_distributions: "distributions", get_timeline: "the timeline", get_stacks: "stacks", get_memory: "memory by call site",
  find_outlier_nodes: "the clusters", run_analysis: "who is late, and why", effects: "ranks by time",
  get_collectives: "collectives", get_inference: "steps of inference", get_fabric: "counters of the fabric", get_devices: "readings of devices",
};
const open = new Set();
const watchers = [];
let onAnswer = () => {};
// `watcher` is called when a question begins and when it ends.
export const onWork = (watcher) => watchers.push(watcher);
export const underWay = () => [...new Set([...open].map((one) => one.about))];
// `check` sees what each answer says of the recording, and throws an AbortError when it is not the one that is shown.
export const onRecording = (check) => { onAnswer = check; };

export async function ask(tool, input = {}, signal = undefined) {
  const question = { about: ABOUT[tool] ?? "rows" };
  open.add(question);
  for (const watcher of watchers) watcher();
  try {
    const answer = await send("POST", `/api/v1/tools/${tool}`, JSON.stringify(input), signal);
    signal?.throwIfAborted();  // it came while the view was being left
    if (answer.recording) onAnswer(answer.recording);
    return answer;
  } finally {
    open.delete(question);
    for (const watcher of watchers) watcher();
  }
}
export const get = (path) => send("GET", path);

// Rows of a statement as objects.
export async function rows(query, limit = 1000, signal = undefined) {
  const answer = await ask("run_sql", { query, limit }, signal);
  return answer.data.map((row) => Object.fromEntries(row.map((value, i) => [answer.columns[i], value])));
}

// Whether the server wants a token that this tab does not have.
export async function needsToken() {
  const { asks_token: asks } = await get("/page.json");
  return asks && !sessionStorage.getItem(KEY);
}

// Shows the field until the server takes what is typed.
export function logIn(main, sentence, what = "the recording") {
  sessionStorage.removeItem(KEY);
  return new Promise((done) => {
    const field = el("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true });
    const wrong = el("p", { role: "alert" }, sentence);
    const form = el("form", { class: "card login" },
      el("h2", {}, "Token"),
      el("p", {}, `The server was started with a token, and shows ${what} to those who have it. It is kept in this tab only.`),
      el("label", { for: "token" }, "Bearer token"), field, el("button", { type: "submit" }, "Open"), wrong);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      sessionStorage.setItem(KEY, field.value);
      try {
        await get("/api/v1/health");
        done();
      } catch (error) {
        sessionStorage.removeItem(KEY);
        wrong.textContent = error.status === 401 ? "That is not the token." : error.message;
        field.select();
      }
    });
    main.replaceChildren(form);
    field.focus();
  });
}
