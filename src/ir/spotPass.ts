/**
 * The pass that makes code log what happens at spots (spotOps.ts): every store looks whether it is to memory that is
 * asked for, every return whether it is that of a call that was logged, and the instructions that are asked for log
 * that they are come to.
 *
 * Stores are logged when they are done: nothing of an instruction can fault any more then, so nothing has to be taken
 * back. A repeated string instruction may be interrupted in the middle: what it is about to do is noted before it, and
 * the engine looks there.
 */
import { DF, RAX, RCX, RDI, RDX, RSI, RSP, type Slot } from '../layout/cpuState.js';
import { FX_WRITTEN } from '../layout/fxImage.js';
import { BlockCopy } from './blockCopy.js';
import { type BlockPass, OF_THIS_PROCESS } from './blockPass.js';
import { type Block, NONE, Node, type Value } from './ir.js';
import type { OpDef } from './opDef.js';
import { OP_BY_NAME, OPS } from './ops.js';
import { REP } from './repFlags.js';
import { SPOT_BYTES_BITS } from './spotOps.js';
import type { SpotKind, SpotSites } from './spotSites.js';
import { restoresImage } from './sysCalls.js';

const NARROW = 0xffff_ffffn;

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const INSN = id('insn');
const IMAGE = id('sys.fpuImage');
const REPEATED: ReadonlySet<number> = new Set([id('rep.movs'), id('rep.stos')]);
const CONST = id('i64.const');
const ADD = id('i64.add');
const AND = id('i64.and');
const GET_I32 = id('get.i32');
const GET_I64 = id('get.i64');
const [STORE, RANGE, REPEAT, DONE, PASS, CALL, RETURN] = ['store', 'range', 'repeat', 'repeated', 'pass', 'call', 'return'].map((name) => id(`spot.${name}`)) as [number, number, number, number, number, number, number];

/** What code is asked for. */
export interface CodeSpots {
  /** Instructions that are told of whenever they are come to. */
  readonly passes: ReadonlySet<number>;
  /** First instructions of functions, whose calls and returns are told of. */
  readonly calls: ReadonlySet<number>;
}

/** `sites` get their numbers from it. `stores`: whether stores are asked for. The key is made from the spots. */
export function spotPass(sites: SpotSites, { passes, calls }: CodeSpots, stores: boolean): BlockPass {
  const list = (addresses: ReadonlySet<number>): string => [...addresses].sort((a, b) => a - b).join();
  const key = `${OF_THIS_PROCESS}spots(${stores ? 'stores' : ''};${list(passes)};${list(calls)})`;
  return { key, rewrite: (block) => new Spotter(block, sites, { passes, calls }, stores).rewrite() };
}

class Spotter {
  private readonly copy: BlockCopy;
  private instruction = 0;
  private index = -1;

  constructor(
    private readonly block: Block,
    private readonly sites: SpotSites,
    private readonly code: CodeSpots,
    private readonly stores: boolean,
  ) {
    this.copy = new BlockCopy(block);
  }

  rewrite(): Block {
    const { block, copy } = this;
    block.nodes.forEach((node, i) => {
      const renumbered = copy.renumbered(node);
      const repeats = this.stores && REPEATED.has(node.op);
      if (repeats) this.repeat(node.imm);
      copy.keep(i, renumbered);
      if (repeats) this.repeated(node.imm);
      else if (node.op === INSN) this.begins(node.imm);
      else if (this.stores) this.stored(renumbered);
    });
    return copy.finish();
  }

  private begins(instruction: number): void {
    const { code: { passes, calls }, block: { end, instructions } } = this;
    this.instruction = instruction;
    this.index++;
    if (passes.has(instruction)) this.registers(PASS, 'pass', [RSP, RDI, RSI, RDX]);
    if (calls.has(instruction)) this.registers(CALL, 'call', [RSP, RDI, RSI, RDX]);
    const isReturn = this.index === instructions - 1 && end.kind === 'indirect' && end.via === 'return';
    if (isReturn && calls.size > 0) this.registers(RETURN, 'return', [RSP, RAX]);
  }

  private registers(op: number, kind: SpotKind, slots: readonly Slot[]): void {
    const [a = NONE, b = NONE, c = NONE, d = NONE] = slots.map((slot) => this.get(slot));
    this.push(op, this.site(kind), a, b, c, d);
  }

  private stored(node: Node): void {
    const { bytes, effect } = OPS[node.op] as OpDef;
    if (node.op === IMAGE && !restoresImage(node.imm)) this.push(RANGE, this.site('store'), node.a, this.constant(BigInt(FX_WRITTEN)));
    if (effect !== 'store' || bytes === 0) return;
    const address = node.imm === 0 ? node.a : this.push(ADD, 0, node.a, this.constant(BigInt(node.imm)));
    this.push(STORE, this.site('store') * 2 ** SPOT_BYTES_BITS + bytes, address);
  }

  private repeat(imm: number): void {
    this.push(REPEAT, this.site('store'), this.narrowed(RDI, imm), this.narrowed(RCX, imm));
  }

  private repeated(imm: number): void {
    const isDownward = this.push(GET_I32, DF.offset);
    this.push(DONE, imm & REP.SIZE_MASK, this.narrowed(RCX, imm), isDownward);
  }

  private narrowed(slot: Slot, imm: number): Value {
    const value = this.get(slot);
    return (imm & REP.ADDRESS_32) === 0 ? value : this.push(AND, 0, value, this.constant(NARROW));
  }

  private site(kind: SpotKind): number {
    return this.sites.numberOf(kind, this.instruction, this.block.instructions - this.index);
  }

  private get(slot: Slot): Value {
    return this.push(GET_I64, slot.offset);
  }

  private constant(big: bigint): Value {
    return this.copy.push(new Node(CONST, NONE, NONE, NONE, NONE, 0, big));
  }

  private push(op: number, imm: number, a: Value = NONE, b: Value = NONE, c: Value = NONE, d: Value = NONE): Value {
    return this.copy.push(new Node(op, a, b, c, d, imm));
  }
}
