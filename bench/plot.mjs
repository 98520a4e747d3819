/** Plots as SVG: panels side by side, each with lines over a common axis. Just what bench/traces.mjs needs. */
const [WIDTH, HEIGHT] = [420, 300];
const MARGIN = { left: 58, right: 14, top: 34, bottom: 44 };
const LEGEND = 24;
const COLOURS = ['#0b6bcb', '#c2410c', '#15803d', '#7c3aed', '#64748b'];
const TICKS = 5;

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const round = (value) => Math.round(value * 10) / 10;

/** 1, 2 or 5 times a power of ten, so that there are about TICKS of them up to `most`. */
function stepTo(most) {
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

function axisOf(values) {
  const most = Math.max(...values, 1e-9);
  const step = stepTo(most);
  const ticks = Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
  return { most: ticks.at(-1), ticks };
}

const number = (value) => (value >= 1000 ? `${value / 1000}k` : String(Number(value.toPrecision(3))));

/** `lines`: { name, points: [x, y][] }; `mark`: an x with a vertical line. */
function panel({ title, xTitle, yTitle, lines, mark }, names, left) {
  const [width, height] = [WIDTH - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const x = axisOf(lines.flatMap(({ points }) => points.map(([at]) => at)));
  const y = axisOf(lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const place = ([at, value]) => `${round((at / x.most) * width)},${round(height - (value / y.most) * height)}`;
  const parts = [`<text x="${width / 2}" y="-12" text-anchor="middle" font-weight="bold">${escaped(title)}</text>`];
  for (const tick of y.ticks) {
    const at = round(height - (tick / y.most) * height);
    parts.push(`<line x1="0" x2="${width}" y1="${at}" y2="${at}" stroke="#e2e8f0"/><text x="-6" y="${at + 4}" text-anchor="end">${number(tick)}</text>`);
  }
  for (const tick of x.ticks) parts.push(`<text x="${round((tick / x.most) * width)}" y="${height + 16}" text-anchor="middle">${number(tick)}</text>`);
  parts.push(`<path d="M0,0V${height}H${width}" fill="none" stroke="#334155"/>`);
  if (mark !== undefined) parts.push(`<path d="M${round((mark / x.most) * width)},0V${height}" stroke="#94a3b8" stroke-dasharray="3 3"/>`);
  for (const { name, points } of lines) {
    parts.push(`<polyline fill="none" stroke-width="1.6" stroke="${COLOURS[names.indexOf(name)]}" points="${points.map(place).join(' ')}"/>`);
  }
  parts.push(`<text x="${width / 2}" y="${height + 34}" text-anchor="middle">${escaped(xTitle)}</text>`);
  parts.push(`<text transform="translate(-44 ${height / 2}) rotate(-90)" text-anchor="middle">${escaped(yTitle)}</text>`);
  return `<g transform="translate(${left + MARGIN.left} ${MARGIN.top})">\n${parts.join('\n')}\n</g>`;
}

function legend(names) {
  let left = MARGIN.left;
  return names.map((name, i) => {
    const part = `<path d="M${left},${HEIGHT + 8}h18" stroke-width="2" stroke="${COLOURS[i]}"/><text x="${left + 24}" y="${HEIGHT + 12}">${escaped(name)}</text>`;
    left += 48 + name.length * 6.4;
    return part;
  });
}

/** The text of an SVG file. Lines of the same name have the same colour in all panels. */
export function plot(panels) {
  const names = [...new Set(panels.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  const [width, height] = [WIDTH * panels.length, HEIGHT + LEGEND];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11" fill="#1e293b">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...panels.map((one, i) => panel(one, names, i * WIDTH)),
    ...legend(names),
    '</svg>', '',
  ].join('\n');
}
