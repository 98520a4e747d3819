/**
 * The pass that adds to a block what is needed to notice loads of bytes that have not been written: a check before
 * every load, a mark for every store, and where the stack grows its new part becomes unwritten. A function may use the
 * 128 bytes below the stack pointer (the red zone) without moving it, and may move it over them afterwards.
 *
 * What has been looked at or marked in the block need not be once more: code that was not optimised has the same local
 * variables in its hands all the time.
 */
import { RSP } from '../layout/cpuState.js';
import { FX_AT, FX_VECTORS, fxFloats } from '../layout/fxImage.js';
import { BlockCopy } from './blockCopy.js';
import type { BlockPass } from './blockPass.js';
import { type Block, NONE, Node, type Value } from './ir.js';
import type { OpDef } from './opDef.js';
import { OP_BY_NAME, OPS } from './ops.js';
import { groupsOf } from './registerGroups.js';
import { restoresImage } from './sysCalls.js';

/** Pushes write what they make room for. */
const PUSHED = 8;

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const ADD = id('i64.add');
const SUB = id('i64.sub');
const CONST = id('i64.const');
const GET = id('get.i64');
const IMAGE = id('sys.fpuImage');
const SET = id('set.i64');
const CALL = id('init.call');
const FRAME = id('init.frame');
const ALLOCA = id('init.alloca');
const REGISTERS = id('init.registers');
const REPEATED = new Map([[id('rep.movs'), id('init.movs')], [id('rep.stos'), id('init.stos')]]);
/** By size of the access. */
const LOOKED = { check: sized('init.check'), mark: sized('init.mark') };
/** The same for those who never look away. */
const SHADOWED = { check: sized('shadow.check'), mark: sized('shadow.mark') };

/** Operations that may make bytes unwritten: they call JavaScript, or move memory. */
const MAY_UNWRITE = /^(sys|rep)\./;

function sized(name: string): ReadonlyMap<number, number> {
  return new Map([1, 2, 4, 8, 16].map((bytes) => [bytes, id(`${name}${bytes}`)]));
}

/** Whole vectors. */
const VECTOR = 16;

/**
 * `isLoose`: whether the code at an address reads whole vectors of which it looks at a part. Its loads of vectors need
 * no check.
 */
export function initPass(isLoose: (address: number) => boolean): BlockPass {
  return {
    key: 'init',
    rewrite: (block) => new Weaver(block, isLoose(block.start), true, LOOKED).weave(),
    variantAt: (address) => (isLoose(address) ? 'loose' : ''),
  };
}

/**
 * The same for shadow that begins elsewhere: frames are like other memory, and so are return addresses. Only an
 * instruction that is executed alone may have to look away.
 */
export function shadowPass(): BlockPass {
  return { key: 'shadow', rewrite: (block, { isAlone }) => new Weaver(block, false, false, isAlone ? LOOKED : SHADOWED).weave() };
}

/** What is taken from an image of the floating point state, in pieces that can be checked; nothing if it is saved. */
export function imageParts({ imm }: Node): readonly { readonly bytes: number; readonly at: number }[] {
  if (!restoresImage(imm)) return [];
  const floats = fxFloats(0).flatMap(({ at }) => [{ bytes: 8, at }, { bytes: 2, at: at + 8 }]);
  return [{ bytes: 2, at: FX_AT.status }, ...floats, ...FX_VECTORS.map(({ at, bytes }) => ({ bytes, at }))];
}

class Weaver {
  private readonly copy: BlockCopy;
  /** The stack pointer's last value, if it has been looked at. */
  private stack: Value = NONE;
  /** Bytes of pushes that have not been accounted for. */
  private pushed = 0;
  /** Bytes that were looked at, or marked: [low, high) from a value on. */
  private seen: { readonly root: Value; readonly low: number; readonly high: number; readonly isMarked: boolean }[] = [];

  constructor(
    private readonly block: Block,
    private readonly isLoose: boolean,
    /** Whether what the stack grows by is unwritten. */
    private readonly unwritesFrames: boolean,
    private readonly ops: typeof LOOKED,
  ) {
    this.copy = new BlockCopy(block);
  }

