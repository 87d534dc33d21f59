// SPDX-License-Identifier: GPL-3.0-or-later
// A test adds this script to a copy of a report. The script collects the displayed contents as JSON in one element.
'use strict';
(() => {
  const box = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left, right, top, bottom };
  };
  const shown = (element) => element.getClientRects().length > 0;
  const words = (drawing) =>
    [...drawing.querySelectorAll('text')].map((word) => ({ ...box(word), text: word.textContent, fill: getComputedStyle(word).fill }));
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const seen = {};
  seen.text = document.body.innerText;
  seen.folds = [...document.querySelectorAll('details')].map((fold) => fold.open);
  seen.cards = [...document.querySelectorAll('.card')].map((card) => ({ ...box(card), text: card.innerText }));
  const summary = document.querySelector('#summary');
  seen.summary = summary && { ...box(summary), text: summary.innerText, table: box(summary.querySelector('table')) };
  const opened = () => document.querySelectorAll('details').forEach((fold) => (fold.open = true));
  if (window.open_folds) opened();
  seen.layouts = [...document.querySelectorAll('svg.layout')].map((drawing) => ({
    box: box(drawing),
    label: drawing.getAttribute('aria-label'),
    regions: [...drawing.querySelectorAll('.edge')].map((region) => ({ ...box(region), fill: getComputedStyle(region).fill })),
    letters: words(drawing),
  }));
  seen.charts = {};
  for (const chart of document.querySelectorAll('svg.chart'))
    seen.charts[chart.id] = {
      box: box(chart),
      frame: box(chart.parentElement),
      ground: ground(chart),
      shown: shown(chart),
      words: words(chart),
      marks: [...chart.querySelectorAll('.mark')].map((mark) => ({ ...box(mark), words: mark.textContent })),
      colours: [...chart.querySelectorAll('g')].map((series) => getComputedStyle(series).color),
    };
  seen.badges = [...document.querySelectorAll('.badge')].filter(shown).map((badge) => [getComputedStyle(badge).color, ground(badge)]);
  seen.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  // Elements beyond the right edge of the page, even if hidden there.
  seen.beyond = [...document.querySelectorAll('body *')]
    .filter((element) => shown(element) && !element.closest('thead') && element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((element) => element.tagName + ' ' + element.textContent.slice(0, 40));
  // Blocks of one parent that overlap.
  const isBlock = (element) => shown(element) && !/^(inline|contents|none)/.test(getComputedStyle(element).display);
  const covers = (a, b) => a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom;
  seen.overlaps = [];
  for (const parent of document.querySelectorAll('body, body *:not(svg, svg *)')) {
    const blocks = [...parent.children].filter((child) => isBlock(child) && !child.closest('thead'));
    blocks.forEach((one, i) => {
      for (const other of blocks.slice(i + 1))
        if (covers(box(one), box(other))) seen.overlaps.push(one.tagName + '/' + other.tagName + ' ' + other.textContent.slice(0, 40));
    });
  }
  // Text that is visible without scrolling in a window of this height.
  const screenHeight = 900;
  const lines = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  seen.firstScreen = '';
  while (lines.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(lines.currentNode);
    const place = range.getBoundingClientRect();
    if (place.width > 0 && place.bottom <= screenHeight && lines.currentNode.parentElement.tagName !== 'SCRIPT')
      seen.firstScreen += lines.currentNode.textContent + '\n';
  }
  seen.width = document.documentElement.clientWidth;
  seen.ground = getComputedStyle(document.body).backgroundColor;
  seen.images = document.images.length;
  seen.taken = window.taken === undefined ? null : window.taken;
  seen.heading = document.querySelector('h1').textContent;
  seen.tables = document.querySelectorAll('table').length;
  seen.cellsAsLines = [...document.querySelectorAll('tbody td')].filter((cell) => getComputedStyle(cell).display !== 'table-cell').length;
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
