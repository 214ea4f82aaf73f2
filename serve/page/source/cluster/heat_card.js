// Ranks by time: see docs/fleet.md.
import { el } from "../text.js";
export class HeatCard {
  constructor() { this.element = el("div", { hidden: true }); }
  async update() {}
  chooseNode() {}
  moved() {}
  close() {}
}
