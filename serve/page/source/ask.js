// Questions to the server: tools by POST, with the token of this tab. Nothing else of this page talks to anybody.
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

export const ask = (tool, input = {}, signal = undefined) =>
  send("POST", `/api/v1/tools/${tool}`, JSON.stringify(input), signal);
export const get = (path) => send("GET", path);

// Rows of a statement as objects.
export async function rows(query, limit = 1000, signal = undefined) {
  const answer = await ask("run_sql", { query, limit }, signal);
  return answer.data.map((row) => Object.fromEntries(row.map((value, i) => [answer.columns[i], value])));
}

// Whether the server wants a token that this tab does not have; true after it was given.
export async function login(main) {
  const { asks_token: asks } = await get("/page.json");
  if (!asks || sessionStorage.getItem(KEY)) return;
  await logIn(main, "");
}

// Shows the field until the server takes what is typed.
export function logIn(main, sentence) {
  sessionStorage.removeItem(KEY);
  return new Promise((done) => {
    const field = el("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true });
    const wrong = el("p", { role: "alert" }, sentence);
    const form = el("form", { class: "card login" },
      el("h2", {}, "Token"),
      el("p", {}, "The recording is for those who have the token that the server was started with. It stays in this tab."),
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
