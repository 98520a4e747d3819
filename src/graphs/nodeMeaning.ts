/**
 * What a node does to registers and memory, from its IR: each register, the flags, and where control goes, as
 * expressions of what there was before it. Only as far as jump tables need it: whole numbers, and stores to memory
 * whose address is an expression.
 */
import { guestAddr } from '../base/types.js';
import { type Block, type Node, NONE } from '../ir/ir.js';
import { OPS } from '../ir/ops.js';
import { CC_OP, CC_X, CC_Y, CC_Z, GPR, RAX, RBP, RCX, RDX, RSP } from '../layout/cpuState.js';
import type { Translator } from '../x86/translate.js';
import type { Stretch } from './exploration.js';
import { type Expression, Expressions } from './expressions.js';

interface Store {
  readonly address: Expression;
  readonly bytes: number;
  readonly value: Expression;
}

export interface NodeMeaning {
  /** Slots that it changes, by offset. */
  readonly slots: ReadonlyMap<number, Expression>;
  readonly stores: readonly Store[];
  /** It ends with a call: memory may have changed, but for the function's own frame. */
  readonly calls: boolean;
  /** Of a branch. */
  readonly condition: Expression | undefined;
  /** Of an indirect jump. */
  readonly target: Expression | undefined;
}

const FLAGS = [CC_OP, CC_X, CC_Y, CC_Z];
/**
 * What calls change: where they return values. Other registers that are read after a call were left as they were, or a
 * compiler would not read them; it may know that of registers that functions need not preserve, too.
 */
const CLOBBERED = [RAX, RDX, ...FLAGS];
const R11 = GPR[11] as (typeof GPR)[0];
/** Nodes of more instructions are looked at from their end only so far. */
const MOST_PIECES = 64;

/** Of one function. */
export class NodeMeanings {
  readonly expressions = new Expressions();
  private readonly known = new Map<string, NodeMeaning>();

  constructor(private readonly translator: Translator) {}

  of(node: Stretch): NodeMeaning {
    const key = `${node.start} ${node.end} ${node.ending.kind}`;
    let meaning = this.known.get(key);
    if (meaning === undefined) this.known.set(key, (meaning = this.read(node)));
    return meaning;
  }

  /** An expression of what there is after a node, as one of what there was before it. */
  before(expression: Expression, meaning: NodeMeaning): Expression {
    const { expressions } = this;
    const done = new Map<Expression, Expression>();
    const change = (one: Expression): Expression => {
      if (one.op === 'const' || one.op === 'unknown') return one;
      if (one.op === 'opaque') return expressions.unknown();
      let changed = done.get(one);
      if (changed !== undefined) return changed;
      if (one.op === 'slot') changed = meaning.slots.get(one.value) ?? one;
      else {
        const args = one.args.map(change);
        changed = one.op.startsWith('load') ? this.load(one, args[0] as Expression, meaning) : args.every((arg, i) => arg === one.args[i]) ? one : expressions.make(one.op, args, one.value);
      }
      done.set(one, changed);
      return changed;
    };
    return change(expression);
  }

  /** What a load finds after the node's stores. */
  private load(load: Expression, address: Expression, meaning: NodeMeaning): Expression {
    const { expressions } = this;
    return loaded(expressions, load.op, load.value, address, meaning.stores) ??
      (meaning.calls && !isInFrame(address) && address.op !== 'const' ? expressions.unknown() : expressions.make(load.op, [address], load.value));
  }

  private read(node: Stretch): NodeMeaning {
    const { translator, expressions } = this;
    const reader = new BlockReader(expressions);
    let end: Block['end'] | undefined;
    let values: readonly Expression[] = [];
    for (let [at, pieces] = [node.start, 0]; at < node.end; pieces++) {
      const block = pieces < MOST_PIECES ? translator.translate(guestAddr(at), undefined, (address) => address >= node.end) : null;
      if (block === null || block.next <= at || block.end.kind === 'unknown') {
        reader.forget(GPR);
        reader.forget(FLAGS);
        if (block === null || block.next <= at) break;
      }
      values = reader.read(block);
      end = block.end;
      if (end.kind === 'syscall') reader.forget([RAX, RCX, R11]);
      at = block.next;
    }
    const isCall = node.ending.kind === 'call';
    if (isCall) reader.forget(CLOBBERED);
    if (isCall) reader.leaveCall();
    return {
      slots: reader.slots, stores: reader.stores, calls: isCall,
      condition: end?.kind === 'branch' ? values[end.condition] : undefined,
      target: end?.kind === 'indirect' && end.via === 'jump' ? values[end.target] : undefined,
    };
  }
}

