// The classes of time have the names, the words and the order that the program has, and each has a colour in both schemes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { WORDS, inOrder, inkOf, wordsOf } from "../../serve/page/source/classes.js";

const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const table = [...read("hal/time_class.h").matchAll(/^ +\{"(\w+)", "([^"]+)"\},$/gm)].map(([, name, words]) => [name, words]);
assert.ok(table.length > 20);
assert.deepEqual(Object.entries(WORDS), table);
const style = read("serve/page/source/style.css");
for (const [name] of table) {
  assert.equal(style.split(`--t-${name}: #`).length, 3, `${name} has no colour for light and dark`);
  assert.ok(style.includes(`.t-${name} { --ink-of: var(--t-${name}); }`), `${name} has no class of its own`);
}
// A class of a later version is shown, behind the others.
assert.equal(inkOf("a_new_one"), "t-unknown");
assert.equal(wordsOf("a_new_one"), "a new one");
assert.deepEqual(inOrder([{ name: "a_new_one" }, { name: "host" }, { name: "device_wait" }]).map((one) => one.name), ["device_wait", "host", "a_new_one"]);
