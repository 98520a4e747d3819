/**
 * A copy of a block that grows node by node, for passes that put something in between: values get other numbers, and
 * the copy knows which.
 */
import { type Block, type End, NONE, Node, type Value } from './ir.js';

export class BlockCopy {
  readonly nodes: Node[] = [];
  /** Where the nodes of the block are. */
  private readonly moved: Int32Array;

  constructor(readonly block: Block) {
    this.moved = new Int32Array(block.nodes.length).fill(NONE);
  }

  /** The node of the block, with arguments as they are numbered here. It is not part of the copy yet. */
  renumbered(node: Node): Node {
    return new Node(node.op, this.at(node.a), this.at(node.b), this.at(node.c), this.at(node.d), node.imm, node.big, node.bytes);
  }

  /** Adds what stands for node `i` of the block. */
  keep(i: number, node: Node): Value {
    const value = this.push(node);
    this.moved[i] = value;
    return value;
  }

  /** Adds a node that the block does not have. */
  push(node: Node): Value {
    return (this.nodes.push(node) - 1) as Value;
  }

  /** The value of the block as it is numbered here. */
  at(value: Value): Value {
    return value === NONE ? NONE : (this.moved[value] as Value);
  }

  finish(): Block {
    return { ...this.block, nodes: this.nodes, end: this.movedEnd(this.block.end) };
  }

  private movedEnd(end: End): End {
    if (end.kind === 'branch') return { ...end, condition: this.at(end.condition) };
    return end.kind === 'indirect' ? { ...end, target: this.at(end.target) } : end;
  }
}
