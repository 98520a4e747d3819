/** Registers by gdb's names: their types, and their values in the selected frame. */
import { ATE } from '../../dwarf/dwarfConstants.js';
import type { Type } from '../../dwarf/types.js';
import { arrayOf, baseType, functionReturning, INT, LONG, pointerTo, structure, VOID } from './madeTypes.js';
import type { Surroundings } from './surroundings.js';
import { COMPUTED, toBytes, Value } from './value.js';

/** By DWARF number. */
export const GENERAL = ['rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'rip'] as const;
const FIRST_XMM = 17;
const RIP = 16;
const SEGMENTS = ['cs', 'ss', 'ds', 'es', 'fs', 'gs'];
const FLOAT_STATE = ['fctrl', 'fstat', 'ftag', 'fiseg', 'fioff', 'foseg', 'fooff', 'fop'];

const int8 = baseType('int8_t', 1, ATE.SIGNED_CHAR);
const int16 = baseType('int16_t', 2, ATE.SIGNED);
const int32 = baseType('int32_t', 4, ATE.SIGNED);
const int64 = baseType('int64_t', 8, ATE.SIGNED);
const uint128 = baseType('uint128_t', 16, ATE.UNSIGNED);
const bfloat16 = baseType('bfloat16', 2, ATE.FLOAT);
const half = baseType('float16_t', 2, ATE.FLOAT);
const single = baseType('float', 4, ATE.FLOAT);
const double = baseType('double', 8, ATE.FLOAT);
const extended = baseType('i387_ext', 16, ATE.FLOAT);
export const EFLAGS = baseType('i386_eflags', 4, ATE.SIGNED);
export const MXCSR = baseType('i386_mxcsr', 4, ATE.SIGNED);
const codePointer = pointerTo(functionReturning(VOID, [], false, false));
const dataPointer = pointerTo(VOID);

function vectors(bits: 128 | 256): Type {
  const bytes = bits / 8;
  const of = (prefix: string, type: Type, size: number): [string, Type] => [`v${bytes / size}_${prefix}`, arrayOf(type, bytes / size, true)];
  const views = [
    of('bfloat16', bfloat16, 2), of('half', half, 2), of('float', single, 4), of('double', double, 8), of('int8', int8, 1), of('int16', int16, 2), of('int32', int32, 4), of('int64', int64, 8),
  ];
  return structure('union', bits === 128 ? 'vec128' : 'vec256', [...views, bits === 128 ? ['uint128', uint128] : of('int128', uint128, 16)]);
}

const VEC128 = vectors(128);
const VEC256 = vectors(256);

/** The type of a register; undefined if there is none of that name. */
export function registerType(name: string): Type | undefined {
  if (name === 'rip' || name === 'pc') return codePointer;
  if (name === 'rsp' || name === 'rbp' || name === 'sp' || name === 'fp') return dataPointer;
  if ((GENERAL as readonly string[]).includes(name)) return int64;
  if (name === 'fs_base' || name === 'gs_base' || name === 'orig_rax') return LONG;
  if (name === 'eflags' || name === 'ps') return EFLAGS;
  if (name === 'mxcsr') return MXCSR;
  if (SEGMENTS.includes(name) || FLOAT_STATE.includes(name)) return INT;
  if (/^xmm(\d|1[0-5])$/.test(name)) return VEC128;
  if (/^ymm(\d|1[0-5])$/.test(name)) return VEC256;
  if (/^st[0-7]$/.test(name)) return extended;
  return partOf(name)?.type;
}

/** Parts of general registers: `$eax`, `$al`, `$r8d`. */
function partOf(name: string): { readonly whole: string; readonly offset: number; readonly type: Type } | undefined {
  const numbered = /^(r(?:[89]|1[0-5]))([dwl])$/.exec(name);
  if (numbered !== null) return { whole: numbered[1] as string, offset: 0, type: numbered[2] === 'd' ? INT : numbered[2] === 'w' ? int16 : int8 };
  if (/^e(ax|bx|cx|dx|si|di|bp|sp)$/.test(name)) return { whole: `r${name.slice(1)}`, offset: 0, type: INT };
  if (/^(ax|bx|cx|dx|si|di|bp)$/.test(name)) return { whole: `r${name}`, offset: 0, type: int16 };
  const byte = /^([abcd])([lh])$/.exec(name);
  if (byte !== null) return { whole: `r${byte[1]}x`, offset: byte[2] === 'h' ? 1 : 0, type: int8 };
  const low = /^(si|di|bp|sp)l$/.exec(name);
  return low === null ? undefined : { whole: `r${low[1]}`, offset: 0, type: int8 };
}

const ALIASES: ReadonlyMap<string, string> = new Map([['pc', 'rip'], ['sp', 'rsp'], ['fp', 'rbp'], ['ps', 'eflags']]);

/** A register in the selected frame; undefined if there is none of that name. */
export function registerValue(around: Surroundings, name: string): Value | undefined {
  const type = registerType(name);
  if (type === undefined) return undefined;
  const part = partOf(name);
  const whole = part?.whole ?? ALIASES.get(name) ?? name;
  const number = dwarfNumber(whole);
  const stack = around.frame?.stack;
  if (stack === undefined || stack.level === 0 || number === undefined) return new Value(around, type, { kind: 'register', name: whole, offset: part?.offset ?? 0 });
  if (number === RIP) return new Value(around, type, COMPUTED, { bytes: toBytes(stack.pc, 8) });
  return new Value(around, type, { kind: 'located', location: { kind: 'register', register: number }, frame: stack, offset: part?.offset ?? 0 });
}

export function dwarfNumber(name: string): number | undefined {
  const general = (GENERAL as readonly string[]).indexOf(name);
  if (general >= 0) return general;
  const xmm = /^xmm(\d+)$/.exec(name);
  return xmm === null ? undefined : FIRST_XMM + Number(xmm[1]);
}

export function registerName(dwarf: number): string | undefined {
  if (dwarf >= FIRST_XMM && dwarf < FIRST_XMM + 16) return `xmm${dwarf - FIRST_XMM}`;
  return dwarf >= 33 && dwarf <= 40 ? `st${dwarf - 33}` : GENERAL[dwarf];
}
