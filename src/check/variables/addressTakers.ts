/**
 * Who takes addresses in a file's data: `lea rax, [rip + table]` in functions that were compiled without optimisation,
 * and relocations of words in data. All else that may have to do with an address there (code without a description,
 * numbers that look like one) is not understood: whatever lies near it has to stay where it is.
 */
import { type Instruction, Mnemonic, OpKind } from 'iced-x86';
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Unit } from '../../dwarf/unit.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { ET } from '../../elf/elfHeader.js';
import { SHF, SHT, type Section } from '../../elf/elfSections.js';
import { displacementOf, forEachInstruction } from './boundedAccesses.js';
import type { DataThing, DataThings } from './dataThings.js';
import { hasInnerFunctions, unoptimisedUnits } from './frameSlots.js';
import { hasUsualFrame } from './pointerSites.js';

export interface Taker {
  /** Of the instruction, or of the relocation's addend. */
  readonly at: number;
  readonly target: number;
  /** Undefined: a relocation. */
  readonly code: { readonly unit: Unit; readonly low: number; readonly high: number } | undefined;
  /** The word that is relocated. */
  readonly word?: number;
}

interface AddressTakers {
  readonly takers: readonly Taker[];
  readonly notUnderstood: ReadonlySet<DataThing>;
}

/** Optimised code begins in front of an array, or behind it. */
const REACH = 64;
/** `lea reg, [rip + disp32]`: REX.W, perhaps with REX.R; opcode; mod and rm of ModRM. */
const LEA_BYTES = 7;
const [REX_W, REX_R, LEA, RM_MASK, RIP_OPERAND] = [0x48, 0x04, 0x8d, 0xc7, 0x05];
/** Bytes of an instruction that may follow its displacement. */
const BEHIND_DISPLACEMENT: readonly number[] = [0, 1, 2, 4];
const RELA_SIZE = 24;
const RELATIVE = 8;
const SHT_RELR = 19;
const TWO_32 = 0x1_0000_0000;
/** What compilers add to each program: it looks at marks behind its data. */
const START_FILES: ReadonlySet<string> = new Set(['deregister_tm_clones', 'register_tm_clones', '__do_global_dtors_aux', 'frame_dummy']);

export function addressTakers(elf: ElfFile, info: DebugInfo, things: DataThings): AddressTakers {
  const scan = new Scan(elf, things);
  const known = [...scan.functions(info)];
  scan.otherCode([...known, ...startFiles(elf)]);
  scan.data();
  return scan;
}

interface Range {
  readonly low: number;
  readonly high: number;
}

class Scan implements AddressTakers {
  readonly takers: Taker[] = [];
  readonly notUnderstood = new Set<DataThing>();
  /** Whether addresses in the file are those in memory. */
  private readonly isFixed: boolean;
  private readonly code: readonly Section[];
  /** Addresses in order. */
  private readonly symbols: readonly number[];

  constructor(
    private readonly elf: ElfFile,
    private readonly things: DataThings,
  ) {
    this.isFixed = elf.header.type === ET.EXEC;
    this.code = elf.sections.filter(({ flags, type }) => (flags & SHF.EXECINSTR) !== 0 && type !== SHT.NOBITS);
    this.symbols = [...new Set([...elf.symbols.all()].map(({ address }) => address))].sort((a, b) => a - b);
  }

  /** Goes through functions whose instructions are understood. */
  *functions(info: DebugInfo): Generator<Range> {
    for (const unit of unoptimisedUnits(info)) {
      for (const scope of unlessCorrupt(() => unit.functions.all(), () => [])) {
        const [range, ...others] = unlessCorrupt(() => scope.ranges, () => []);
        const code = range === undefined || others.length > 0 || hasInnerFunctions(scope) ? undefined : this.bytesIn(range);
        if (range !== undefined && code !== undefined && hasUsualFrame(code)) yield { low: range.low, high: this.function(unit, range, code) };
      }
    }
  }

  /** Returns how far its instructions could be read. */
  private function(unit: Unit, { low, high }: Range, code: Uint8Array): number {
    let end = low;
    forEachInstruction(code, low, (instruction, at) => {
      end = low + at + instruction.length;
      const isLea = instruction.mnemonic === Mnemonic.Lea;
      if (instruction.isIpRelMemoryOperand) {
        const target = displacementOf(instruction);
        if (!isLea || !this.isNear(target)) return;
        if (isPlainLea(code, at)) this.takers.push({ at: low + at, target, code: { unit, low, high } });
        else this.leaveAlone(target);
      } else if (this.isFixed) {
        const [displacement = 0, ...immediates] = this.numbersIn(instruction);
        for (const one of isLea ? [displacement] : immediates) this.leaveAlone(one);
      }
    });
    return end;
  }

