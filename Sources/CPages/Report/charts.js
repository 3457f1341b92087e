"use strict";
// Draws the charts of the page: lines over a number, with intervals, fits, marks and links to trials.
(() => {
  const source = document.getElementById("drawings");
  if (!source || typeof Chart === "undefined") return;
  const drawings = JSON.parse(source.textContent);
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
  const shapes = ["circle", "rect", "triangle", "rectRot", "star", "crossRot"];
  const number = (value) => {
    if (value === 0) return "0";
    const digits = Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
    const text = value.toFixed(digits);
    return (digits > 0 ? text.replace(/\.?0+$/, "") : text).replace("-", "−");
  };

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
          if (!set.whiskers[place]) return;
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

  const interval = ({ lower, upper }) => (lower === undefined || upper === undefined ? null : [lower, upper]);

  // The sets of a series. A band is two lines without ink, the space between them filled. A band over one point has no
  // width: it has whiskers.
  const sets = (chart, places) => (series, index) => {
    const ink = colour(series.style === "guide" ? "soft" : `series${(series.ink === undefined ? index : series.ink) % 6}`);
    const many = places.length > 12 && chart.intervals !== "whiskers";
    const bare = { pointRadius: 0, pointHitRadius: 0 };
    const looks = {
      line: { borderWidth: 1.75, pointRadius: many ? 0 : 4, borderDash: index < 6 ? [] : [5, 3] },
      curve: { borderWidth: 1.75, pointRadius: 0, pointHoverRadius: 4, borderDash: index < 6 ? [] : [5, 3], clip: undefined },
      stepped: { ...bare, borderWidth: 1.75, stepped: "middle", borderDash: [3, 3] },
      points: { showLine: false, pointRadius: 3.5, pointHoverRadius: 5 },
      fit: { ...bare, borderWidth: 1.5 },
      guide: { ...bare, borderWidth: 1, borderDash: [5, 3] },
      mark: { showLine: false, pointRadius: 6, pointStyle: "rectRot" },
    };
    // Lines that share a place are a little apart, so that their whiskers do not cover each other.
    const [first, last] = [places[0], places[places.length - 1]];
    const apart = (x) => {
      if (chart.intervals !== "whiskers" || series.style !== "line") return x;
      const step = index - (chart.series.length - 1) / 2;
      return chart.xScale === "logarithmic" ? x * (last / first) ** (0.004 * step) : x + (last - first) * 0.005 * step;
    };
    const line = {
      label: series.name, data: series.points.map((point) => ({ x: apart(point.x), y: point.y, point })),
      borderColor: ink, backgroundColor: ink, pointStyle: shapes[index % shapes.length], pointHitRadius: 6, tension: 0, clip: false,
      ...looks[series.style],
    };
    const ends = series.points.map(interval);
    const known = series.points.filter(interval);
    if (known.length === 0) return [line];
    if (chart.intervals === "whiskers" || series.points.length === 1) return [{ ...line, whiskers: ends }];
    const edge = { ...bare, borderWidth: 0, backgroundColor: `${ink}26`, isEdge: true };
    return [
      { ...edge, data: known.map((point) => ({ x: point.x, y: point.lower })), fill: false },
      { ...edge, data: known.map((point) => ({ x: point.x, y: point.upper })), fill: "-1" },
      line,
    ];
  };

  // Marks that keep their distance in pixels, the outermost first.
  const thinned = (values, scale, isLog, distance) => {
    const at = (value) => (isLog ? Math.log(value) : value);
    const least = (at(values[values.length - 1]) - at(values[0]) || 1) * distance / (scale.width || 500);
    const kept = [];
    for (const value of values) if (kept.length === 0 || at(value) - at(kept[kept.length - 1]) >= least) kept.push(value);
    return kept;
  };

  const axis = (title, type, marks, more) => {
    const labels = new Map((marks || []).map(({ at, label }) => [at, label]));
    const plain = (value) => (Math.abs(value) >= 1000 ? value.toLocaleString("en") : number(value));
    return {
      type, title: { display: title !== "", text: title, color: colour("soft") }, border: { display: false },
      grid: { color: colour("line"), drawTicks: false }, ...more,
      ticks: {
        color: colour("soft"), padding: 6, maxRotation: 0, autoSkipPadding: 12, autoSkip: !marks,
        callback: (value) => (labels.has(value) ? labels.get(value) : plain(value)),
      },
    };
  };

  const across = (chart, places) => {
    const isLog = chart.xScale === "logarithmic";
    const ticks = (values) => ({ afterBuildTicks: (scale) => { scale.ticks = values(scale).map((value) => ({ value })); } });
    const more = chart.hasGrid ? {} : { grid: { display: false } };
    if (chart.xTicks) {
      const values = chart.xTicks.map(({ at }) => at);
      Object.assign(more, ticks((scale) => thinned(values, scale, isLog, 34)));
    } else if (isLog) {
      // A logarithmic axis has round marks, as its points may be anywhere.
      const round = (steps, scale) => Array.from({ length: 15 }, (_, place) => steps.map((step) => step * 10 ** (place - 6))).flat()
        .filter((value) => value >= scale.min && value <= scale.max);
      Object.assign(more, ticks((scale) => {
        const few = round([1, 2, 5], scale);
        const inside = few.length > 2 ? few : round([1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9], scale);
        return inside.length > 9 ? inside.filter((value) => /^1/.test(value.toExponential())) : inside;
      }));
    } else if (places.length <= 12) {
      Object.assign(more, ticks(() => places));
    }
    // The outermost points have room beside them. A single point has a scale too.
    const [first, last] = [places[0], places[places.length - 1]];
    const ratio = last > first ? (last / first) ** 0.04 : 2;
    const step = last > first ? (last - first) * 0.03 : 1;
    const range = chart.xRange || (places.length > 12 ? [first, last] : isLog ? [first / ratio, last * ratio] : [first - step, last + step]);
    return axis(chart.xAxis, chart.xScale, chart.xTicks, { ...more, min: range[0], max: range[1] });
  };

  const up = (chart) => {
    const more = chart.yRange ? { min: chart.yRange[0], max: chart.yRange[1] }
      : chart.yScale === "linear" ? { min: chart.least, suggestedMax: chart.most } : {};
    if (chart.yTicks) more.afterBuildTicks = (scale) => { scale.ticks = chart.yTicks.map(({ at }) => ({ value: at })); };
    return axis(chart.yAxis, chart.yScale, chart.yTicks, more);
  };

  const legend = (place) => {
    const labels = { color: colour("ink"), usePointStyle: true, boxHeight: 7, padding: 14 };
    const boxes = { usePointStyle: false, boxWidth: 14, boxHeight: 2, padding: 8 };
    // Sets without a name, such as bands and fits, are not listed.
    return {
      display: place !== "none", align: "start", position: place === "below" ? "bottom" : "top",
      labels: { ...labels, ...(place === "below" && boxes), filter: (item) => item.text !== undefined },
    };
  };

  // The words of a point: its own, those of its chart, or name, value and interval.
  const words = (chart, name, point) => {
    if (point.note) return point.note;
    if (chart.note) return chart.note.replace("{x}", number(point.x)).replace("{y}", number(point.y));
    const ends = interval(point);
    return `${name}: ${number(point.y)}${ends ? ` (${ends.map(number).join("–")})` : ""}`;
  };

  const draw = (chart) => {
    const canvas = document.getElementById(chart.id);
    if (!canvas) return;
    const places = [...new Set(chart.series.flatMap((series) => series.points.map((point) => point.x)))].sort((a, b) => a - b);
    const opens = chart.series.some(({ points }) => points.some(({ condition, trial }) => condition !== undefined || trial !== undefined));
    waiting.set(canvas, {
      type: "line",
      plugins: [whiskers],
      data: { datasets: chart.series.flatMap(sets(chart, places)) },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false,
        interaction: { mode: "nearest", intersect: opens },
        scales: { x: across(chart, places), y: up(chart) },
        // A click on a point asks the table of trials for what the point is made of.
        onClick: (event, items) => {
          const point = items.map(({ element }) => element.$context && element.$context.raw.point).find(Boolean);
          if (!point) return;
          const { condition, trial } = point;
          if (condition !== undefined || trial !== undefined) document.dispatchEvent(new CustomEvent("trials", { detail: trial === undefined ? { condition } : { trial } }));
        },
        plugins: {
          legend: legend(chart.legend),
          tooltip: {
            filter: (item) => !item.dataset.isEdge,
            callbacks: {
              title: (items) => {
                if (items.length === 0) return "";
                const { dataset, raw: { point } } = items[0];
                return point.title || (point.note || chart.note ? dataset.label || "" : `${number(point.x)} (${chart.xAxis})`);
              },
              label: ({ dataset, raw: { point } }) => words(chart, dataset.label, point),
            },
          },
        },
      },
    });
    nearness.observe(canvas);
  };

  const redraw = () => {
    charts.forEach((chart) => chart.destroy());
    charts = [];
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = 12;
    drawings.forEach(draw);
  };
  redraw();
  // Colours change with the scheme and on paper.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => {
    redraw();
    [...waiting.keys()].forEach(make);
  });
  addEventListener("afterprint", redraw);
})();
