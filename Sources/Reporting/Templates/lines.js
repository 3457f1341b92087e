"use strict";
(() => {
  const { colour, styles, axis, legend, whiskers, draw } = ChartBase;
  const number = (value) => String(Number(value.toPrecision(3))).replace("-", "−");

  const scaled = (title, type, more) => axis(title, { type, ticks: { callback: (value) => (Math.abs(value) >= 1000 ? value.toLocaleString("en") : number(value)) }, ...more });

  // Each line is drawn over the band of its intervals: two lines without ink, the space between them filled. A band over
  // one point has no width: it has whiskers.
  const sets = (series, index, many) => {
    const ink = colour(`series${index % 6}`);
    const band = series.points.filter((point) => point.lower !== undefined && point.upper !== undefined);
    const edge = { borderWidth: 0, pointRadius: 0, pointHitRadius: 0, backgroundColor: `${ink}26`, isEdge: true };
    const line = {
      label: series.name, data: series.points.map((point) => ({ x: point.x, y: point.y, point })),
      borderColor: ink, backgroundColor: ink, borderDash: index < 6 ? [] : [5, 3], borderWidth: 1.75,
      pointStyle: styles[index % styles.length], pointRadius: many ? 0 : 4, pointHitRadius: 6, tension: 0, clip: false,
      ...(series.isStepped && { stepped: "middle", borderDash: [3, 3], pointRadius: 0, pointHitRadius: 0 }),
    };
    if (band.length === 0) return [line];
    if (series.points.length === 1) return [{ ...line, whiskers: [[band[0].lower, band[0].upper]] }];
    return [
      { ...edge, data: band.map((point) => ({ x: point.x, y: point.lower })), fill: false },
      { ...edge, data: band.map((point) => ({ x: point.x, y: point.upper })), fill: "-1" },
      line,
    ];
  };

  const drawLines = (chart) => {
    const places = [...new Set(chart.series.flatMap((series) => series.points.map((point) => point.x)))];
    places.sort((a, b) => a - b);
    const few = places.length <= 12;
    const isLog = chart.xScale === "logarithmic";
    // A logarithmic axis has round marks, as its points may stand anywhere.
    const round = [];
    for (let power = -6; power < 9; power += 1) for (const step of [1, 2, 5]) round.push(step * 10 ** power);
    const marks = isLog ? {
      afterBuildTicks: (scale) => {
        const inside = round.filter((value) => value >= scale.min && value <= scale.max);
        const thin = inside.length > 9 ? inside.filter((value) => /^1/.test(value.toExponential())) : inside;
        scale.ticks = thin.map((value) => ({ value }));
      },
    } : few ? { afterBuildTicks: (scale) => { scale.ticks = places.map((value) => ({ value })); } } : {};
    // The outermost points have room beside them. A single point has a scale too.
    const [first, last] = [places[0], places[places.length - 1]];
    const ratio = last > first ? (last / first) ** 0.04 : 2;
    const step = last > first ? (last - first) * 0.03 : 1;
    const [min, max] = !few ? [first, last]
      : chart.xScale === "logarithmic" ? [first / ratio, last * ratio] : [first - step, last + step];
    draw(chart.id, {
      type: "line",
      plugins: [whiskers],
      data: { datasets: chart.series.flatMap((series, index) => sets(series, index, !few)) },
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: {
          x: scaled(chart.xAxis, chart.xScale, { ...marks, min, max, grid: { display: false } }),
          y: scaled(chart.yAxis, chart.yScale, chart.yScale === "linear" ? { min: chart.least, suggestedMax: chart.most } : {}),
        },
        plugins: {
          legend: legend(),
          tooltip: {
            filter: (item) => !item.dataset.isEdge,
            callbacks: {
              title: (items) => (items.length ? `${number(items[0].raw.x)} (${chart.xAxis})` : ""),
              label: ({ dataset, raw: { point } }) => {
                const range = point.lower === undefined || point.upper === undefined
                  ? "" : ` (${number(point.lower)}–${number(point.upper)})`;
                return `${dataset.label}: ${number(point.y)}${range}`;
              },
            },
          },
        },
      },
    });
  };

  ChartBase.start((drawings) => drawings.forEach(drawLines));
})();
