// What the page makes of numbers: whole ones that a double would falsify are their digits, all others are numbers.
import assert from "node:assert/strict";
import { parse } from "../../serve/page/source/ask.js";

assert.deepEqual(parse("[12345678901234567890, -9223372036854775808, 9007199254740993]"), ["12345678901234567890", "-9223372036854775808", "9007199254740993"]);
assert.deepEqual(parse("[9007199254740991, -1234567890123456, 0]"), [9007199254740991, -1234567890123456, 0]);
assert.deepEqual(parse("[5.9876543210987654, 0.30000000000000004, -0.0123456789012345678]"), [5.9876543210987654, 0.30000000000000004, -0.0123456789012345678]);
assert.deepEqual(parse("[1e21, 1.2345678901234567e-300]"), [1e21, 1.2345678901234567e-300]);
assert.deepEqual(parse('{"a": "12345678901234567890 \\" 1234567890123456789"}'), { a: '12345678901234567890 " 1234567890123456789' });
// Any double, as a server writes it.
for (let i = 0; i < 20000; i++) {
  const one = Math.random() * 10 ** Math.trunc(Math.random() * 15 - 5);
  assert.deepEqual(parse(`[${one.toPrecision(17)}]`), [one]);
}
