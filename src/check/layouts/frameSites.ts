/**
 * Frames whose variables can lie in another order: of functions that were compiled without optimisation, in which every
 * instruction that has to do with rbp names a place by a displacement from it.
 */
import { type Instruction, Mnemonic, OpKind, Register } from 'iced-x86';
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { displacementOf } from '../variables/boundedAccesses.js';
import { type FrameSlot, frameFunctions } from '../variables/frameSlots.js';
import { hasUsualFrame } from '../variables/pointerSites.js';
import { alignmentOf, codeOf } from './globalSites.js';
import { eachInstruction } from './instructions.js';
import type { MovableFrame, MovableSlot, Unmovable } from './layout.js';

/** A displacement of an instruction, of 1 or 4 bytes. */
export interface FrameSite {
  readonly at: number;
  readonly bytes: number;
  /** Which slot it names, and how far from its begin. */
  readonly slot: number;
  readonly offset: number;
}

interface FrameSites {
  readonly movable: readonly MovableFrame[];
  readonly unmovable: readonly Unmovable[];
  /** By address of the function. */
  readonly sites: ReadonlyMap<number, readonly FrameSite[]>;
}

const WORD = 8;
const LOWEST_BYTE = -128;
const LARGEST_ALIGNMENT = 16;

export function frameSites(elf: ElfFile, info: DebugInfo): FrameSites {
  const [movable, unmovable]: [MovableFrame[], Unmovable[]] = [[], []];
  const sites = new Map<number, readonly FrameSite[]>();
  for (const { name, low, high, slots } of frameFunctions(info)) {
    const wanted = slots.filter(({ form, offset }) => form?.isBuffer === true && offset < 0);
    const code = wanted.length === 0 ? undefined : codeOf(elf, low, high);
    if (code === undefined) continue;
    const frame = new FrameScan(slots.filter(({ offset }) => offset < 0));
    const why = frame.read(code, low);
    if (why !== undefined) unmovable.push({ name: `${name}: ${wanted.map((slot) => slot.name).join(', ')}`, why });
    else {
      movable.push({ function: name, address: low, lowest: frame.lowest, fixed: frame.fixed, slots: frame.movable() });
      sites.set(low, frame.sites);
    }
  }
  return { movable, unmovable, sites };
}

class FrameScan {
  readonly sites: FrameSite[] = [];
  lowest = 0;
  /** Where something is that has no name. */
  private readonly nameless = new Set<number>();
  private count = 0;
  private pushed = 0;
  private isPrologue = true;

  constructor(private readonly slots: readonly FrameSlot[]) {
    this.lowest = Math.min(0, ...slots.map(({ offset }) => offset));
  }

  /** Why the frame has to stay as it is, if so. */
  read(code: Uint8Array, address: number): string | undefined {
    if (!hasUsualFrame(code)) return 'its function has no usual frame';
    let why: string | undefined;
    const isCode = eachInstruction(code, address, (instruction, { at, bytes }) => {
      this.prologue(instruction);
      if (usesFramePointer(instruction)) why ??= 'its function computes with the frame pointer';
      if (instruction.memoryBase === Register.RBP) this.named(instruction, at, bytes);
      else if (instruction.memoryIndex === Register.RBP) why ??= 'its function computes with the frame pointer';
    });
    return isCode ? why : 'not all of its function is instructions';
  }

  movable(): MovableSlot[] {
    return this.slots.map(({ name, offset, size, form }) => {
      const short = this.sites.filter((site) => site.slot === offset && site.bytes === 1);
      return {
        name, offset, size, isBuffer: form?.isBuffer === true, isAddress: form?.isAddress === true,
        alignment: Math.min(form?.alignment ?? LARGEST_ALIGNMENT, LARGEST_ALIGNMENT, alignmentOf(offset)),
        lowest: short.length === 0 ? -Infinity : LOWEST_BYTE - Math.min(...short.map((site) => site.offset)),
      };
    });
  }

  /** How large something without a name is, is not known: all that lies between variables there has to stay. */
  get fixed(): { offset: number; size: number }[] {
    const gaps: { offset: number; size: number }[] = [];
    let end = this.lowest;
    for (const { offset, size } of [...this.slots.toSorted((a, b) => a.offset - b.offset), { offset: 0, size: 0 }]) {
      if (offset > end) gaps.push({ offset: end, size: offset - end });
      end = offset + size;
    }
    return gaps.filter(({ offset, size }) => [...this.nameless].some((one) => one >= offset && one < offset + size));
  }

  /** Registers that are saved right behind rbp. */
  private prologue({ mnemonic, op0Register, op1Register }: Instruction): void {
    if (!this.isPrologue) return;
    this.count++;
    if (mnemonic === Mnemonic.Push && op0Register !== Register.RBP) {
      this.pushed += WORD;
      this.nameless.add(-this.pushed);
    } else this.isPrologue = this.count <= 1 || mnemonic === Mnemonic.Endbr64 || mnemonic === Mnemonic.Push || (mnemonic === Mnemonic.Mov && op0Register === Register.RBP && op1Register === Register.RSP);
  }

  private named(instruction: Instruction, at: number, bytes: number): void {
    const offset = displacementOf(instruction);
    if (offset >= 0) return;
    const slot = this.slots.find((one) => offset >= one.offset && offset < one.offset + one.size);
    if (slot !== undefined && bytes > 0) this.sites.push({ at, bytes, slot: slot.offset, offset: offset - slot.offset });
    else this.nameless.add(offset);
    this.lowest = Math.min(this.lowest, offset);
  }
}

/** Other than by saving it, setting it up and giving it back. */
function usesFramePointer(instruction: Instruction): boolean {
  const { mnemonic } = instruction;
  if (mnemonic === Mnemonic.Push || mnemonic === Mnemonic.Pop || mnemonic === Mnemonic.Leave) return false;
  for (let i = 0; i < instruction.opCount; i++) {
    if (instruction.opKind(i) !== OpKind.Register || instruction.opRegister(i) !== Register.RBP) continue;
    return !(mnemonic === Mnemonic.Mov && i === 0 && instruction.op1Register === Register.RSP);
  }
  return false;
}
