/**
 * What is atomic in a program: instructions, by their code, and variables, by their types. Both are of code and data
 * that debug information describes.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import { OP } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { DwarfReader } from '../../dwarf/dwarfReader.js';
import { strip, type Type } from '../../dwarf/types.js';
import { Variable } from '../../dwarf/variable.js';
import { STT } from '../../elf/elfSymbols.js';
import { atomicAt, atomicsIn } from '../../x86/atomicInstructions.js';
import type { Places } from './places.js';
import type { Access } from './snapshot.js';

export interface AtomicVariable {
  /** `ring.head`, `flags[2]`. */
  readonly name: string;
  readonly address: number;
  readonly length: number;
}

type IsWanted = (module: LoadedModule, isMain: boolean) => boolean;

const LONGEST_INSTRUCTION = 15;
/** Of an array only the first elements, and of structures in structures only some. */
const MOST_ELEMENTS = 1024;
const MOST_LEVELS = 8;
const LONGEST_CHAIN = 16;
const ADDRESS_EXPRESSION_BYTES = 9;

/** Addresses of instructions that are atomic by themselves, in functions that are described. */
export function atomicInstructions(places: Places, isWanted: IsWanted): GuestAddr[] {
  const found = new Set<GuestAddr>();
  for (const module of places.modules(isWanted)) {
    const { info } = module;
    if (info === undefined) continue;
    for (const { type, size, section, address } of module.file.symbols()) {
      if (type !== STT.FUNC || size === 0 || section === 0) continue;
      if (!unlessCorrupt(() => info.byAddress.unitsAt(address).length > 0, () => false)) continue;
      const start = guestAddr(address + Number(module.bias));
      for (const instruction of atomicsIn(places.bytes(start, size), start)) found.add(instruction.address);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Global and static variables, and parts of them, that are declared as atomic. */
export function atomicVariables(places: Places, isWanted: IsWanted): AtomicVariable[] {
  return places.modules(isWanted).flatMap(({ info, bias }) => {
    if (info === undefined) return [];
    return [...info.byName.names('variable')].flatMap((name) => unlessCorrupt(() => info.byName.find(name, 'variable').flatMap((die) => {
      const variable = new Variable(die);
      const address = addressOf(variable);
      return address === undefined ? [] : [...atomicParts(info.types.of(variable.type), variable.qualifiedName ?? name, address + Number(bias), 0)];
    }), () => []));
  });
}

function addressOf(variable: Variable): number | undefined {
  const where = variable.whereabouts(0);
  if (where.kind !== 'expression' || where.expression[0] !== OP.ADDR || where.expression.length !== ADDRESS_EXPRESSION_BYTES) return undefined;
  return Number(new DwarfReader('expression', where.expression, 1).u64Big());
}

function* atomicParts(type: Type, name: string, address: number, level: number): Generator<AtomicVariable> {
  if (isAtomic(type)) {
    yield { name, address, length: strip(type).size };
    return;
  }
  const plain = strip(type);
  if (level >= MOST_LEVELS) return;
  if (plain.kind === 'array') {
    const size = strip(plain.element).size;
    for (let i = 0; i < Math.min(plain.count ?? 0, MOST_ELEMENTS); i++) yield* atomicParts(plain.element, `${name}[${i}]`, address + i * size, level + 1);
  }
  if (plain.kind !== 'struct') return;
  for (const { type: base, offset } of plain.definition.bases) if (offset !== undefined) yield* atomicParts(base, name, address + offset, level + 1);
  for (const member of plain.definition.members) {
    if (!member.isStatic && member.bits === undefined) yield* atomicParts(member.type, member.name === undefined ? name : `${name}.${member.name}`, address + member.offset, level + 1);
  }
}

/** `_Atomic` of C, or what C++ has for it in its library. */
function isAtomic(type: Type): boolean {
  let one = type;
  for (let i = 0; i < LONGEST_CHAIN && (one.kind === 'qualified' || one.kind === 'typedef'); i++) {
    if (one.kind === 'qualified' && one.qualifier === 'atomic') return true;
    one = one.of;
  }
  return one.kind === 'struct' && /^std::(__\w+::)?atomic(_flag)?\b/.test(one.qualifiedName ?? '');
}

interface Registers {
  register(name: string): bigint;
  memory(address: bigint, length: number): Uint8Array | undefined;
}

/** What the next instruction does to memory, if it is atomic by itself. */
export function atomicAccess(program: Registers): Access | undefined {
  const rip = program.register('rip');
  const instruction = atomicAt(codeAt(program, rip), Number(rip));
  if (instruction === undefined) return undefined;
  const read = (name: string): bigint => program.register(name);
  const address = instruction.place(read);
  const expected = instruction.expected?.(read);
  const isWritten = expected === undefined || expected === numberAt(program, address, instruction.bytes);
  return { address: Number(address), length: instruction.bytes, kind: isWritten ? 'WRITE' : 'READ', by: 'program' };
}

/** It may be the last one of its page. */
function codeAt(program: Registers, rip: bigint): Uint8Array {
  const inPage = 4096 - Number(rip & 4095n);
  return program.memory(rip, LONGEST_INSTRUCTION) ?? program.memory(rip, Math.min(inPage, LONGEST_INSTRUCTION)) ?? new Uint8Array();
}

function numberAt(program: Registers, address: bigint, length: number): bigint | undefined {
  return program.memory(address, length)?.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
