/**
 * The pass that makes code log what it executes (logOps.ts): the number of every block when it is entered, and if asked
 * the addresses that its
 * instructions access.
 *
 * A block makes room for all of its addresses when it is entered, and puts each into its place before the access. So
 * the engine, when it leaves a block
 * in the middle, gives back what the instructions that did not happen would have had.
 */
import { DF, FS_BASE, GS_BASE, RCX, RDI, RSI, type Slot } from '../layout/cpuState.js';
import { FX_SIZE, FX_WRITTEN } from '../layout/fxImage.js';
import { LOG_BIAS } from '../layout/memoryMap.js';
import { BlockCopy } from './blockCopy.js';
import { type BlockPass, OF_THIS_PROCESS } from './blockPass.js';
import { type Block, NONE, Node, type Value } from './ir.js';
import type { LoggedAccess, LoggedBlocks } from './loggedBlocks.js';
import type { OpDef } from './opDef.js';
import { OP_BY_NAME, OPS } from './ops.js';
import { REP } from './repFlags.js';
import { restoresImage } from './sysCalls.js';

const ENTRY_BYTES = 8;
const NARROW = 0xffff_ffffn;

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const INSN = id('insn');
const IMAGE = id('sys.fpuImage');
const LOG_BLOCK = id('log.block');
const LOG_ROOM = id('log.room');
const LOG_ADDRESS = id('log.address');
const CONST = id('i64.const');
const GET_I32 = id('get.i32');
const GET_I64 = id('get.i64');

/** What a repeated string instruction accesses. */
interface Repeated {
  readonly reads: readonly Slot[];
  readonly writes: readonly Slot[];
}

const REPEATED: ReadonlyMap<number, Repeated> = new Map([
  [id('rep.movs'), { reads: [RSI], writes: [RDI] }],
  [id('rep.stos'), { reads: [], writes: [RDI] }],
  [id('rep.lods'), { reads: [RSI], writes: [] }],
  [id('rep.cmps'), { reads: [RSI, RDI], writes: [] }],
  [id('rep.scas'), { reads: [RDI], writes: [] }],
]);

/** The pass gives `blocks` their numbers: what code logs is good for those who have the same. */
export function logPass(blocks: LoggedBlocks, withAddresses: boolean): BlockPass {
  return { key: `${OF_THIS_PROCESS}${withAddresses ? 'addresses' : 'blocks'}`, rewrite: (block) => new Logger(block, blocks, withAddresses).rewrite() };
}

/**
 * Whether the log has an address, or several, for a node of the block: those that look whether an image can be read
 * have none, because the image is logged as a whole.
 */
export function accessOf(block: Block, i: number): 'access' | 'image' | 'repeated' | undefined {
  const { op } = block.nodes[i] as Node;
  if (REPEATED.has(op)) return 'repeated';
  if (op === IMAGE) return 'image';
  return (OPS[op] as OpDef).bytes > 0 && !isProbe(block, i) ? 'access' : undefined;
}

function isProbe({ nodes }: Block, i: number): boolean {
  for (let k = i + 1; k < nodes.length && nodes[k]?.op !== INSN; k++) if (nodes[k]?.op === IMAGE) return true;
  return false;
}

/** Where an entry goes, as long as it is not known how many there are. */
interface Placed {
  readonly node: Node;
  readonly entry: number;
}

class Logger {
  private readonly copy: BlockCopy;
  private readonly accesses: LoggedAccess[] = [];
  private readonly placed: Placed[] = [];
  private entries = 0;
  private instruction = -1;

  constructor(
    private readonly block: Block,
    private readonly blocks: LoggedBlocks,
    private readonly withAddresses: boolean,
  ) {
    this.copy = new BlockCopy(block);
  }

