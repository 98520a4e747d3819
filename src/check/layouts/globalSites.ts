/**
 * Global variables that can lie elsewhere: those of which every instruction and every relocation is known that has to
 * do with them. What `culprit check` finds out about pointers to variables (variables/globalPointers.ts) is the ground
 * for it; here come the instructions that access them without a pointer, and the words in them that are relocated.
 */
import { Mnemonic, Register } from 'iced-x86';
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { ET } from '../../elf/elfHeader.js';
import { SHF, SHT } from '../../elf/elfSections.js';
import { displacementOf } from '../variables/boundedAccesses.js';
import type { DataThing } from '../variables/dataThings.js';
import { unoptimisedUnits } from '../variables/frameSlots.js';
import { globalPointers } from '../variables/globalPointers.js';
import { type GlobalVariable, globalVariables, withSymbolSizes } from '../variables/globalVariables.js';
import { hasUsualFrame } from '../variables/pointerSites.js';
import type { LinesOf } from '../variables/statements.js';
import type { MovableGlobal, Unmovable } from './layout.js';
import { eachInstruction } from './instructions.js';

/** A number in the program that says where something of a variable is. */
export type GlobalSite = {
  readonly at: number;
  /** From the variable's begin. */
  readonly offset: number;
} & (
  /** 32 bits, counted from `base`. */
  | { readonly kind: 'relative'; readonly base: number }
  /** 32 bits. */
  | { readonly kind: 'absolute' }
  /** 64 bits: a relocation's addend, or where it is applied. */
  | { readonly kind: 'word' }
);

interface GlobalSites {
  readonly movable: readonly MovableGlobal[];
  readonly unmovable: readonly Unmovable[];
  /** By address of the variable. */
  readonly sites: ReadonlyMap<number, readonly GlobalSite[]>;
}

const RELA_SIZE = 24;
const ADDEND_AT = 16;
const SHT_RELR = 19;
const DISPLACEMENT_BYTES = 4;
/** Of `lea reg, [rip + disp32]`. */
const [LEA_BYTES, LEA_DISPLACEMENT] = [7, 3];
const LARGEST_ALIGNMENT = 32;

export function globalSites(elf: ElfFile, info: DebugInfo, linesOf: LinesOf): GlobalSites {
  const declared = globalVariables(info);
  const globals = withSymbolSizes(declared, elf.symbols.all());
  const { pointers, uncertain, things } = globalPointers(elf, info, globals, linesOf);
  const isWritable = ({ begin }: DataThing): boolean => elf.sections.some(({ flags, address, size }) => (flags & SHF.WRITE) !== 0 && begin >= address && begin < address + size);
  const own = things.filter((thing) => thing.variable?.form !== undefined && isWritable(thing));
  const certain = own.filter((thing) => thing.isMovable && !uncertain.has(thing));
  const sites = new Map<number, GlobalSite[]>(certain.map(({ begin }) => [begin, []]));
  const thingAt = (address: number): DataThing | undefined => certain.find(({ begin, end }) => address >= begin && address < end);
  for (const { variable, instructions, addends } of pointers.variables) {
    const places = sites.get(variable.address);
    for (const { at, offset } of instructions) places?.push({ kind: 'relative', at: at + LEA_DISPLACEMENT, base: at + LEA_BYTES, offset });
    for (const { at, offset } of addends) places?.push({ kind: 'word', at, offset });
  }
  directAccesses(elf, info, (address, site) => {
    const thing = thingAt(address);
    if (thing !== undefined) sites.get(thing.begin)?.push({ ...site, offset: address - thing.begin });
  });
  relocatedWords(elf, (at, word) => {
    const thing = thingAt(word);
    if (thing !== undefined) sites.get(thing.begin)?.push({ kind: 'word', at, offset: word - thing.begin });
  });
  const hasPacked = elf.sections.some(({ type }) => type === SHT_RELR);
  const movable = certain.filter((thing) => !hasPacked || !thing.isAmongNameless);
  const unmovable = own.filter((thing) => !movable.includes(thing) && (thing.variable?.form?.isBuffer === true || thing.variable?.form?.isAddress === true));
  return {
    movable: movable.map(({ variable }) => movableGlobal(variable as GlobalVariable)), sites,
    unmovable: unmovable.map((thing) => ({ name: thing.name, why: whyNot(thing, uncertain) })),
  };
}

function whyNot(thing: DataThing, uncertain: ReadonlySet<DataThing>): string {
  if (!thing.isMovable) return 'other files or other names may lead to it';
  return uncertain.has(thing) ? 'there may be pointers to it that are not known' : 'its relocations are packed';
}

function movableGlobal({ name, address, size, form }: GlobalVariable): MovableGlobal {
  const { isBuffer = false, isAddress = false, alignment = LARGEST_ALIGNMENT } = form ?? {};
  return { name, address, size, isBuffer, isAddress, alignment: Math.min(isBuffer ? alignment : LARGEST_ALIGNMENT, alignmentOf(address)) };
}

export function alignmentOf(address: number): number {
  let alignment = 1;
  while (alignment < LARGEST_ALIGNMENT && address % (alignment * 2) === 0) alignment *= 2;
  return alignment;
}

type Direct = { readonly kind: 'relative'; readonly at: number; readonly base: number } | { readonly kind: 'absolute'; readonly at: number };

/** By instructions that name a variable. Addresses that they take are known already. */
function directAccesses(elf: ElfFile, info: DebugInfo, found: (address: number, site: Direct) => void): void {
  const isFixed = elf.header.type === ET.EXEC;
  for (const unit of unoptimisedUnits(info)) {
    for (const scope of unlessCorrupt(() => unit.functions.all(), () => [])) {
      const [range] = unlessCorrupt(() => scope.ranges, () => []);
      const code = range === undefined ? undefined : codeOf(elf, range.low, range.high);
      if (range === undefined || code === undefined || !hasUsualFrame(code)) continue;
      eachInstruction(code, range.low, (instruction, { at, bytes }) => {
        if (bytes !== DISPLACEMENT_BYTES || instruction.mnemonic === Mnemonic.Lea) return;
        if (instruction.isIpRelMemoryOperand) found(displacementOf(instruction), { kind: 'relative', at, base: Number(instruction.nextIP) });
        else if (isFixed && instruction.memoryBase !== Register.RBP && instruction.memoryBase !== Register.RSP) found(displacementOf(instruction), { kind: 'absolute', at });
      });
    }
  }
}

export function codeOf(elf: ElfFile, low: number, high: number): Uint8Array | undefined {
  const section = elf.sections.find(({ address, size, flags }) => (flags & SHF.EXECINSTR) !== 0 && low >= address && high <= address + size);
  return section && elf.contents(section).subarray(low - section.address, high - section.address);
}

/** `at`: where in the relocation it says which word. */
function relocatedWords(elf: ElfFile, found: (at: number, word: number) => void): void {
  for (const section of elf.sections) {
    if (section.type !== SHT.RELA || (section.flags & SHF.ALLOC) === 0) continue;
    const bytes = elf.contents(section);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + ADDEND_AT < bytes.length; at += RELA_SIZE) found(section.address + at, Number(view.getBigUint64(at, true)));
  }
}
