/**
 * Checks a block against the rules of the IR: arguments exist, come first and have the right types;
 * immediates make sense; the precise-fault rule of ir.ts holds; the end's values fit. For tests: it
 * says what is wrong in words and costs too much for every block.
 */
import { hex } from '../base/types.js';
import { SLOTS_END } from '../layout/cpuState.js';
import { type Block, NONE, type Node, type Value } from './ir.js';
import type { OpDef, Type } from './opDef.js';
import { OPS } from './ops.js';

/** What is wrong with the block, one line each; empty if nothing is. */
export function verifyBlock(block: Block): string[] {
  return new Verifier(block).run();
}

class Verifier {
  private readonly problems: string[] = [];
  private readonly faults = new FaultRule();
  private marks = 0;

  constructor(private readonly block: Block) {}

  run(): string[] {
    this.block.nodes.forEach((node, i) => this.node(node, i));
    this.end();
    if (this.marks !== this.block.instructions) this.problems.push(`${this.marks} instruction marks for ${this.block.instructions} instructions`);
    return this.problems;
  }

  private node(node: Node, i: number): void {
    const def = OPS[node.op];
    if (def === undefined) {
      this.problems.push(`v${i}: no operation ${node.op}`);
      return;
    }
    [node.a, node.b, node.c, node.d].forEach((arg, n) => this.argument(arg, def.params[n], i, `argument ${n} of ${def.name}`));
    this.immediate(node, def, i);
    if (def.effect === 'mark') this.mark(node, i);
    const broken = this.faults.step(def);
    if (broken !== null) this.problems.push(`v${i} (${def.name}): ${broken}`);
  }

  private argument(v: Value, type: Type | undefined, user: number, what: string): void {
    if (type === undefined) {
      if (v !== NONE) this.problems.push(`v${user}: ${what} should be absent`);
      return;
    }
    const producer = this.block.nodes[v];
    if (producer === undefined || v >= user) {
      this.problems.push(`v${user}: ${what} is v${v}, which is not defined before`);
      return;
    }
    const actual = OPS[producer.op]?.result ?? 'nothing';
    if (actual !== type) this.problems.push(`v${user}: ${what} is ${actual}, not ${type}`);
  }

  private immediate(node: Node, def: OpDef, i: number): void {
    const { imm } = node;
    if (def.imm === 'slot' && (imm < 0 || imm >= SLOTS_END || imm % 4 !== 0)) this.problems.push(`v${i}: no slot at ${imm}`);
    if ((def.imm === 'i32' || def.imm === 'disp') && imm !== (imm | 0)) this.problems.push(`v${i}: ${imm} is not in 32 bits`);
    if (def.imm === 'v128' && node.bytes?.length !== 16) this.problems.push(`v${i}: a v128 needs 16 bytes`);
    if (def.imm === 'i64' && node.big !== BigInt.asIntN(64, node.big)) this.problems.push(`v${i}: ${node.big} is not a signed 64-bit number`);
  }

  private mark(node: Node, i: number): void {
    this.marks++;
    if (i === 0 && node.imm !== this.block.start) this.problems.push(`the first instruction is at ${hex(node.imm)}, not ${hex(this.block.start)}`);
  }

  private end(): void {
    const { end, nodes } = this.block;
    if (end.kind === 'branch') this.argument(end.condition, 'i32', nodes.length, 'condition of the branch');
    if (end.kind === 'indirect') this.argument(end.target, 'i64', nodes.length, 'target of the jump');
  }
}

/** Operations on uncached state that may trap but change nothing, as those with a result do at most to sticky flags. */
const CHECKS_ONLY: ReadonlySet<string> = new Set(['x87.check']);

/** Operations on uncached state that only change it. */
const NEVER_TRAPS: ReadonlySet<string> = new Set(['x87.last', 'x87.lastMemory', 'x87.commit']);

/** The precise-fault rule: no change of state before the last point where the instruction may fault. */
class FaultRule {
  /** Registers, flags or memory have changed. */
  private changed = false;
  /** State that is never cached has changed; it may go on changing. */
  private touched = false;
  private probed = false;

  step(def: OpDef): string | null {
    switch (def.effect) {
      case 'mark':
        this.changed = this.touched = this.probed = false;
        return null;
      case 'set':
      case 'cc':
        this.changed = true;
        return null;
      case 'track':
        return null;
      case 'load':
      case 'helper':
        return this.changed || this.touched ? 'may fault after state has changed' : null;
      case 'store':
        return this.store(def);
      case 'trap':
        return this.changed ? 'may trap after state has changed' : null;
      case 'state':
        if (this.changed && !this.probed && !NEVER_TRAPS.has(def.name)) return 'may trap after state has changed';
        if (def.result === null && !CHECKS_ONLY.has(def.name)) this.touched = true;
        return null;
      default:
        return null;
    }
  }

  private store(def: OpDef): string | null {
    if (def.name === 'probeWrite') {
      this.probed = true;
      return this.changed || this.touched ? 'may fault after state has changed' : null;
    }
    if ((this.changed || this.touched) && !this.probed) return 'may fault after state has changed';
    this.changed = true;
    return null;
  }
}
