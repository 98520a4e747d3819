/** What operations touched since the last check, each thing once. */
import type { NodeId } from '../model.js';
import type { Touched } from './memoryGraph.js';

export class TouchedCells implements Touched {
  readonly fields = new Map<NodeId, Set<number>>();
  readonly degrees = new Set<NodeId>();
  readonly bornOrDied = new Set<NodeId>();

  get isEmpty(): boolean {
    return this.fields.size === 0 && this.degrees.size === 0 && this.bornOrDied.size === 0;
  }

  field(node: NodeId, field: number): void {
    const fields = this.fields.get(node);
    if (fields === undefined) this.fields.set(node, new Set([field]));
    else fields.add(field);
  }

  degree(node: NodeId): void {
    this.degrees.add(node);
  }

  born(node: NodeId): void {
    this.bornOrDied.add(node);
  }

  died(node: NodeId): void {
    this.bornOrDied.add(node);
  }

  clear(): void {
    this.fields.clear();
    this.degrees.clear();
    this.bornOrDied.clear();
  }
}
