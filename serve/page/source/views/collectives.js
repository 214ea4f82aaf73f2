// Communicators: their ranks by time, what those called, how long they waited, who came last, who is missing.
import { ask } from "../ask.js";
import { range } from "../place.js";
import { lastSentence, ranksPicture } from "../ranks_card.js";
import { card, cuts, facts, nothing, table } from "../table.js";
import { bytes, count, duration, el } from "../text.js";

const hash = (value) => (value === null ? "made before the recording" : BigInt(value).toString(16));

const MOST_PICTURES = 8;  // communicators beyond those have tables only

async function draw(main, context) {
  const answer = await ask("get_collectives", range(), context.signal);
  if (!answer.communicators.length) {
    main.append(card("Collectives", nothing("No collective was called in this part."), cuts(answer)));
    return () => {};
  }
  const pictures = [];
  for (const [i, one] of answer.communicators.entries()) {
    const made = i < MOST_PICTURES ? await ranksPicture(one, i, context) : null;
    if (made) pictures.push(made);
    const said = lastSentence(one);
    main.append(card(`Communicator ${hash(one.comm_id_hash)}`, said ? el("p", {}, said) : null, made?.element, facts([["Ranks", one.nranks], ["Ranks seen here", count(one.ranks_seen)], ["Collectives that several entered", count(one.rounds)],
      ["First to last, at most", one.max_skew_ns === null ? null : duration(one.max_skew_ns)]]),
    one.hangs.length ? el("ul", { class: "cut" }, one.hangs.map((hang) => el("li", {}, `${hang.call} number ${hang.number}: ranks ${hang.missing} missing while ${hang.present} waited ${duration(hang.waited_ns)}${hang.is_over ? "" : ", still"}`))) : null,
    table({ caption: "Calls", rows: one.ops, columns: [
      { head: "Call", text: (op) => op.call }, { head: "Calls", number: true, text: (op) => count(op.calls) }, { head: "Bytes", number: true, text: (op) => bytes(op.bytes) },
      { head: "Average wait", number: true, text: (op) => duration(op.average_wait_ns) }, { head: "Longest wait", number: true, text: (op) => duration(op.max_wait_ns) }] }),
    one.last.length ? table({ caption: "Who came last", rows: one.last, columns: [
      { head: "Came last", text: (last) => (last.rank === null ? `pid ${last.pid}` : `rank ${last.rank}`) }, { head: "Times", number: true, text: (last) => count(last.times) },
      { head: "After the first, at most", number: true, text: (last) => duration(last.max_skew_ns) }, { head: "After the one before", number: true, text: (last) => duration(last.late_ns) }] }) : null));
  }
  main.append(card("By rank", table({ caption: "By rank", rows: answer.ranks, columns: [
    { head: "Rank", text: (one) => (one.rank === null ? `pid ${one.pid}` : one.rank), sort: (one) => one.rank },
    { head: "Communicator", text: (one) => hash(one.comm_id_hash) }, { head: "Calls", number: true, text: (one) => count(one.calls), sort: (one) => one.calls },
    { head: "Bytes", number: true, text: (one) => bytes(one.bytes), sort: (one) => one.bytes },
    { head: "Average wait", number: true, text: (one) => duration(one.average_wait_ns), sort: (one) => one.average_wait_ns },
    { head: "Longest wait", number: true, text: (one) => duration(one.max_wait_ns), sort: (one) => one.max_wait_ns },
    { head: "Last number", number: true, text: (one) => count(one.last_number), sort: (one) => one.last_number }] }), cuts(answer)));
  return () => { for (const one of pictures) one.close(); };
}

export default { name: "collectives", title: "Collectives", draw };
