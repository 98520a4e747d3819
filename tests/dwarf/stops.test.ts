import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CallFrames } from '../../src/dwarf/callFrames.js';
import { ATE } from '../../src/dwarf/dwarfConstants.js';
import { locationBytes } from '../../src/dwarf/locationBytes.js';
import type { Scope } from '../../src/dwarf/scope.js';
import { StackFrame, type Module, type StoppedProgram } from '../../src/dwarf/stackFrame.js';
import { strip } from '../../src/dwarf/types.js';
import type { Variable } from '../../src/dwarf/variable.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { compile, sectionsOf, type Compiled } from './compiled.js';

interface GdbFrame {
  readonly name: string | null;
  readonly pc: string;
  readonly line: number;
  readonly inlined: boolean;
  readonly variables: readonly (readonly [string, string])[];
}

interface Stop {
  readonly place: string;
  readonly frames: readonly GdbFrame[];
  readonly registers: readonly string[];
  readonly memory: readonly (readonly [string, string])[];
  readonly modules: Readonly<Record<string, string>>;
  readonly fs: string;
}

const SCRIPT = fileURLToPath(new URL('stops.py', import.meta.url));

function gdbStops(path: string, places: readonly string[]): Stop[] {
  const env = { ...process.env, STOPS: places.join(';'), LC_ALL: 'C' };
  const text = execFileSync('gdb', ['-nx', '-q', '-batch', '-x', SCRIPT, path], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
  return JSON.parse(/^JSON:(.*)$/m.exec(text)?.[1] ?? '[]') as Stop[];
}

/** The program as gdb saw it, through our eyes. */
function stopped(program: Compiled, stop: Stop): StackFrame {
  const regions = stop.memory.map(([start, bytes]) => ({ start: BigInt(start), bytes: Buffer.from(bytes, 'hex') }));
  const modules = Object.entries(stop.modules).map(([path, base]) => ({ base: BigInt(base), module: moduleFor(program, path, BigInt(base)) }));
  const state: StoppedProgram = {
    moduleAt: (address) => modules.filter(({ base }) => base <= address).sort((a, b) => Number(b.base - a.base))[0]?.module,
    memory(address, size) {
      const region = regions.find(({ start, bytes }) => address >= start && address + BigInt(size) <= start + BigInt(bytes.length));
      const offset = region === undefined ? 0 : Number(address - region.start);
      return region?.bytes.subarray(offset, offset + size);
    },
    tlsAddress: (module, offset) => (module.info === undefined ? undefined : BigInt(stop.fs) - tlsSize(program) + offset),
  };
  return StackFrame.innermost(state, (n) => (stop.registers[n] === undefined ? undefined : BigInt(stop.registers[n])));
}

function moduleFor(program: Compiled, path: string, base: bigint): Module {
  if (path === program.path) {
    const lowest = BigInt(Math.min(...program.elf.loads.map((s) => s.address)));
    return { bias: base - lowest, info: program.info, frames: CallFrames.of(program.sections) };
  }
  return { bias: base, info: undefined, frames: CallFrames.of(sectionsOf(new ElfFile(path, readFileSync(path)))) };
}

function tlsSize({ elf }: Compiled): bigint {
  const segment = elf.segments.find((s) => s.type === 7);
  return BigInt(Math.ceil((segment?.memorySize ?? 0) / (segment?.align || 1)) * (segment?.align || 1));
}

function shown(program: Compiled, frame: StackFrame, variable: Variable): string {
  const type = strip(program.info.types.of(variable.type));
  const location = frame.locate(variable);
  if (location.kind === 'optimisedOut') return 'optimised out';
  const isScalar = type.kind === 'base' || type.kind === 'pointer' || type.kind === 'enum';
  if (location.kind === 'pieces' && location.pieces.some((piece) => piece.location.kind === 'optimisedOut')) return 'optimised out';
  if (!isScalar && type.kind !== 'reference') return location.kind === 'memory' ? `@${location.address}` : 'somewhere';
  const value = locationBytes(location, type.size, frame);
  // gdb follows such a pointer; to us it is one, but not a number.
  if (location.kind === 'implicitPointer') return 'implicit pointer';
  if (value.kind !== 'bytes') return value.kind === 'optimisedOut' ? 'optimised out' : 'unreadable';
  if (type.kind === 'reference') return `&${bits(value.bytes)}`;
  if (type.kind === 'base' && type.encoding === ATE.FLOAT) return type.size > 8 ? (location.kind === 'memory' ? `@${location.address}` : 'somewhere') : pythonFloat(value.bytes);
  return `${bits(value.bytes)}`;
}

function bits(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum: bigint, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function pythonFloat(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = bytes.length === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  return Number.isInteger(value) ? value.toFixed(1) : `${value}`;
}

/** Variables of a function or copy at the frame's pc, those of inner blocks first, by name. */
function variablesOf(program: Compiled, frame: StackFrame, scopes: readonly Scope[]): string[] {
  return scopes.flatMap((scope) => scope.variables.filter((v) => v.name !== undefined && !v.isDeclaration).map((v) => `${v.name} = ${shown(program, frame, v)}`));
}

/** Scopes of a frame, apart by function: innermost first. */
function byFunction(scopes: readonly Scope[]): Scope[][] {
  const groups: Scope[][] = [[]];
  for (const scope of scopes) {
    groups.at(-1)?.push(scope);
    if (scope.kind !== 'block') groups.push([]);
  }
  return groups.filter((group) => group.length > 0);
}

function ourFrames(program: Compiled, stop: Stop, unknown: ReadonlySet<string>): string[] {
  const lines: string[] = [];
  let frame: StackFrame | undefined = stopped(program, stop);
  for (; frame !== undefined && lines.length < 200; frame = frame.caller()) {
    const groups = byFunction(frame.scopes);
    for (const [i, call] of frame.calls.entries()) {
      lines.push(`${call.scope.function.displayName} at ${frame.pc.toString(16)}, line ${call.line}`);
      const variables = variablesOf(program, frame, groups[i] ?? []).filter((line) => !unknown.has(line.replace(/ = .*/, '')));
      lines.push(...variables.sort().map((line) => `    ${line}`));
    }
  }
  return lines;
}

/** Frames in the program itself that have lines: not those in libraries and stubs of the linker. */
function gdbFrames(program: Compiled, stop: Stop, unknown: ReadonlySet<string>): string[] {
  const start = BigInt(stop.modules[program.path] ?? 0);
  const known = stop.frames.filter(({ pc, line }) => line > 0 && BigInt(pc) >= start && BigInt(pc) < start + (1n << 24n));
  return known.flatMap((frame) => [
    `${frame.name?.replace(/(?<!operator|^)\(.*/, '')} at ${BigInt(frame.pc).toString(16)}, line ${frame.line}`,
    ...frame.variables.filter(([name]) => !unknown.has(name)).map(([name, value]) => `    ${name} = ${value}`).sort(),
  ]);
}

/** gdb's Python cannot tell some variables of frames that are not selected. */
function unknownToGdb(stop: Stop): Set<string> {
  return new Set(stop.frames.flatMap((frame) => frame.variables.filter(([, value]) => value.startsWith('error')).map(([name]) => name)));
}

const C_STOPS = ['sum', 'step9', 'variable_length', 'shapes.c:68', 'step9', 'mixed', 'shapes.c:80', 'step1', 'step1', 'step1', 'step2', 'step3', 'add', 'recurse if depth == 1', 'step2', 'step2', 'step2', 'step20'];
const INLINED_STOPS = ['work', 'step4', 'step5', 'step5', 'step5', 'step5', 'average', 'step3', 'step3', 'step3', 'consume', 'step2', 'step2', 'step2', 'step2', 'step3', 'step3', 'inlined.c:43', 'step2', 'step2', 'step4'];
const CPP_STOPS = ['outer::inner::Shape::Shape', 'takes', 'step9', 'classes.cc:83', 'step5', 'outer::inner::Shape::area', 'step4', 'hidden', 'classes.cc:106'];

const SIGNAL_STOPS = ['fault', 'handler', 'step4', 'handler', 'step4', 'compare', 'step3', 'step3'];

describe.each([
  ['shapes.c', ['-O0', '-g'], C_STOPS],
  ['shapes.c', ['-O0', '-g', '-fomit-frame-pointer', '-gdwarf-4'], C_STOPS],
  ['shapes.c', ['-O2', '-g'], C_STOPS],
  ['inlined.c', ['-O2', '-g'], INLINED_STOPS],
  ['inlined.c', ['-O3', '-gdwarf-4', '-mavx2'], INLINED_STOPS],
  ['classes.cc', ['-O0', '-g'], CPP_STOPS],
  ['signals.c', ['-O2', '-g'], SIGNAL_STOPS],
])('%s %s', (source, flags, places) => {
  it('has frames and variables as in gdb', () => {
    const program = compile([source], flags);
    const stops = gdbStops(program.path, places);
    expect(stops.length).toBeGreaterThan(5);
    for (const stop of stops) {
      const unknown = unknownToGdb(stop);
      expect(ourFrames(program, stop, unknown), stop.place).toEqual(gdbFrames(program, stop, unknown));
    }
  });
});
