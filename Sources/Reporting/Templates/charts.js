"use strict";
(() => {
  const { colour, styles, axis, legend, whiskers, draw } = ChartBase;

  const number = (value) => {
    if (value === 0) return "0";
    const digits = Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(Math.abs(value)))));
    return value.toFixed(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace("-", "−");
  };
  const signed = (value) => String(value).replace("-", "−");

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
            afterBuildTicks: (scale) => { scale.ticks = strengths.map((value) => ({ value })); },
            ticks: { callback: (value) => signed(value), autoSkip: true },
            grid: { display: false },
          }),
          // A little room above 100, so that points there are whole.
          y: axis("recall, %", {
            min: 0, max: 104,
            afterBuildTicks: (scale) => { scale.ticks = [0, 25, 50, 75, 100].map((value) => ({ value })); },
          }),
        },
        plugins: {
          legend: legend(),
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

  const drawBins = (id, bins, title, scale) => draw(id, {
    type: "bar",
    data: {
      datasets: [{
        data: bins.counts.map((count, index) => ({
          x: scale.type === "logarithmic" ? Math.sqrt(bins.edges[index] * bins.edges[index + 1])
            : (bins.edges[index] + bins.edges[index + 1]) / 2,
          y: count, from: bins.edges[index], to: bins.edges[index + 1],
        })),
        backgroundColor: colour("series0"), barPercentage: 1, categoryPercentage: 0.94, grouped: false,
      }],
    },
    options: {
      scales: {
        x: axis(title, { offset: false, grid: { display: false }, min: bins.edges[0], max: bins.edges[bins.edges.length - 1], ...scale }),
        y: axis("trials", { beginAtZero: true, ticks: { precision: 0, maxTicksLimit: 5 } }),
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: (items) => `${number(items[0].raw.from)} to ${number(items[0].raw.to)}`,
            label: (item) => `${item.raw.y} trials`,
          },
        },
      },
    },
  });

  const drawErrors = (chart) => {
    const inside = chart.points.filter(([, error]) => Math.abs(error) <= chart.limit);
    const beyond = chart.points.filter(([, error]) => Math.abs(error) > chart.limit);
    const truths = chart.points.map(([x]) => x);
    const [low, high] = [Math.min(...truths), Math.max(...truths)];
    const room = (high - low || 1) * 0.04;
    // Most truths are one of a few values: points spread sideways, evenly and always alike, so as not to hide each other.
    const points = (list) => list.map(([x, error], index) => ({
      x: x + room * 0.7 * (((index * 0.618034) % 1) - 0.5),
      y: Math.sign(error) * Math.min(Math.abs(error), chart.limit), truth: x, error,
    }));
    const ticks = (scale) => { scale.ticks = [-1, -0.5, 0, 0.5, 1].map((share) => ({ value: share * chart.limit })); };
    draw(`${chart.id}-scatter`, {
      type: "scatter",
      data: {
        datasets: [
          { data: points(inside), backgroundColor: `${colour("series0")}66`, pointRadius: 2.5, pointHoverRadius: 4, clip: false },
          {
            data: points(beyond), backgroundColor: colour("series1"), pointStyle: "triangle", pointRadius: 4,
            rotation: (context) => (context.raw && context.raw.y < 0 ? 180 : 0), clip: false,
          },
        ],
      },
      options: {
        scales: {
          x: axis(chart.truthAxis, {
            min: low - room, max: high + room, grid: { display: false },
            ticks: { callback: (value) => signed(Number(value.toFixed(6))), includeBounds: false },
          }),
          y: axis(chart.errorAxis, {
            min: -chart.limit, max: chart.limit, afterBuildTicks: ticks,
            ticks: { callback: (value) => number(value) },
          }),
        },
        plugins: {
          legend: { display: false },
          tooltip: { callbacks: { label: (item) => `true ${number(item.raw.truth)}, error ${number(item.raw.error)}` } },
        },
      },
    });
    drawBins(`${chart.id}-bins`, chart, chart.errorAxis, {
      type: "linear", afterBuildTicks: ticks, ticks: { callback: (value) => number(value) },
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
    const levels = chart.series.flatMap((series) => series.points.map((point) => point.x));
    const [least, most] = [Math.min(...levels), Math.max(...levels)];
    const room = (most - least) * 0.03;
    const fits = chart.series.map((series, index) => {
      const [low, high] = [series.points[0].x, series.points[series.points.length - 1].x];
      return {
        data: series.fitted.map((y, step) => ({ x: low + (high - low) * step / (series.fitted.length - 1), y: y * 100 })),
        type: "line", borderColor: colour(`series${index % 6}`), borderDash: index < 6 ? [] : [5, 3], borderWidth: 1.5,
        pointRadius: 0, pointHitRadius: 0,
      };
    });
    const points = chart.series.map((series, index) => ({
      label: series.name,
      data: series.points.map((point) => ({ x: point.x, y: point.recall * 100, point })),
      whiskers: series.points.map((point) => [point.lower * 100, point.upper * 100]),
      borderColor: colour(`series${index % 6}`), backgroundColor: colour(`series${index % 6}`),
      pointStyle: styles[index % styles.length], pointRadius: 4, pointHoverRadius: 6, clip: false,
    }));
    draw(chart.id, {
      type: "scatter",
      plugins: [whiskers],
      data: { datasets: [...points, ...fits] },
      options: {
        scales: {
          x: axis("SNR over the full band, dB", {
            min: least - room, max: most + room, grid: { display: false },
            afterBuildTicks: (scale) => { scale.ticks = [...new Set(levels)].sort((a, b) => a - b).map((value) => ({ value })); },
            ticks: { callback: (value) => signed(value) },
          }),
          y: axis("recall, %", {
            min: 0, max: 104,
            afterBuildTicks: (scale) => { scale.ticks = [0, 25, 50, 75, 90, 100].map((value) => ({ value })); },
          }),
        },
        plugins: {
          legend: legend(),
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
    if (drawings.latency) {
      drawBins("latency-bins", drawings.latency, "time to answer, ms", {
        type: "logarithmic",
        afterBuildTicks: (scale) => {
          const ticks = [];
          for (let power = -6; power < 7; power += 1) {
            for (const step of [1, 2, 5]) ticks.push({ value: step * 10 ** power });
          }
          scale.ticks = ticks.filter(({ value }) => value >= scale.min && value <= scale.max);
        },
        ticks: { callback: (value) => String(Number(value.toPrecision(2))) },
      });
    }
  });
})();
