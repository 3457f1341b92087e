"use strict";
(() => {
  const { colour, styles, axis, legend, draw } = ChartBase;
  const number = (value) => String(Number(value.toPrecision(3))).replace("-", "−");

  const scaled = (title, type, more) => axis(title, { type, ticks: { callback: (value) => number(value) }, ...more });

  // Each line is drawn over the band of its intervals: two lines without ink, the space between them filled.
  const sets = (series, index, many) => {
    const ink = colour(`series${index % 6}`);
    const band = series.points.filter((point) => point.lower !== undefined && point.upper !== undefined);
    const edge = { borderWidth: 0, pointRadius: 0, pointHitRadius: 0, backgroundColor: `${ink}26`, isEdge: true };
    const line = {
      label: series.name, data: series.points.map((point) => ({ x: point.x, y: point.y, point })),
      borderColor: ink, backgroundColor: ink, borderDash: index < 6 ? [] : [5, 3], borderWidth: 1.75,
      pointStyle: styles[index % styles.length], pointRadius: many ? 0 : 4, pointHitRadius: 6, tension: 0,
      ...(series.isStepped && { stepped: "middle", borderDash: [3, 3], pointRadius: 0, pointHitRadius: 0 }),
    };
    if (band.length === 0) return [line];
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
    const marks = few ? { afterBuildTicks: (scale) => { scale.ticks = places.map((value) => ({ value })); } } : {};
    draw(chart.id, {
      type: "line",
      data: { datasets: chart.series.flatMap((series, index) => sets(series, index, !few)) },
      options: {
        interaction: { mode: "nearest", intersect: false },
        scales: {
          x: scaled(chart.xAxis, chart.xScale, { ...marks, min: places[0], max: places[places.length - 1], grid: { display: false } }),
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
