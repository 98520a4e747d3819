/**
 * What one executed instruction does with values: for any place, where the bytes come from that it leaves there. Taken
 * from the IR that the engine itself runs, so every instruction is known. A copy of a place, a constant, or made
 * there; of what is made by adding and subtracting, the operands are told, because pointers stay pointers.
 */
import type { Block, Node, Value } from '../../ir/ir.js';
import { instructionEffects } from '../../ir/meaning/instructionEffects.js';
import { nodeEffects } from '../../ir/meaning/nodeEffects.js';
import { meetsRange, stateBytes } from '../../ir/meaning/stateBytes.js';
import { movedFrom, stringWalk, walkedRange } from '../../ir/meaning/strings.js';
import type { OpDef } from '../../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../../ir/ops.js';
import { restoresImage } from '../../ir/sysCalls.js';
import { RAX } from '../../layout/cpuState.js';
import { FX_VECTORS, FX_WRITTEN } from '../../layout/fxImage.js';
import { type ByteSource, bytesFrom, constantByte, gather, isUntouched, MADE, memoryByte, registerByte } from './byteSources.js';
import type { Place } from './place.js';
import { type Before, ValueSources } from './valueSources.js';

/** An operand of a sum. */
export interface Term {
  readonly place: Place;
  readonly value: bigint;
}

export type Came =
  /** The instruction does not write there, or what was there before. */
  | { readonly kind: 'untouched' }
  | { readonly kind: 'copy'; readonly from: Place }
  | { readonly kind: 'constant'; readonly value: bigint }
  /** Computed. If it is a sum or difference: of what. */
  | { readonly kind: 'made'; readonly terms: readonly Term[] }
  /** Several places together: bytes of different origin. */
  | { readonly kind: 'mixed'; readonly bytes: readonly ByteSource[] }
  /** By the system call that the instruction makes. */
  | { readonly kind: 'syscall' };

const IMAGE = OP_BY_NAME.get('sys.fpuImage')?.id;
const IS_STRING: readonly boolean[] = OPS.map(({ name }) => name.startsWith('rep.'));

/** Whether the instruction may change bytes of the register; what it leaves there, `InstructionFlow` tells. */
export function mayWrite(block: Block, offset: number, size: number): boolean {
  return (instructionEffects(block).writes & stateBytes([{ offset, bytes: size }])) !== 0n;
}

export class InstructionFlow {
  private readonly values: ValueSources;

  constructor(
    private readonly block: Block,
    before: Before,
  ) {
    this.values = new ValueSources(block, before);
  }

  /** How what the instruction leaves in the place came there. */
  cameTo(place: Place): Came {
    if (this.block.end.kind === 'syscall' && place.kind === 'register' && mayWrite(this.block, place.offset, place.size)) return { kind: 'syscall' };
    const { bytes, written } = this.followed(place);
    if (isUntouched(bytes, place)) return { kind: 'untouched' };
    const gathered = gather(bytes);
    if (gathered.kind === 'copy' || gathered.kind === 'constant') return gathered;
    const [first] = written;
    const terms = first === undefined || written.some((value) => value !== first) ? [] : this.terms(first);
    return gathered.kind === 'made' || terms.length > 0 ? { kind: 'made', terms } : { kind: 'mixed', bytes };
  }

  /** Where each byte of the place comes from. */
  bytesOf(place: Place): readonly ByteSource[] {
    return this.followed(place).bytes;
  }

  private followed(place: Place): { readonly bytes: ByteSource[]; readonly written: (Value | undefined)[] } {
    const written: (Value | undefined)[] = Array<Value | undefined>(place.size).fill(undefined);
    const bytes = bytesFrom(place);
    for (const node of this.block.nodes) this.follow(node, place, bytes, written);
    return { bytes, written };
  }

  /** What a node does to the place's bytes. */
  private follow(node: Node, place: Place, bytes: ByteSource[], written: (Value | undefined)[]): void {
    const def = OPS[node.op] as OpDef;
    if (def.effect === 'set' && place.kind === 'register') this.put(node.imm - place.offset, node.a, Infinity, bytes, written);
    if (def.effect === 'store' && def.bytes > 0 && place.kind === 'memory') {
      const address = this.values.evaluation.address(node);
      if (address !== undefined) this.put(address - place.address, node.b, def.bytes, bytes, written);
    }
    if (def.effect === 'helper') this.help(node, def, place, bytes);
    if (def.effect === 'state') this.changeSlots(node, place, bytes);
  }