  rewrite(): Block {
    const { block, copy } = this;
    const number = new Node(LOG_BLOCK, NONE, NONE, NONE, NONE, 0);
    const room = new Node(LOG_ROOM, NONE, NONE, NONE, NONE, 0);
    block.nodes.forEach((node, i) => {
      const renumbered = copy.renumbered(node);
      const after = this.withAddresses ? this.before(renumbered, i) : undefined;
      copy.keep(i, renumbered);
      after?.();
      if (node.op === INSN) this.instruction++;
      if (node.op === INSN && this.instruction === 0) {
        copy.push(number);
        if (this.withAddresses) copy.push(room);
      }
    });
    number.imm = this.blocks.numberOf(block, this.accesses, this.entries);
    room.imm = this.entries * ENTRY_BYTES;
    for (const { node, entry } of this.placed) node.imm = LOG_BIAS - room.imm + entry * ENTRY_BYTES;
    return copy.finish();
  }

  /** Logs what a node is about to access. Returns what is to be logged after it. */
  private before(node: Node, i: number): (() => void) | undefined {
    const def = OPS[node.op] as OpDef;
    switch (accessOf(this.block, i)) {
      case 'repeated': return this.repeated(node, REPEATED.get(node.op) as Repeated);
      case 'access': this.access(node, def.effect === 'store', def.bytes); return undefined;
      case 'image': this.access(node, !restoresImage(node.imm), restoresImage(node.imm) ? FX_SIZE : FX_WRITTEN, 0); return undefined;
      case undefined: return undefined;
    }
  }

  private access(node: Node, isWrite: boolean, bytes: number, displacement = node.imm): void {
    const address = displacement === 0 ? node.a : this.op('i64.add', node.a, this.constant(BigInt(displacement)));
    this.accesses.push({ instruction: this.instruction, isWrite, bytes, entry: this.log(address) });
  }

  /**
   * What it is about to do is logged before it, so that the engine knows if it is left in the middle; how far it came,
   * after it, in the place of the count.
   */
  private repeated(node: Node, { reads, writes }: Repeated): () => void {
    const bytes = node.imm & REP.SIZE_MASK;
    const pointers = [...reads.map((slot) => ({ slot, isWrite: false })), ...writes.map((slot) => ({ slot, isWrite: true }))];
    const first = this.entries;
    for (const { slot, isWrite } of pointers) {
      const entry = this.log(this.segmented(slot, this.register(slot, node.imm), node.imm));
      this.accesses.push({ instruction: this.instruction, isWrite, bytes, entry, count: first + pointers.length });
    }
    const before = this.register(RCX, node.imm);
    const count = this.log(before);
    const isDownward = this.copy.push(new Node(GET_I32, NONE, NONE, NONE, NONE, DF.offset));
    return () => {
      const after = this.register(RCX, node.imm);
      this.put(this.op('i64.select', this.op('i64.sub', after, before), this.op('i64.sub', before, after), isDownward), count);
    };
  }

  private register(slot: Slot, imm: number): Value {
    const value = this.copy.push(new Node(GET_I64, NONE, NONE, NONE, NONE, slot.offset));
    return (imm & REP.ADDRESS_32) === 0 ? value : this.op('i64.and', value, this.constant(NARROW));
  }

  private segmented(slot: Slot, value: Value, imm: number): Value {
    const base = slot !== RSI ? undefined : (imm & REP.FS) !== 0 ? FS_BASE : (imm & REP.GS) !== 0 ? GS_BASE : undefined;
    return base === undefined ? value : this.op('i64.add', value, this.copy.push(new Node(GET_I64, NONE, NONE, NONE, NONE, base.offset)));
  }

  private constant(big: bigint): Value {
    return this.copy.push(new Node(CONST, NONE, NONE, NONE, NONE, 0, big));
  }

  private op(name: string, a: Value, b: Value, c: Value = NONE): Value {
    return this.copy.push(new Node(id(name), a, b, c, NONE, 0));
  }

  /** The entry that the value gets. */
  private log(value: Value): number {
    const entry = this.entries++;
    this.put(value, entry);
    return entry;
  }

  private put(value: Value, entry: number): void {
    const node = new Node(LOG_ADDRESS, value, NONE, NONE, NONE, 0);
    this.copy.push(node);
    this.placed.push({ node, entry });
  }
}
