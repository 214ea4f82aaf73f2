// The header of a cluster's page: which cluster, what of it is compared, and whether the page keeps up. Its elements stay
// the same ones, so that the focus is not lost.
import { count, el } from "../text.js";
import { clock } from "./times.js";

export class ClusterHeader {
  // choose(cluster), follow(): what somebody wants.
  constructor({ choose, follow }) {
    this.list = el("select", { id: "clusters", onchange: () => choose(this.list.value) });
    this.label = el("label", { for: "clusters", hidden: true }, "Cluster ", this.list);
    this.text = el("span");
    this.button = el("button", { id: "follow", onclick: follow });
    document.getElementById("cluster").append(this.label);
    document.getElementById("part").append(this.text, " ", this.button);
    this.names = "";
  }

  // jobs: of all clusters; absent: they are not known anew.
  draw({ follows, cluster, jobs }) {
    this.button.textContent = follows ? "Live: following" : "Live: paused";
    this.button.setAttribute("aria-pressed", String(follows));
    if (!jobs) return;
    const names = [...new Set([...jobs.map((job) => job.cluster_id), ...(cluster === null ? [] : [cluster])])].sort();
    if (this.names !== names.join("\n")) {
      this.names = names.join("\n");
      this.list.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
    }
    this.label.hidden = names.length === 0;
    if (cluster !== null) this.list.value = cluster;
    const mine = jobs.filter((job) => job.cluster_id === cluster);
    const ranks = mine.reduce((sum, job) => sum + job.ranks, 0);
    const last = mine.map((job) => BigInt(job.last_window_end_ns)).reduce((most, ns) => (ns > most ? ns : most), 0n);
    this.text.textContent = mine.length ? `${count(ranks)} ranks are compared, to ${clock(last)} UTC` : "";
    document.title = [cluster, "ingero fleet"].filter(Boolean).join(" – ");
  }
}
