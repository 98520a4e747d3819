/**
 * A picture as SVG, in rows by how far nodes are from the first ones. What is broken, or went, is red and dashed; what
 * came is green. All texts of the program are escaped; nothing is loaded, and no script runs.
 */
import type { NodeId } from '../model.js';
import type { Picture, PictureEdge, PictureNode } from './picture.js';

const LINE = 16;
const CHARACTER = 7.3;
const PAD = 8;
const GAP_X = 48;
const GAP_Y = 56;

interface Box {
  readonly node: PictureNode;
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
  x: number;
  y: number;
}

export function drawSvg(picture: Picture, title: string): string {
  const boxes = place(picture);
  const all = [...boxes.values()];
  const width = Math.ceil(Math.max(120, ...all.map((box) => box.x + box.width)) + PAD);
  const height = Math.ceil(Math.max(60, ...all.map((box) => box.y + box.height)) + GAP_Y);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="monospace" font-size="12" role="img">`,
    `<title>${escape(title)}</title>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 L8 4 L0 8 z" fill="context-stroke"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="white"/>`,
    ...picture.edges.map((edge, i) => edgeElement(edge, i, boxes)),
    ...all.map(boxElement),
    '</svg>',
    '',
  ].join('\n');
}

function place(picture: Picture): Map<NodeId, Box> {
  const boxes = new Map(picture.nodes.map((node) => [node.node, boxOf(node)]));
  let y = PAD + LINE;
  for (const row of rows(picture)) {
    let x = PAD;
    for (const node of row) {
      const box = boxes.get(node)!;
      [box.x, box.y] = [x, y];
      x += box.width + GAP_X;
    }
    y += Math.max(...row.map((node) => boxes.get(node)!.height)) + GAP_Y;
  }
  return boxes;
}

function boxOf(node: PictureNode): Box {
  const lines = [node.title, ...node.fields.map(({ name, value }) => `${name} = ${value}`)].map((line) => (line.length > 40 ? `${line.slice(0, 39)}…` : line));
  return { node, lines, width: 2 * PAD + CHARACTER * Math.max(...lines.map(({ length }) => length)), height: 2 * PAD + LINE * lines.length, x: 0, y: 0 };
}

function rows({ nodes, edges }: Picture): NodeId[][] {
  const led = new Set(edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
  const depth = new Map<NodeId, number>();
  const visit = (start: NodeId) => {
    if (depth.has(start)) return;
    depth.set(start, 0);
    const waiting = [start];
    for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
      for (const { from, to } of edges) {
        if (from !== node || to === undefined || depth.has(to)) continue;
        depth.set(to, depth.get(node)! + 1);
        waiting.push(to);
      }
    }
  };
  for (const { node } of nodes) if (!led.has(node)) visit(node);
  for (const { node } of nodes) visit(node);
  const result: NodeId[][] = [];
  for (const [node, row] of depth) (result[row] ??= []).push(node);
  return result;
}

function boxElement({ node, lines, x, y, width, height }: Box): string {
  const colour = node.change === 'gone' || node.isMarked ? '#c00' : node.change === 'new' ? '#080' : '#444';
  const texts = lines.map((line, i) => {
    const isChanged = i > 0 && node.fields[i - 1]!.isChanged;
    return `<text x="${round(x + PAD)}" y="${round(y + PAD + LINE * i + 12)}"${i === 0 ? ' font-weight="bold"' : ''}${isChanged ? ' fill="#c00"' : ''}>${escape(line)}</text>`;
  });
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="4" fill="#fafafa" stroke="${colour}"${node.isMarked ? ' stroke-width="2"' : ''}${node.change === 'gone' ? ' stroke-dasharray="4 3"' : ''}/>${texts.join('')}`;
}

/** From the lower side of a box to the upper side of another; what leads nowhere ends in a short line with its text. */
function edgeElement(edge: PictureEdge, i: number, boxes: ReadonlyMap<NodeId, Box>): string {
  const from = boxes.get(edge.from)!;
  const to = edge.to === undefined ? undefined : boxes.get(edge.to);
  const broken = edge.isWild || edge.change === 'gone';
  const style = `stroke="${broken ? '#c00' : edge.change === 'new' ? '#080' : '#888'}"${broken ? ' stroke-dasharray="5 3" class="broken"' : ''}`;
  const [x1, y1] = [from.x + from.width / 2 + (i % 5) * 8 - 16, from.y + from.height];
  const [x2, y2] = to === undefined ? [x1 + 10, y1 + GAP_Y / 2] : to === from ? [from.x + from.width, from.y + 4] : to.y > from.y ? [to.x + to.width / 2, to.y] : [to.x + to.width / 2, to.y + to.height];
  const label = to === undefined ? `${edge.name}: ${edge.where}` : edge.name;
  return `<path d="M${round(x1)} ${round(y1)} Q${round((x1 + x2) / 2 + (y2 <= y1 ? 30 : 0))} ${round(Math.max(y1, y2) - (y2 > y1 ? (y2 - y1) / 2 : -24))} ${round(x2)} ${round(y2)}" fill="none" ${style} marker-end="url(#tip)"/>`
    + `<text x="${round((x1 + x2) / 2 + 4)}" y="${round((y1 + y2) / 2 + (i % 3) * 6)}" font-size="10" fill="${broken ? '#c00' : '#666'}">${escape(label)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  const safe = [...text].map((character) => ((character.codePointAt(0)! < 32 || character === '\u007f') ? '\uFFFD' : character)).join('');
  return safe.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