  /** A value goes to byte `at` of the place. */
  private put(at: number, value: Value, size: number, bytes: ByteSource[], written: (Value | undefined)[]): void {
    if (at >= bytes.length || at <= -16) return;
    const sources = this.values.sources(value);
    for (let i = 0; i < Math.min(sources.length, size); i++) {
      if (at + i < 0 || at + i >= bytes.length) continue;
      bytes[at + i] = sources[i] as ByteSource;
      written[at + i] = at === 0 ? value : undefined;
    }
  }

  private help(node: Node, def: OpDef, place: Place, bytes: ByteSource[]): void {
    if (node.op === IMAGE) this.image(node, place, bytes);
    else if (IS_STRING[node.op] === true) this.repeat(node, def, place, bytes);
    else this.changeSlots(node, place, bytes);
  }

  /** What an operation other than a move leaves in registers is made there. */
  private changeSlots(node: Node, place: Place, bytes: ByteSource[]): void {
    if (place.kind !== 'register') return;
    for (const range of nodeEffects(node).writes) {
      for (let i = 0; i < bytes.length; i++) if (meetsRange([range], place.offset + i, 1)) bytes[i] = MADE;
    }
  }

  /** fxsave copies registers to memory, fxrstor copies them back. */
  private image({ a, imm }: Node, place: Place, bytes: ByteSource[]): void {
    const image = this.values.number(a);
    if (image === undefined || restoresImage(imm) !== (place.kind === 'register')) return;
    for (let i = 0; i < bytes.length; i++) {
      if (place.kind === 'register') {
        const register = FX_VECTORS.find(({ slot: { offset }, bytes: size }) => place.offset + i >= offset && place.offset + i < offset + size);
        if (register !== undefined) bytes[i] = memoryByte(Number(image) + register.at + place.offset + i - register.slot.offset);
      } else {
        const into = place.address + i - Number(image);
        const register = FX_VECTORS.find(({ at, bytes: size }) => into >= at && into < at + size);
        if (into >= 0 && into < FX_WRITTEN) bytes[i] = register === undefined ? MADE : registerByte(register.slot.offset + into - register.at);
      }
    }
  }

  /**
   * The bytes at rdi were copied from those at rsi, or are those of rax again and again; lods loads the last element.
   */
  private repeat(node: Node, def: OpDef, place: Place, bytes: ByteSource[]): void {
    const walk = stringWalk(def, node.imm, this.values.evaluation.before);
    if (walk.count === 0) return;
    if (place.kind === 'register') {
      const kept = [...bytes];
      this.changeSlots(node, place, bytes);
      const [all] = def.name === 'rep.lods' ? walkedRange(walk, walk.source) : [];
      if (all !== undefined) this.loadLast(walk.isBackward ? all.address : all.address + all.bytes - walk.size, walk.size, place, bytes, kept);
      return;
    }
    const [target] = def.name === 'rep.movs' || def.name === 'rep.stos' ? walkedRange(walk, walk.target) : [];
    if (target === undefined) return;
    for (let i = 0; i < bytes.length; i++) {
      const address = place.address + i;
      if (address < target.address || address >= target.address + target.bytes) continue;
      bytes[i] = def.name === 'rep.movs' ? memoryByte(movedFrom(walk, address)) : registerByte(RAX.offset + ((address - target.address) % walk.size));
    }
  }

  /** rax after lods: elements of 1 and 2 bytes keep what is above them, those of 4 clear it. */
  private loadLast(address: number, size: number, place: Place & { kind: 'register' }, bytes: ByteSource[], kept: readonly ByteSource[]): void {
    for (let i = 0; i < bytes.length; i++) {
      const at = place.offset + i - RAX.offset;
      if (at < 0 || at >= 8) continue;
      bytes[i] = at < size ? memoryByte(address + at) : size < 4 ? (kept[i] as ByteSource) : constantByte(0);
    }
  }

  /** The operands of additions and subtractions that are places; an aligned pointer is a sum, too. */
  private terms(value: Value): Term[] {
    const def = this.values.def(value);
    const { a, b } = this.values.node(value);
    if (def.name === 'i64.add') return [...this.terms(a), ...this.terms(b)];
    if (def.name === 'i64.sub') return this.terms(a);
    if (def.name === 'i64.and' && this.values.def(b).name === 'i64.const' && this.values.node(b).big < 0n) return this.terms(a);
    const gathered = gather(this.values.sources(value));
    const number = this.values.number(value);
    if (gathered.kind !== 'copy' || gathered.from.size !== 8 || number === undefined) return [];
    return [{ place: gathered.from, value: number }];
  }
}
