"use strict";
// What the charts of all pages share: ink, axes, whiskers, and drawing them again where colours change.
const ChartBase = (() => {
  let charts = [];
  // Canvases and their settings. A chart is made when it comes near the window, so that a long page opens fast.
  const waiting = new Map();
  const make = (canvas) => {
    nearness.unobserve(canvas);
    charts.push(new Chart(canvas, waiting.get(canvas)));
    waiting.delete(canvas);
  };
  const nearness = new IntersectionObserver(
    (entries) => entries.forEach(({ isIntersecting, target }) => { if (isIntersecting && waiting.has(target)) make(target); }),
    { rootMargin: "50%" },
  );

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const styles = ["circle", "rect", "triangle", "rectRot", "star", "crossRot"];

  const axis = (title, more) => ({
    title: { display: true, text: title, color: colour("soft") },
    grid: { color: colour("line"), drawTicks: false },
    border: { display: false },
    ...more,
    ticks: { color: colour("soft"), padding: 6, maxRotation: 0, autoSkipPadding: 12, ...(more && more.ticks) },
  });

  // Sets without a name, such as bands and fits, are not listed.
  const legend = () => ({
    align: "start",
    labels: {
      color: colour("ink"), usePointStyle: true, boxHeight: 7, padding: 14, filter: (item) => item.text !== undefined,
    },
  });

  // Chart.js draws no error bars: whiskers from the lower to the upper end of each interval.
  const whiskers = {
    id: "whiskers",
    beforeDatasetsDraw(chart) {
      const pen = chart.ctx;
      const scale = chart.scales.y;
      pen.save();
      chart.data.datasets.forEach((set, index) => {
        if (!set.whiskers || !chart.isDatasetVisible(index)) return;
        pen.strokeStyle = set.borderColor;
        pen.globalAlpha = 0.55;
        pen.lineWidth = 1.25;
        chart.getDatasetMeta(index).data.forEach((point, place) => {
          const [low, high] = set.whiskers[place].map((value) => scale.getPixelForValue(value));
          pen.beginPath();
          pen.moveTo(point.x, low);
          pen.lineTo(point.x, high);
          for (const end of [low, high]) {
            pen.moveTo(point.x - 3, end);
            pen.lineTo(point.x + 3, end);
          }
          pen.stroke();
        });
      });
      pen.restore();
    },
  };

  const draw = (id, settings) => {
    const canvas = document.getElementById(id);
    if (!canvas) return;
    settings.options = { animation: false, responsive: true, maintainAspectRatio: false, ...settings.options };
    waiting.set(canvas, settings);
    nearness.observe(canvas);
  };

  // Hands the page's drawings to `drawAll` now, and again for another colour scheme and for paper.
  const start = (drawAll) => {
    const source = document.getElementById("drawings");
    if (!source || typeof Chart === "undefined") return;
    const drawings = JSON.parse(source.textContent);
    const redraw = () => {
      charts.forEach((chart) => chart.destroy());
      charts = [];
      Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
      Chart.defaults.font.size = 12;
      drawAll(drawings);
    };
    redraw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    addEventListener("beforeprint", () => {
      redraw();
      [...waiting.keys()].forEach(make);
    });
    addEventListener("afterprint", redraw);
  };

  return { colour, styles, axis, legend, whiskers, draw, start };
})();