  /** Code that is not known: what looks like an address in it is looked at more closely. */
  otherCode(known: readonly Range[]): void {
    const sorted = [...known].sort((a, b) => a.low - b.low);
    for (const section of this.code) {
      const end = section.address + section.size;
      let from = section.address;
      for (const { low, high } of sorted) {
        if (high <= from || low >= end) continue;
        this.bytes(section, from, low);
        from = high;
      }
      this.bytes(section, from, end);
    }
  }

  private bytes(section: Section, from: number, to: number): void {
    if (from >= to) return;
    const view = this.viewOf(section);
    const { low, high } = this.things;
    for (let address = from; address + 4 <= to; address++) {
      const number = view.getInt32(address - section.address, true);
      const target = address + 4 + number;
      const isRelative = target >= low - REACH - 4 && target <= high + REACH;
      if (!isRelative && !(this.isFixed && this.isNear(number))) continue;
      const after = this.instructionsAround(section, address);
      if (after !== undefined) address = Math.max(address, after - 1);
      else for (const one of [...BEHIND_DISPLACEMENT.map((more) => target + more), ...(this.isFixed ? [number] : [])]) this.leaveAlone(one);
    }
  }

  /**
   * Goes through the instructions up to the next symbol, and returns where that is. Undefined: not all of it is
   * instructions.
   */
  private instructionsAround(section: Section, address: number): number | undefined {
    const low = this.symbols.findLast((one) => one <= address && one >= section.address) ?? section.address;
    const high = Math.min(this.symbols.find((one) => one > address) ?? Infinity, section.address + section.size);
    const code = this.elf.contents(section).subarray(low - section.address, high - section.address);
    let end = low;
    const found: number[] = [];
    forEachInstruction(code, low, (instruction, at) => {
      end = low + at + instruction.length;
      if (instruction.isIpRelMemoryOperand || this.isFixed) found.push(...this.numbersIn(instruction));
    });
    if (end !== high) return undefined;
    for (const one of found) this.leaveAlone(one);
    return high;
  }

  private *numbersIn(instruction: Instruction): Generator<number> {
    yield displacementOf(instruction);
    for (let i = 0; this.isFixed && i < instruction.opCount; i++) if (isImmediate(instruction.opKind(i))) yield Number(BigInt.asIntN(64, instruction.immediate(i)));
  }

  data(): void {
    const hasPacked = this.elf.sections.some(({ type }) => type === SHT_RELR);
    for (const section of this.elf.sections) {
      if ((section.flags & SHF.ALLOC) === 0) continue;
      if (section.type === SHT.RELA) this.relocations(section);
      else if ((this.isFixed || hasPacked) && (section.flags & SHF.EXECINSTR) === 0 && section.type === SHT.PROGBITS) this.words(section);
    }
  }

  private relocations(section: Section): void {
    const view = this.viewOf(section);
    for (let at = 0; at + RELA_SIZE <= view.byteLength; at += RELA_SIZE) {
      const target = Number(view.getBigInt64(at + 16, true));
      if (view.getUint32(at + 8, true) === RELATIVE && this.isNear(target)) this.takers.push({ at: section.address + at + 16, target, code: undefined, word: Number(view.getBigUint64(at, true)) });
    }
  }

  /** Words that hold addresses before anybody has relocated them. */
  private words(section: Section): void {
    const view = this.viewOf(section);
    for (let at = 0; at + 8 <= view.byteLength; at++) if (view.getUint32(at + 4, true) === 0) this.leaveAlone(view.getUint32(at, true));
  }

  private viewOf(section: Section): DataView {
    const bytes = this.elf.contents(section);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  private isNear(address: number): boolean {
    return address >= this.things.low - REACH && address <= this.things.high + REACH;
  }

  private leaveAlone(address: number): void {
    if (address < TWO_32 && this.isNear(address)) for (const thing of this.things.near(address, REACH)) this.notUnderstood.add(thing);
  }

  private bytesIn({ low, high }: Range): Uint8Array | undefined {
    const section = this.code.find(({ address, size }) => low >= address && high <= address + size);
    return section && this.elf.contents(section).subarray(low - section.address, high - section.address);
  }
}

function isPlainLea(code: Uint8Array, at: number): boolean {
  return ((code[at] as number) & ~REX_R) === REX_W && code[at + 1] === LEA && ((code[at + 2] ?? 0) & RM_MASK) === RIP_OPERAND && at + LEA_BYTES <= code.length;
}

function isImmediate(kind: OpKind): boolean {
  return kind >= OpKind.Immediate8 && kind <= OpKind.Immediate32to64;
}

function* startFiles(elf: ElfFile): Generator<Range> {
  const addresses: number[] = [];
  const own: number[] = [];
  for (const { name, address } of elf.symbols.all()) {
    addresses.push(address);
    if (START_FILES.has(name)) own.push(address);
  }
  addresses.sort((a, b) => a - b);
  for (const low of own) {
    const high = addresses.find((address) => address > low);
    if (high !== undefined) yield { low, high };
  }
}
