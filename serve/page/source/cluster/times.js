// Times of a cluster's answers, which are nanoseconds since 1970: as a BigInt, since a double would falsify them.
import { wallText } from "../text.js";

export const textOf = (ns) => wallText(BigInt(ns));
// The time of day, to the second.
export const clock = (ns) => textOf(ns).slice(11, 19);
// To the second, as the flags of commands take it.
export const stamp = (ns) => `${textOf(ns).slice(0, 19)}Z`;
