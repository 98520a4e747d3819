/**
 * Probes: places that libraries mark for debuggers (SystemTap's notes): where libc jumps far, where an exception is
 * thrown and where its handler begins. They are there in stripped files, too.
 */
import type { ElfFile } from '../../elf/elfFile.js';
import type { ProgramView } from './programView.js';

export interface Probe {
  /** Without bias. */
  readonly address: number;
  readonly provider: string;
  readonly name: string;
  /** As the compiler wrote them: `8@%rdi`, `-4@$3`, `8@-8(%rbp)`. */
  readonly arguments: readonly string[];
}

const NOTE_HEADER = 12;
const STAPSDT = 3;

/** All probes of a file. */
export function readProbes(elf: ElfFile): Probe[] {
  const section = elf.section('.note.stapsdt');
  if (section === undefined) return [];
  const base = elf.section('.stapsdt.base')?.address;
  const bytes = elf.contents(section);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const probes: Probe[] = [];
  for (let at = 0; at + NOTE_HEADER <= bytes.length; ) {
    const [nameSize, size, type] = [view.getUint32(at, true), view.getUint32(at + 4, true), view.getUint32(at + 8, true)];
    const start = at + NOTE_HEADER + align(nameSize);
    if (start + size > bytes.length) break;
    if (type === STAPSDT && size > 24) probes.push(readProbe(view, start, size, base));
    at = start + align(size);
  }
  return probes;
}

function readProbe(view: DataView, start: number, size: number, base: number | undefined): Probe {
  const [address, recordedBase] = [Number(view.getBigUint64(start, true)), Number(view.getBigUint64(start + 8, true))];
  const text = new TextDecoder('latin1').decode(new Uint8Array(view.buffer, view.byteOffset + start + 24, size - 24));
  const [provider = '', name = '', list = ''] = text.split('\0');
  // Prelinking moves code, but not what is in notes.
  return { address: address + (base === undefined ? 0 : base - recordedBase), provider, name, arguments: list.split(' ').filter((part) => part !== '') };
}

function align(n: number): number {
  return Math.ceil(n / 4) * 4;
}

/** An argument's value where a thread stands at the probe; undefined for forms that no library uses. */
export function probeArgument(probe: Probe, index: number, program: ProgramView): bigint | undefined {
  const written = probe.arguments[index];
  const at = written === undefined ? -1 : written.indexOf('@');
  if (written === undefined || at < 0) return undefined;
  const size = Math.abs(Number(written.slice(0, at)));
  const operand = written.slice(at + 1);
  const register = /^%(\w+)$/.exec(operand)?.[1];
  if (register !== undefined) return truncated(program.register(fullName(register)), size);
  const constant = /^\$(-?\w+)$/.exec(operand)?.[1];
  if (constant !== undefined) return BigInt(constant);
  const memory = /^(-?\w*)\(%(\w+)\)$/.exec(operand);
  const base = memory === null ? undefined : program.register(fullName(memory[2] as string));
  if (memory === null || base === undefined) return undefined;
  return truncated(program.pointer(BigInt.asUintN(64, base + BigInt(memory[1] || 0))), size);
}

function truncated(value: bigint | undefined, size: number): bigint | undefined {
  return value === undefined ? undefined : BigInt.asUintN(size * 8, value);
}

/** `eax` and `ax` are parts of `rax`; `r8d` of `r8`. */
function fullName(name: string): string {
  if (/^r\d+[dwb]?$/.test(name)) return name.replace(/[dwb]$/, '');
  return name.startsWith('r') ? name : `r${name.replace(/^e/, '')}`;
}