class BlockReader {
  readonly slots = new Map<number, Expression>();
  readonly stores: Store[] = [];

  constructor(private readonly expressions: Expressions) {}

  forget(slots: readonly { readonly offset: number }[]): void {
    for (const { offset } of slots) this.slots.set(offset, this.expressions.unknown());
  }

  /** What the call has pushed is gone when it returns. */
  leaveCall(): void {
    const { expressions, slots } = this;
    const pushed = slots.get(RSP.offset) ?? expressions.slot(RSP.offset);
    slots.set(RSP.offset, expressions.make('i64.add', [pushed, expressions.constant(8)]));
  }

  read({ nodes }: Block): Expression[] {
    const values: Expression[] = [];
    for (const node of nodes) values.push(this.meaningOf(node, values));
    return values;
  }

  private meaningOf(node: Node, values: readonly Expression[]): Expression {
    const { expressions } = this;
    const { name, effect, bytes, touches, result } = OPS[node.op] as (typeof OPS)[0];
    const argument = (value: number): Expression => values[value] ?? expressions.unknown();
    switch (effect) {
      case 'get':
        return name === 'get.v128' ? expressions.unknown() : (this.slots.get(node.imm) ?? expressions.slot(node.imm));
      case 'set':
        if (name !== 'set.v128') this.slots.set(node.imm, argument(node.a));
        return expressions.unknown();
      case 'load': {
        const address = this.address(argument(node.a), node.imm);
        return loaded(expressions, name, bytes, address, this.stores) ?? expressions.make(name, [address], bytes);
      }
      case 'store':
        if (bytes > 0) this.stores.push({ address: this.address(argument(node.a), node.imm), bytes, value: argument(node.b) });
        return expressions.unknown();
      case 'cc':
        [node.a, node.b, node.c, node.d].forEach((value, i) => this.slots.set((FLAGS[i] as (typeof FLAGS)[0]).offset, argument(value)));
        return expressions.unknown();
      default:
        for (const { offset } of touches) this.slots.set(offset, expressions.unknown());
        if (name === 'i32.const') return expressions.constant(node.imm);
        if (name === 'i64.const') return Number.isSafeInteger(Number(node.big)) ? expressions.constant(Number(node.big)) : expressions.unknown();
        if (effect !== 'pure' || (result !== 'i32' && result !== 'i64')) return expressions.unknown();
        return expressions.make(name, [node.a, node.b, node.c, node.d].filter((value) => value !== NONE).map(argument), node.imm);
    }
  }

  private address(base: Expression, displacement: number): Expression {
    return this.expressions.make('i64.add', [base, this.expressions.constant(displacement)]);
  }
}

/** The value that a load finds after stores; undefined if none of them has to do with it. */
function loaded(expressions: Expressions, op: string, bytes: number, address: Expression, stores: readonly Store[]): Expression | undefined {
  const [base, offset] = parts(address);
  for (let i = stores.length - 1; i >= 0; i--) {
    const store = stores[i] as Store;
    const [otherBase, otherOffset] = parts(store.address);
    // What is stored through other pointers is taken to lie elsewhere.
    if (base !== otherBase || offset >= otherOffset + store.bytes || otherOffset >= offset + bytes) continue;
    const isSame = offset === otherOffset && bytes === store.bytes && (op === 'load32' || op === 'load64');
    return isSame ? store.value : expressions.unknown();
  }
  return undefined;
}

function parts(address: Expression): [Expression | undefined, number] {
  if (address.op === 'const') return [undefined, address.value];
  const [base, offset] = address.args;
  return address.op === 'i64.add' && offset?.op === 'const' ? [base, offset.value] : [address, 0];
}

function isInFrame(address: Expression): boolean {
  const [base] = parts(address);
  return base?.op === 'slot' && (base.value === RSP.offset || base.value === RBP.offset);
}
