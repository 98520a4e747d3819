/**
 * A picture as text: nodes as a tree along their edges, from those that nothing in the picture leads to. What came is
 * marked with +, what went with -, what leads to no node and what the inconsistency is about with !.
 *
 *     ! n1 node key=10
 *       ├─left──▶ n2 node key=5
 *     - ├─right─▶ n3 node key=12
 *     + └─right─▶ NULL
 */
import type { NodeId } from '../model.js';
import type { Picture, PictureEdge, PictureNode } from './picture.js';

export function drawText(picture: Picture): string[] {
  return new TextDrawing(picture).lines();
}

class TextDrawing {
  private readonly out: string[] = [];
  private readonly drawn = new Set<NodeId>();
  private readonly byNode: ReadonlyMap<NodeId, PictureNode>;

  constructor(private readonly picture: Picture) {
    this.byNode = new Map(picture.nodes.map((node) => [node.node, node]));
  }

  lines(): string[] {
    const led = new Set(this.picture.edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
    for (const start of [...this.picture.nodes.filter(({ node }) => !led.has(node)), ...this.picture.nodes]) this.start(start);
    if (this.picture.leftOut > 0) this.out.push(`  (and ${this.picture.leftOut} more around them)`);
    return this.out;
  }

  private start(node: PictureNode): void {
    if (this.drawn.has(node.node)) return;
    this.out.push(`${nodeMark(node)} ${nodeText(node)}`);
    this.inside(node.node, '');
  }

  /** The edges of a node that was just written. Deep pictures are small: recursion does no harm. */
  private inside(node: NodeId, indent: string): void {
    this.drawn.add(node);
    const edges = this.picture.edges.filter(({ from }) => from === node);
    const width = Math.max(0, ...edges.map(({ name }) => name.length));
    edges.forEach((edge, i) => {
      const isLast = i === edges.length - 1;
      const target = edge.to === undefined ? undefined : this.byNode.get(edge.to);
      const opens = target !== undefined && edge.change !== 'gone' && !this.drawn.has(target.node);
      this.out.push(`${edgeMark(edge)} ${indent}${isLast ? '└' : '├'}─${edge.name}${'─'.repeat(width - edge.name.length)}─▶ ${this.targetText(edge, target, opens)}`);
      if (opens) this.inside(target.node, `${indent}${isLast ? ' ' : '│'}${' '.repeat(3)}`);
    });
  }

  private targetText(edge: PictureEdge, target: PictureNode | undefined, opens: boolean): string {
    if (target === undefined) return edge.isWild ? `${edge.where} (no node)` : edge.where;
    return opens ? nodeText(target) : edge.where;
  }
}

function nodeMark({ change, isMarked }: PictureNode): string {
  return change === 'new' ? '+' : change === 'gone' ? '-' : isMarked ? '!' : ' ';
}

function edgeMark({ change, isWild }: PictureEdge): string {
  return change === 'new' ? '+' : change === 'gone' ? '-' : isWild ? '!' : ' ';
}

function nodeText({ title, fields, isMarked }: PictureNode): string {
  return `${title}${fields.map(({ name, value }) => ` ${name}=${value}`).join('')}${isMarked ? ' ◀' : ''}`;
}
