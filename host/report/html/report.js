// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the charts that the page's data block describes. What is drawn is decided in charts.cpp.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('mediarig-data').textContent);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');

  // After Okabe and Ito: told apart with any kind of colour vision; lighter on a dark ground.
  const looks = {
    light: {
      ink: '#3b4452',
      line: '#dfe4ea',
      palette: ['#0072b2', '#d55e00', '#009e73', '#b8478f', '#b07a00', '#2a9fd6', '#6a4c93', '#555555'],
    },
    dark: {
      ink: '#c5ccd6',
      line: '#303a47',
      palette: ['#56b4e9', '#f0843c', '#2fc79a', '#e79cc4', '#f0c14b', '#8ad0f7', '#b79be0', '#bbbbbb'],
    },
  };
  const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
  const markers = ['circle', 'rectRot', 'triangle', 'rect'];

  const bytes = (n) => {
    if (n >= 1 << 20 && n % (1 << 20) === 0) return n / (1 << 20) + ' MB';
    return n % 1024 === 0 ? n / 1024 + ' KB' : n + ' B';
  };
  const number = (v) => (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(3));
  const time = (ns) => {
    if (ns >= 1e9) return +(ns / 1e9).toPrecision(3) + ' s';
    if (ns >= 1e6) return +(ns / 1e6).toPrecision(3) + ' ms';
    return +(ns / 1e3).toPrecision(3) + ' µs';
  };

  // A whisker from the lowest to the highest pass.
  const whiskers = {
    id: 'whiskers',
    afterDatasetsDraw(chart) {
      const ctx = chart.ctx;
      const cap = chart.config.type === 'bar' ? 3 : 5;
      chart.data.datasets.forEach((set, index) => {
        if (!set.ranges || !chart.isDatasetVisible(index)) return;
        chart.getDatasetMeta(index).data.forEach((element, i) => {
          const [low, high] = set.ranges[i];
          if (low === high) return;
          const x = element.x;
          const top = chart.scales.y.getPixelForValue(high);
          const bottom = chart.scales.y.getPixelForValue(low);
          ctx.save();
          ctx.strokeStyle = chart.config.type === 'bar' ? chart.options.color : set.borderColor;
          ctx.lineWidth = 1.5;
          ctx.beginPath();
          ctx.moveTo(x, top);
          ctx.lineTo(x, bottom);
          ctx.moveTo(x - cap, top);
          ctx.lineTo(x + cap, top);
          ctx.moveTo(x - cap, bottom);
          ctx.lineTo(x + cap, bottom);
          ctx.stroke();
          ctx.restore();
        });
      });
    },
  };

  const dataset = (chart, series, look) => {
    const colour = look.palette[series.colour % look.palette.length];
    const bars = chart.kind === 'bars';
    return {
      type: bars ? 'bar' : 'line',
      label: series.label,
      data: series.points.map(([x, y]) => ({ x: chart.categories.length ? chart.categories[x] : x, y })),
      ranges: chart.kind === 'time' ? null : series.points.map(([, , low, high]) => [low, high]),
      hidden: series.hidden,
      borderColor: colour,
      // Bars of a second format are lighter, as its lines are dashed.
      backgroundColor: bars && series.dash % 2 === 1 ? colour + '59' : colour,
      borderWidth: bars || chart.kind === 'time' ? 1.5 : 2,
      borderDash: bars ? [] : dashes[series.dash % dashes.length],
      pointStyle: bars ? 'rect' : markers[series.dash % markers.length],
      pointRadius: chart.kind === 'time' ? 0 : 3,
      pointHitRadius: 8,
      maxBarThickness: 34,
      clip: 8,
    };
  };

  // Powers of four of a block size, from 4 KB: every second row of the published tables.
  const blockTicks = (axis) => {
    const ticks = [];
    for (let v = 512; v <= axis.max * 1.001; v *= 2) {
      const wanted = Math.log2(v) % 2 === 0;
      if (v >= axis.min * 0.999 && wanted) ticks.push({ value: v });
    }
    axis.ticks = ticks;
  };

  const axis = (look, options) =>
    Object.assign(options, {
      grid: Object.assign({ color: look.line, borderColor: look.line }, options.grid),
      ticks: Object.assign({ color: look.ink, maxRotation: 0 }, options.ticks),
      title: { display: Boolean(options.name), text: options.name, color: look.ink },
    });

  const xScale = (chart, look) => {
    if (chart.kind === 'sweep') {
      const blocks = chart.series.flatMap((s) => s.points.map((p) => p[0]));
      return axis(look, {
        type: 'logarithmic',
        min: Math.min(...blocks),
        max: Math.max(...blocks),
        afterBuildTicks: blockTicks,
        name: 'block size',
        ticks: { callback: (v) => bytes(v), autoSkipPadding: 8 },
      });
    }
    if (chart.kind === 'time') return axis(look, { type: 'linear', min: 0, name: 'seconds' });
    return axis(look, { type: 'category', labels: chart.categories, grid: { display: false } });
  };

  const yScale = (chart, look) => {
    if (chart.kind !== 'latency') return axis(look, { type: 'linear', beginAtZero: true, name: chart.y_title });
    return axis(look, {
      type: 'logarithmic',
      name: chart.y_title,
      ticks: { callback: (v) => (Number.isInteger(Math.log10(v)) ? time(v) : null) },
    });
  };

  const tooltip = (chart) => ({
    callbacks: {
      title: (items) => {
        if (chart.kind === 'sweep') return bytes(items[0].parsed.x);
        return chart.kind === 'time' ? number(items[0].parsed.x) + ' s' : items[0].label;
      },
      label: (item) => {
        const text = (v) => (chart.kind === 'latency' ? time(v) : number(v));
        const range = item.dataset.ranges && item.dataset.ranges[item.dataIndex];
        const spread = range && range[0] !== range[1] ? ' (' + text(range[0]) + ' to ' + text(range[1]) + ')' : '';
        const unit = chart.kind === 'latency' ? '' : ' ' + chart.y_title;
        return item.dataset.label + ': ' + text(item.parsed.y) + unit + spread;
      },
    },
  });

  const draw = (chart, look) =>
    new Chart(document.getElementById(chart.id), {
      type: chart.kind === 'bars' ? 'bar' : 'line',
      data: { datasets: chart.series.map((s) => dataset(chart, s, look)) },
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        color: look.ink,
        interaction: { mode: 'nearest', intersect: false },
        scales: { x: xScale(chart, look), y: yScale(chart, look) },
        plugins: {
          legend: {
            position: 'bottom',
            labels: { color: look.ink, usePointStyle: true, boxWidth: 8, boxHeight: 7, padding: 12 },
          },
          tooltip: tooltip(chart),
        },
      },
      plugins: [whiskers],
    });

  let charts = [];
  const paint = (onPaper) => {
    const look = dark.matches && !onPaper ? looks.dark : looks.light;
    charts.forEach((chart) => chart.destroy());
    charts = data.charts.map((chart) => draw(chart, look));
  };

  paint(false);
  dark.addEventListener('change', () => paint(false));

  // Paper has no folds to open and no dark ground.
  let opened = [];
  window.addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    opened.forEach((fold) => (fold.open = true));
    paint(true);
  });
  window.addEventListener('afterprint', () => {
    opened.forEach((fold) => (fold.open = false));
    paint(false);
  });
})();
