// What of a cluster somebody looks at, in the address: the cluster, the job, the node and the window.
import { go, place } from "../place.js";

export const chosen = () => place.chosen;
export const pick = (changes, quietly = true) => go({ view: "cluster", chosen: { ...place.chosen, ...changes } }, quietly);