  weave(): Block {
    const { block } = this;
    block.nodes.forEach((node, i) => {
      const { op, imm } = node;
      const def = OPS[op] as OpDef;
      const copy = this.copy.renumbered(node);
      if (MAY_UNWRITE.test(def.name)) this.seen = [];
      if (def.bytes > 0 && !this.isProbe(i)) this.access(copy, def, i as Value);
      if (op === IMAGE) this.restores(copy);
      const repeated = REPEATED.get(op);
      if (repeated !== undefined) this.push(new Node(repeated, NONE, NONE, NONE, NONE, imm));
      const value = this.copy.keep(i, copy);
      if (i === 0 && !this.unwritesFrames) this.push(new Node(REGISTERS, NONE, NONE, NONE, NONE, groupsOf(block)));
      if (op === GET && imm === RSP.offset && this.stack === NONE) this.stack = value;
      if (op === SET && imm === RSP.offset) this.stackMoves(copy.a);
    });
    const { end } = block;
    const isCall = end.kind === 'call' || (end.kind === 'indirect' && end.via === 'call');
    if (isCall && this.stack !== NONE && this.unwritesFrames) this.push(new Node(CALL, this.stack, NONE, NONE, NONE, 0));
    return this.copy.finish();
  }

  /** Whether it is a load that only sees to it that an image can be read: fxrstor does not look at all of it. */
  private isProbe(i: number): boolean {
    const { nodes } = this.block;
    return [1, 2].some((ahead) => nodes[i + ahead]?.op === IMAGE && nodes.slice(i + 1, i + ahead).every(({ op }) => (OPS[op] as OpDef).effect === 'load'));
  }

  /** Registers that are taken from an image may have been undefined when it was made. */
  private restores(node: Node): void {
    for (const { bytes, at } of imageParts(node)) this.push(new Node(this.ops.check.get(bytes) as number, node.a, NONE, NONE, NONE, at));
  }

  private access(node: Node, def: OpDef, i: Value): void {
    const { end } = this.block;
    const isReturnAddress = this.unwritesFrames && end.kind === 'indirect' && end.via === 'return' && end.target === i;
    if (def.effect !== 'store' && (isReturnAddress || (this.isLoose && def.bytes === VECTOR))) return;
    const { root, distance } = this.decompose(node.a);
    const [low, high] = [distance + node.imm, distance + node.imm + def.bytes];
    const isMarked = def.effect === 'store';
    // That bytes were looked at does not mean that they are written: for some instructions that makes no difference.
    const isEnough = (known: { readonly isMarked: boolean }): boolean => known.isMarked || !isMarked || this.ops === SHADOWED;
    if (this.seen.some((known) => known.root === root && known.low <= low && known.high >= high && isEnough(known))) return;
    this.seen.push({ root, low, high, isMarked });
    this.push(new Node((isMarked ? this.ops.mark : this.ops.check).get(def.bytes) as number, node.a, NONE, NONE, NONE, node.imm));
  }

  private stackMoves(to: Value): void {
    const from = this.stack;
    this.stack = to;
    if (from === NONE) return;
    const pushed = this.pushed;
    this.pushed = 0;
    const [before, after] = [this.decompose(from), this.decompose(to)];
    const grown = before.distance - after.distance;
    if (before.root === after.root) {
      if (grown === PUSHED) this.pushed = pushed + PUSHED;
      if (grown > PUSHED) this.unwrite(new Node(FRAME, this.above(from, pushed), NONE, NONE, NONE, grown + pushed));
    } else if (this.copy.nodes[to]?.op === SUB && this.copy.nodes[to]?.a === from) this.unwrite(new Node(ALLOCA, to, from, NONE, NONE, 0));
  }

  private unwrite(node: Node): void {
    if (!this.unwritesFrames) return;
    this.seen = [];
    this.push(node);
  }

  private above(value: Value, bytes: number): Value {
    return bytes === 0 ? value : this.push(new Node(ADD, value, this.push(new Node(CONST, NONE, NONE, NONE, NONE, 0, BigInt(bytes))), NONE, NONE, 0));
  }

  /** A value as another one and a distance. */
  private decompose(value: Value): { readonly root: Value; readonly distance: number } {
    let root = value;
    let distance = 0;
    for (;;) {
      const node = this.copy.nodes[root] as Node;
      const right = node.op === ADD || node.op === SUB ? this.copy.nodes[node.b] : undefined;
      if (right?.op !== CONST || right.big < -0x1000_0000n || right.big > 0x1000_0000n) return { root, distance };
      distance += node.op === ADD ? Number(right.big) : -Number(right.big);
      root = node.a;
    }
  }

  private push(node: Node): Value {
    return this.copy.push(node);
  }
}
