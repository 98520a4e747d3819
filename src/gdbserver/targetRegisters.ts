/**
 * The registers of x86-64 in the order of a `g` packet, and the XML by which a client learns them. Features and names
 * are those that gdb prescribes for Linux on this processor; `known` is the name by which `State` has a register.
 */
import type { State } from '../replay/timeline/state.js';
import { bytesOfValue, hexOfBytes } from './hex.js';

interface TargetRegister {
  readonly name: string;
  readonly bits: number;
  readonly type: string;
  readonly group?: string;
}

interface Feature {
  readonly name: string;
  readonly types: string;
  readonly registers: readonly TargetRegister[];
}

const FLAG_NAMES: readonly (readonly [name: string, bit: number])[] = [
  ['CF', 0], ['', 1], ['PF', 2], ['AF', 4], ['ZF', 6], ['SF', 7], ['TF', 8], ['IF', 9], ['DF', 10], ['OF', 11],
  ['NT', 14], ['RF', 16], ['VM', 17], ['AC', 18], ['VIF', 19], ['VIP', 20], ['ID', 21],
];
const MXCSR_NAMES: readonly (readonly [name: string, bit: number])[] = [
  ['IE', 0], ['DE', 1], ['ZE', 2], ['OE', 3], ['UE', 4], ['PE', 5], ['DAZ', 6], ['IM', 7], ['DM', 8], ['ZM', 9], ['OM', 10], ['UM', 11], ['PM', 12], ['FZ', 15],
];

/** Not in a system call that could be made again. */
const NO_CALL = -1n;

const FEATURES: readonly Feature[] = [
  {
    name: 'org.gnu.gdb.i386.core',
    types: flagsType('i386_eflags', FLAG_NAMES),
    registers: [
      ...['rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi'].map((name) => ({ name, bits: 64, type: 'int64' })),
      ...['rbp', 'rsp'].map((name) => ({ name, bits: 64, type: 'data_ptr' })),
      ...numbered('r', 8, 15).map((name) => ({ name, bits: 64, type: 'int64' })),
      { name: 'rip', bits: 64, type: 'code_ptr' },
      { name: 'eflags', bits: 32, type: 'i386_eflags' },
      ...['cs', 'ss', 'ds', 'es', 'fs', 'gs'].map((name) => ({ name, bits: 32, type: 'int32' })),
      ...numbered('st', 0, 7).map((name) => ({ name, bits: 80, type: 'i387_ext' })),
      ...['fctrl', 'fstat', 'ftag', 'fiseg', 'fioff', 'foseg', 'fooff', 'fop'].map((name) => ({ name, bits: 32, type: 'int', group: 'float' })),
    ],
  },
  {
    name: 'org.gnu.gdb.i386.sse',
    types: vectorTypes() + flagsType('i386_mxcsr', MXCSR_NAMES),
    registers: [...numbered('xmm', 0, 15).map((name) => ({ name, bits: 128, type: 'vec128' })), { name: 'mxcsr', bits: 32, type: 'i386_mxcsr', group: 'vector' }],
  },
  { name: 'org.gnu.gdb.i386.linux', types: '', registers: [{ name: 'orig_rax', bits: 64, type: 'int', group: 'system' }] },
  { name: 'org.gnu.gdb.i386.segments', types: '', registers: ['fs_base', 'gs_base'].map((name) => ({ name, bits: 64, type: 'int' })) },
];

/** In the order of their numbers. */
export const TARGET_REGISTERS: readonly TargetRegister[] = FEATURES.flatMap(({ registers }) => registers);

export function targetDescription(): string {
  const features = FEATURES.map(({ name, types, registers }) => `<feature name="${name}">\n${types}${registers.map(registerXml).join('')}</feature>\n`);
  return `<?xml version="1.0"?>\n<!DOCTYPE target SYSTEM "gdb-target.dtd">\n<target version="1.0">\n<architecture>i386:x86-64</architecture>\n<osabi>GNU/Linux</osabi>\n${features.join('')}</target>\n`;
}

/** The bytes of one register in hexadecimal, or x's if there is no such value. */
export function registerHex(state: State, thread: number, { name, bits }: TargetRegister): string {
  const value = registerValue(state, thread, name);
  return value === undefined ? 'x'.repeat(bits / 4) : hexOfBytes(bytesOfValue(value, bits / 8));
}

export function allRegistersHex(state: State, thread: number): string {
  return TARGET_REGISTERS.map((register) => registerHex(state, thread, register)).join('');
}

export function registerValue(state: State, thread: number, name: string): bigint | undefined {
  return name === 'orig_rax' ? NO_CALL : state.register(thread, name);
}

function numbered(prefix: string, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => `${prefix}${first + i}`);
}

function registerXml({ name, bits, type, group }: TargetRegister, _index: number): string {
  return `  <reg name="${name}" bitsize="${bits}" type="${type}"${group === undefined ? '' : ` group="${group}"`}/>\n`;
}

function flagsType(id: string, fields: readonly (readonly [string, number])[]): string {
  const lines = fields.map(([name, bit]) => `    <field name="${name}" start="${bit}" end="${bit}"/>\n`);
  return `  <flags id="${id}" size="4">\n${lines.join('')}  </flags>\n`;
}

function vectorTypes(): string {
  const vectors: readonly (readonly [id: string, element: string, count: number])[] = [
    ['v8bf16', 'bfloat16', 8], ['v4f', 'ieee_single', 4], ['v2d', 'ieee_double', 2], ['v16i8', 'int8', 16], ['v8i16', 'int16', 8], ['v4i32', 'int32', 4], ['v2i64', 'int64', 2],
  ];
  const fields: readonly (readonly [name: string, type: string])[] = [
    ['v8_bfloat16', 'v8bf16'], ['v4_float', 'v4f'], ['v2_double', 'v2d'], ['v16_int8', 'v16i8'], ['v8_int16', 'v8i16'], ['v4_int32', 'v4i32'], ['v2_int64', 'v2i64'], ['uint128', 'uint128'],
  ];
  return [
    ...vectors.map(([id, element, count]) => `  <vector id="${id}" type="${element}" count="${count}"/>\n`),
    '  <union id="vec128">\n', ...fields.map(([name, type]) => `    <field name="${name}" type="${type}"/>\n`), '  </union>\n',
  ].join('');
}
