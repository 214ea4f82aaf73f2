// Lines over time, by uPlot, in the page's colours; the values stand in tables next to them for those who cannot see.
import uPlot from "uplot";
import { colour } from "./timeline_draw.js";
import { el } from "./text.js";

const INKS = ["launch", "memcpy", "collective", "alloc", "sync", "fabric", "graph", "p2p", "memset", "event", "module", "stream"];
export const ink = (i) => colour(INKS[i % INKS.length]);

const axis = (values, size, space) => ({ space, stroke: () => colour("quiet"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { stroke: () => colour("line") }, values, size });

// Shown once its place has a width; follows it. `close` on the element ends that.
function mount(place, options, data, height) {
  let plot = null;
  const observer = new ResizeObserver(() => {
    const width = place.clientWidth;
    if (!width) return;
    if (!plot) {
      plot = new uPlot({ ...options, width, height }, data, place);
      plot.root.querySelector("canvas").setAttribute("aria-hidden", "true");  // the place around it has the name
    }
    if (plot.width !== width) plot.setSize({ width, height });
    place.plot = plot;
  });
  observer.observe(place);
  place.close = () => {
    observer.disconnect();
    plot?.destroy();
  };
  return place;
}

// series: { name, values }; times in nanoseconds from the recording's first event. choose(from, to): a part was brushed.
export function lines({ label, times, series, text, timeText, height = 220, stacked = false, choose = null }) {
  const place = el("div", { class: "chart", role: "img", "aria-label": `${label}: ${series.map((one) => one.name).join(", ")}` });
  let values = series.map((one) => one.values);
  if (stacked) {
    const sum = new Array(times.length).fill(0);
    values = values.map((list) => list.map((value, i) => (sum[i] += value ?? 0)));
  }
  const shown = series.map((one, i) => ({
    label: one.name, stroke: () => ink(i), width: 1.5, points: { show: times.length < 3 }, spanGaps: true,
    fill: stacked ? () => ink(i) : undefined, value: (_, value, __, at) => (at === null ? "–" : text(series[i].values[at])),
  }));
  // The greatest of stacked series is drawn first, so that the others lie on it.
  if (stacked) {
    shown.reverse();
    values.reverse();
  }
  return mount(place, {
    cursor: { drag: { x: true, y: false, setScale: !choose } },
    scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), (high || 1) * 1.05] } },
    axes: [axis((_, list) => list.map((value) => timeText(value)), 30, 90), axis((_, list) => list.map((value) => text(value)), 74, 35)],
    series: [{ label: "Time", value: (_, value) => (value === null ? "–" : timeText(value)) }, ...shown],
    legend: { live: true },
    hooks: choose ? { setSelect: [(plot) => {
      if (plot.select.width > 3) choose(plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x"));
    }] } : {},
  }, [times, ...values], height);
}
