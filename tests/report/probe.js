// SPDX-License-Identifier: GPL-3.0-or-later
// Added to a copy of a report by a test: gathers what the live charts and the page hold, as JSON in one element.
'use strict';
(() => {
  const painted = (canvas) => {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] !== 0) ++count;
    return count;
  };
  const box = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left, right, top, bottom };
  };
  const seen = { charts: {} };
  seen.layouts = [...document.querySelectorAll('svg.layout')].map((drawing) => ({
    box: box(drawing),
    label: drawing.getAttribute('aria-label'),
    regions: [...drawing.querySelectorAll('.edge')].map((region) => ({ ...box(region), fill: getComputedStyle(region).fill })),
    letters: [...drawing.querySelectorAll('text')].map((letter) => ({
      ...box(letter),
      fill: getComputedStyle(letter).fill,
      text: letter.textContent,
    })),
  }));
  for (const chart of Object.values(Chart.instances))
    seen.charts[chart.canvas.id] = {
      painted: painted(chart.canvas),
      x: chart.scales.x.type,
      y: chart.scales.y.type,
      ink: chart.options.color,
      xTicks: chart.scales.x.ticks.map((tick) => String(tick.label)),
      datasets: chart.data.datasets.map((set, index) => ({
        label: set.label,
        visible: chart.isDatasetVisible(index),
        ranges: set.ranges,
        points: chart.getDatasetMeta(index)._parsed.map((point) => [point.x, point.y]),
        pixels: chart.getDatasetMeta(index).data.map((element) => [element.x, element.y]),
      })),
    };
  seen.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  seen.width = document.documentElement.clientWidth;
  seen.ground = getComputedStyle(document.body).backgroundColor;
  seen.images = document.images.length;
  seen.taken = window.taken === undefined ? null : window.taken;
  seen.heading = document.querySelector('h1').textContent;
  seen.tables = document.querySelectorAll('table').length;
  seen.notes = window.notes || [];
  const folds = () => [...document.querySelectorAll('details')].filter((fold) => fold.open).length;
  seen.folds = [document.querySelectorAll('details').length, folds()];
  window.dispatchEvent(new Event('beforeprint'));
  seen.foldsOnPaper = folds();
  seen.inkOnPaper = Object.values(Chart.instances).map((chart) => chart.options.color);
  window.dispatchEvent(new Event('afterprint'));
  seen.foldsAfter = folds();
  seen.inkAfter = Object.values(Chart.instances).map((chart) => chart.options.color);
  const text = encodeURIComponent(JSON.stringify(seen));
  if (window.parent !== window) {
    window.parent.postMessage(text, '*');
    return;
  }
  const element = document.createElement('pre');
  element.id = 'probe';
  element.textContent = text;
  document.body.append(element);
})();
