"use strict";
(() => {
  const { colour, styles, axis, legend, whiskers, draw } = ChartBase;

  const number = (value) => {
    if (value === 0) return "0";
    const digits = Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value)))));
    return value.toFixed(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace("-", "−");
  };
  const signed = (value) => String(value).replace("-", "−");

  // A click on a point asks the table of trials for what the point is made of.
  const opens = (wanted) => (event, items, chart) => {
    if (items.length === 0) return;
    const { datasetIndex, index } = items[0];
    const set = chart.data.datasets[datasetIndex];
    const detail = wanted(set.points ? set.points[index] : set.data[index]);
    if (detail) document.dispatchEvent(new CustomEvent("trials", { detail }));
  };
  const ofCondition = (point) => (point && point.anchor ? { condition: point.anchor } : null);
  // Ticks that keep their distance, the outermost first.
  const thinned = (values, share, isLog) => {
    const at = (value) => (isLog ? Math.log(value) : value);
    const span = at(values[values.length - 1]) - at(values[0]) || 1;
    const kept = [];
    for (const value of values) if (kept.length === 0 || at(value) - at(kept[kept.length - 1]) >= span * share) kept.push(value);
    return kept;
  };

  const drawCurve = (curve) => {
    const isLog = curve.scale === "logarithmic";
    const strengths = [...new Set(curve.series.flatMap((series) => series.points.map((point) => point.x)))]
      .sort((a, b) => a - b);
    const ends = [strengths[0], strengths[strengths.length - 1]];
    const middle = (curve.series.length - 1) / 2;
    // Series that share a strength stand a little apart, so that their whiskers do not cover each other.
    const apart = (x, index) => isLog
      ? x * (ends[1] / ends[0]) ** (0.004 * (index - middle))
      : x + (ends[1] - ends[0]) * 0.005 * (index - middle);
    const room = isLog ? [ends[0] / (ends[1] / ends[0]) ** 0.03, ends[1] * (ends[1] / ends[0]) ** 0.03]
      : [ends[0] - (ends[1] - ends[0]) * 0.03, ends[1] + (ends[1] - ends[0]) * 0.03];
    draw(curve.id, {
      type: "line",
      plugins: [whiskers],
      data: {
        datasets: curve.series.map((series, index) => ({
          label: series.name,
          data: series.points.map((point) => ({ x: apart(point.x, index), y: point.recall * 100 })),
          whiskers: series.points.map((point) => [point.lower * 100, point.upper * 100]),
          points: series.points,
          borderColor: colour(`series${index % 6}`),
          backgroundColor: colour(`series${index % 6}`),
          borderDash: index < 6 ? [] : [5, 3],
          pointStyle: styles[index % styles.length],
          pointRadius: 4, pointHoverRadius: 6, borderWidth: 1.75, tension: 0, clip: false,
        })),
      },
      options: {
        interaction: { mode: "nearest", intersect: true },
        scales: {
          x: axis(curve.axis, {
            type: curve.scale, min: room[0], max: room[1],
            afterBuildTicks: (scale) => { scale.ticks = thinned(strengths, 34 / (scale.width || 500), isLog).map((value) => ({ value })); },
            ticks: { callback: (value) => signed(value), autoSkip: false },
            grid: { display: false },
          }),
          // A little room above 100, so that points there are whole.
          y: axis("recall, %", {
            min: 0, max: 104,
            afterBuildTicks: (scale) => { scale.ticks = [0, 25, 50, 75, 100].map((value) => ({ value })); },
          }),
        },
        onClick: opens(ofCondition),
        plugins: {
          legend: curve.series.length > 1 ? legend() : { display: false },
          tooltip: {
            callbacks: {
              title: (items) => items[0].dataset.points[items[0].dataIndex].label,
              label: (item) => {
                const point = item.dataset.points[item.dataIndex];
                const [rate, low, high] = [point.recall, point.lower, point.upper].map((x) => (x * 100).toFixed(1));
                return `recall ${rate} % (${low}–${high} %), ${point.count} of ${point.of}`;
              },
            },
          },
        },
      },
    });
  };

  // The share of answers within an error, a line for each kind of degradation.
  const drawErrors = (chart) => {
    const most = Math.max(chart.floor * 10, ...chart.series.map((series) => series.points[series.points.length - 1][0]));
    const decades = [];
    for (let value = chart.floor; value < most * 10; value *= 10) decades.push(Number(value.toPrecision(1)));
    const thin = decades.length > 6 ? 2 : 1;
    draw(chart.id, {
      type: "line",
      data: {
        datasets: chart.series.map((series, index) => ({
          label: series.name,
          data: series.points.map(([error, share, trial]) => ({ x: Math.max(error, chart.floor), y: share, error, trial })),
          borderColor: colour(`series${index % 6}`), backgroundColor: colour(`series${index % 6}`),
          borderDash: index < 6 ? [] : [5, 3], borderWidth: 1.5, pointRadius: 0, pointHitRadius: 5, pointHoverRadius: 4, tension: 0,
        })),
      },
      options: {
        interaction: { mode: "nearest", intersect: true },
        scales: {
          x: axis(`error, ${chart.unit}`, {
            type: "logarithmic", min: chart.floor, max: decades[decades.length - 1], grid: { color: colour("line"), drawTicks: false },
            afterBuildTicks: (scale) => { scale.ticks = decades.filter((_, place) => place % thin === 0).map((value) => ({ value })); },
            ticks: { callback: (value) => (value >= 1000 ? value.toLocaleString("en") : number(value)), autoSkip: false },
          }),
          y: axis("", { title: { display: false }, min: 0, max: 100, ticks: { stepSize: 25 } }),
        },
        plugins: {
          legend: { ...legend(), position: "bottom", labels: { ...legend().labels, usePointStyle: false, boxWidth: 14, boxHeight: 2, padding: 8 } },
          tooltip: {
            callbacks: {
              title: (items) => items[0].dataset.label,
              label: ({ raw }) => `${number(raw.y)} % within ${number(raw.error)} ${chart.unit}; a click opens this trial`,
            },
          },
        },
        onClick: opens(({ trial }) => ({ trial })),
      },
    });
  };

  const drawReliability = (chart) => {
    const percent = (value) => value * 100;
    draw("reliability", {
      type: "scatter",
      plugins: [whiskers],
      data: {
        datasets: [
          {
            data: chart.points.map((point) => ({ x: percent(point.x), y: percent(point.y), count: point.count })),
            whiskers: chart.points.map((point) => [percent(point.lower), percent(point.upper)]),
            borderColor: colour("series0"), backgroundColor: colour("series0"), pointRadius: 4, clip: false,
          },
          {
            type: "line", data: chart.isotonic.map(([x, y]) => ({ x: percent(x), y: percent(y) })),
            borderColor: colour("series1"), borderWidth: 1.5, pointRadius: 0, pointHitRadius: 0,
          },
          {
            type: "line", data: [{ x: 0, y: 0 }, { x: 100, y: 100 }],
            borderColor: colour("soft"), borderDash: [5, 3], borderWidth: 1, pointRadius: 0,
          },
        ],
      },
      options: {
        scales: {
          x: axis("stated confidence, %", { min: -2, max: 102, ticks: { stepSize: 20, includeBounds: false } }),
          y: axis("came true, %", { min: -2, max: 102, ticks: { stepSize: 20, includeBounds: false } }),
        },
        plugins: {
          legend: { display: false },
          tooltip: {
            callbacks: {
              label: ({ raw }) => `stated ${number(raw.x)} %, came true ${number(raw.y)} % of ${raw.count}`,
            },
          },
        },
      },
    });
  };

  // Normal-deviate axes: points are deviates, ticks show their rates.
  const drawDetection = (chart) => {
    const deviates = (title, ticks) => axis(title, {
      min: ticks[0].at, max: ticks[ticks.length - 1].at,
      afterBuildTicks: (scale) => { scale.ticks = ticks.map(({ at }) => ({ value: at })); },
      ticks: { callback: (value, index) => ticks[index].label, autoSkip: false },
    });
    draw("det", {
      type: "scatter",
      data: {
        datasets: [
          {
            type: "line", label: "every threshold", data: chart.points,
            borderColor: colour("series0"), backgroundColor: colour("series0"), borderWidth: 1.75, pointRadius: 0,
            pointHitRadius: 6, tension: 0,
          },
          {
            label: "the matcher’s own threshold", data: [chart.operatingPoint], pointStyle: "rectRot",
            borderColor: colour("series1"), backgroundColor: colour("series1"), pointRadius: 6, clip: false,
          },
        ],
      },
      options: {
        scales: { x: deviates("false accepts, % of negatives", chart.xTicks), y: deviates("misses, % of positives", chart.yTicks) },
        plugins: {
          legend: legend(),
          tooltip: {
            callbacks: {
              label: ({ raw }) => `${number(raw.falseAcceptRate * 100)} % accepted falsely, ${number(raw.missRate * 100)} % missed`,
            },
          },
        },
      },
    });
  };

  const drawNoise = (chart) => {
    const [least, most] = chart.range;
    const room = (most - least) * 0.03;
    const levels = [...new Set(chart.series.flatMap((series) => series.points.map((point) => point.x)))].sort((a, b) => a - b);
    const fits = chart.series.map((series, index) => {
      const [low, high] = [series.points[0].x, series.points[series.points.length - 1].x];
      return {
        data: series.fitted.map((y, step) => ({ x: low + (high - low) * step / (series.fitted.length - 1), y: y * 100 })),
        type: "line", borderColor: colour(`series${index % 6}`), borderWidth: 1.5, pointRadius: 0, pointHitRadius: 0,
      };
    });
    const points = chart.series.map((series, index) => ({
      label: series.name,
      data: series.points.map((point) => ({ x: point.x, y: point.recall * 100, point })),
      points: series.points,
      whiskers: series.points.map((point) => [point.lower * 100, point.upper * 100]),
      borderColor: colour(`series${index % 6}`), backgroundColor: colour(`series${index % 6}`),
      pointStyle: styles[index % styles.length], pointRadius: 3.5, pointHoverRadius: 5, clip: false,
    }));
    draw(chart.id, {
      type: "scatter",
      plugins: [whiskers],
      data: { datasets: [...points, ...fits] },
      options: {
        scales: {
          x: axis("", {
            title: { display: false }, min: least - room, max: most + room, grid: { display: false },
            afterBuildTicks: (scale) => { scale.ticks = thinned(levels, 30 / (scale.width || 300), false).map((value) => ({ value })); },
            ticks: { callback: (value) => signed(value), autoSkip: false },
          }),
          y: axis("", {
            title: { display: false }, min: 0, max: 104,
            afterBuildTicks: (scale) => { scale.ticks = [0, 50, 100].map((value) => ({ value })); },
          }),
        },
        onClick: opens(ofCondition),
        plugins: {
          legend: chart.series.length > 1 ? legend() : { display: false },
          tooltip: {
            callbacks: {
              label: ({ raw: { point } }) => {
                const [rate, low, high] = [point.recall, point.lower, point.upper].map((x) => (x * 100).toFixed(1));
                return `${signed(point.x)} dB: ${rate} % (${low}–${high} %), ${point.count} of ${point.of}`;
              },
            },
          },
        },
      },
    });
  };

  ChartBase.start((drawings) => {
    drawings.curves.forEach(drawCurve);
    drawings.errors.forEach(drawErrors);
    drawings.noises.forEach(drawNoise);
    if (drawings.detection) drawDetection(drawings.detection);
    if (drawings.reliability) drawReliability(drawings.reliability);
  });
})();
