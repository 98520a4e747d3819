/**
 * What one executed instruction does with values: for any place, where the bytes come from that it leaves there. Taken
 * from the IR that the engine itself runs, so every instruction is known. A copy of a place, a constant, or made there;
 * of what is made by adding and subtracting, the operands are told, because pointers stay pointers.
 */
import type { Block, Node, Value } from '../../ir/ir.js';
import type { OpDef } from '../../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../../ir/ops.js';
import { REP } from '../../ir/repFlags.js';
import { restoresImage, SYS } from '../../ir/sysCalls.js';
import { CC_OP, CC_X, CC_Y, CC_Z, DF, FS_BASE, GS_BASE, R11, RAX, RCX, RDI, RSI } from '../../layout/cpuState.js';
import { FX_VECTORS, FX_WRITTEN } from '../../layout/fxImage.js';
import { type ByteSource, bytesFrom, gather, isUntouched, MADE, memoryByte, registerByte } from './byteSources.js';
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

const WRITTEN_BY_CALLS = [RAX, RCX, R11];
const IMAGE = OP_BY_NAME.get('sys.fpuImage')?.id;
const FLAG_SLOTS = [CC_OP, CC_X, CC_Y, CC_Z];

/** Whether the instruction may change bytes of the register; what it leaves there, `InstructionFlow` tells. */
export function mayWrite(block: Block, offset: number, size: number): boolean {
  const meets = (start: number, bytes: number): boolean => start < offset + size && offset < start + bytes;
  if (block.end.kind === 'syscall' && WRITTEN_BY_CALLS.some((slot) => meets(slot.offset, 8))) return true;
  return block.nodes.some((node) => {
    const def = OPS[node.op] as OpDef;
    if (def.effect === 'set') return meets(node.imm, def.name.endsWith('v128') ? 16 : 8);
    if (def.effect === 'cc') return FLAG_SLOTS.some((slot) => meets(slot.offset, 8));
    if (node.op === IMAGE && !restoresImage(node.imm)) return false;
    return (def.effect === 'helper' || def.effect === 'state') && def.touches.some((slot) => meets(slot.offset, slot.type === 'v128' ? 16 : 8));
  });
}

export class InstructionFlow {
  private readonly values: ValueSources;

  constructor(
    private readonly block: Block,
    private readonly before: Before,
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
      const address = this.values.address(node);
      if (address !== undefined) this.put(address - place.address, node.b, def.bytes, bytes, written);
    }
    if (def.effect === 'helper') this.help(node, def, place, bytes);
    if (def.effect === 'state' && place.kind === 'register' && def.touches.some((slot) => slot.offset < place.offset + place.size && place.offset < slot.offset + 4)) bytes.fill(MADE);
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
    if (def.name === 'sys.frameHook' || def.name === 'sys.look') return;
    if (def.name === 'sys.hook') {
      const changed = node.imm === SYS.HOOK_LOOK ? [] : node.imm === SYS.HOOK_CALL ? [RAX] : [RAX, RCX];
      if (place.kind === 'register' && changed.some(({ offset }) => place.offset < offset + 8 && offset < place.offset + place.size)) bytes.fill(MADE);
      return;
    }
    if (node.op === IMAGE) return this.image(node, place, bytes);
    if (place.kind === 'register') {
      if (def.touches.some((slot) => slot.offset < place.offset + place.size && place.offset < slot.offset + (slot.type === 'v128' ? 16 : 8))) this.helpRegister(node, def, place, bytes);
      return;
    }
    if (def.name === 'rep.movs' || def.name === 'rep.stos') this.repeat(node, def.name, place, bytes);
    else if (def.name.startsWith('sys.')) bytes.fill(MADE);
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

  /** String instructions move pointers and count; rax, DF and segments they only read, but for lods. */
  private helpRegister({ imm }: Node, { name }: OpDef, place: Place & { kind: 'register' }, bytes: ByteSource[]): void {
    if (!name.startsWith('rep.')) return void bytes.fill(MADE);
    const changed = name === 'rep.lods' ? [RAX, RCX, RSI] : name === 'rep.stos' || name === 'rep.scas' ? [RCX, RDI] : [RCX, RSI, RDI];
    if (this.count(imm) !== 0 && changed.some((slot) => slot.offset < place.offset + place.size && place.offset < slot.offset + 8)) bytes.fill(MADE);
  }

  /** The bytes at rdi were copied from those at rsi, or are those of rax again and again. */
  private repeat({ imm }: Node, name: string, place: Place & { kind: 'memory' }, bytes: ByteSource[]): void {
    const size = imm & REP.SIZE_MASK;
    const count = this.count(imm);
    const [to, from] = [this.pointer(RDI.offset, imm), this.pointer(RSI.offset, imm) + this.segment(imm)];
    const isBackward = (this.before.words[DF.offset / 4] ?? 0) !== 0;
    const start = isBackward ? to - (count - 1) * size : to;
    for (let i = 0; i < bytes.length; i++) {
      const address = place.address + i;
      if (address < start || address >= start + count * size) continue;
      bytes[i] = name === 'rep.movs' ? memoryByte(address - to + from) : registerByte(RAX.offset + ((address - start) % size));
    }
  }

  private count(imm: number): number {
    return this.pointer(RCX.offset, imm);
  }

  private pointer(offset: number, imm: number): number {
    const low = this.before.words[offset / 4] ?? 0;
    return (imm & REP.ADDRESS_32) !== 0 ? low : low + (this.before.words[offset / 4 + 1] ?? 0) * 2 ** 32;
  }

  private segment(imm: number): number {
    if ((imm & (REP.FS | REP.GS)) === 0) return 0;
    const offset = (imm & REP.FS) !== 0 ? FS_BASE.offset : GS_BASE.offset;
    return this.pointer(offset, 0);
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
