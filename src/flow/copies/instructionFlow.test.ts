import { describe, expect, test } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { CC_OP, CC_X, DF, RAX, RCX, RDI, RSI, RSP } from '../../layout/cpuState.js';
import { ccOp } from '../../ir/flags.js';
import { Instructions } from '../instructions.js';
import { type Came, InstructionFlow, mayWrite } from './instructionFlow.js';
import { memoryPlace, placeText, registerPlace, type Place } from './place.js';

const CODE = guestAddr(0x401000);
const STACK = 0x7ffe_0000;

function memory(address: number, size: number): Place {
  return memoryPlace(guestAddr(address), size);
}

/** CPU state with some registers set. */
function words(values: Readonly<Record<number, number>> = {}): Uint32Array {
  const list = new Uint32Array(256);
  for (const [offset, value] of Object.entries({ [RSP.offset]: STACK, ...values })) {
    list[Number(offset) / 4] = value % 2 ** 32;
    list[Number(offset) / 4 + 1] = Math.floor(value / 2 ** 32);
  }
  return list;
}

function cameTo(hex: string, place: Place | string, registers: Readonly<Record<number, number>> = {}): string {
  const code = Uint8Array.from(hex.split(' '), (byte) => parseInt(byte, 16));
  const block = new Instructions().at(CODE, code);
  const asked = typeof place === 'string' ? registerPlace(place) : place;
  if (block === null || asked === undefined) throw new Error('no instruction, or no place');
  return shown(new InstructionFlow(block, { words: words(registers), memory: () => null }).cameTo(asked));
}

function shown(came: Came): string {
  switch (came.kind) {
    case 'copy': return `${placeText(came.from)}:${came.from.size}`;
    case 'constant': return `constant ${came.value}`;
    case 'made': return ['made', ...came.terms.map(({ place }) => placeText(place))].join(' ');
    default: return came.kind;
  }
}

const AT_RAX = { [RAX.offset]: 0x5000 };

describe('what an instruction leaves in a place comes from', () => {
  test.each([
    ['mov rbx, rax', '48 89 c3', 'rbx', 'rax:8'],
    ['mov rbx, rax: others stay', '48 89 c3', 'rcx', 'untouched'],
    ['mov ebx, eax', '89 c3', 'rbx', 'eax:4'],
    ['mov bl, ah', '88 e3', 'bl', 'ah:1'],
    ['mov bl, ah: the rest stays', '88 e3', registerPart('rbx', 1, 7), 'untouched'],
    ['mov bl, ah: all of it is of two', '88 e3', 'rbx', 'mixed'],
    ['the hook of a function: its result', '0f b9 80 48 4f 4f 4b', 'rax', 'made'],
    ['the hook of a function: others stay', '0f b9 80 48 4f 4f 4b', 'rdi', 'untouched'],
    ['a hook that looks', '0f b9 80 4c 4f 4f 4b', 'rax', 'untouched'],
    ['mov rbx, [rax+8]', '48 8b 58 08', 'rbx', '[0x5008]:8'],
    ['mov [rax+8], rbx', '48 89 58 08', memory(0x5008, 8), 'rbx:8'],
    ['mov [rax+8], rbx: its middle', '48 89 58 08', memory(0x500a, 4), 'rbx[2..5]:4'],
    ['mov [rax+8], rbx: elsewhere', '48 89 58 08', memory(0x5010, 8), 'untouched'],
    ['movzx ebx, byte [rax]', '0f b6 18', 'rbx', '[0x5000]:1'],
    ['movsx rbx, word [rax]', '48 0f bf 18', 'rbx', '[0x5000]:2'],
    ['movsxd rbx, eax', '48 63 d8', 'rbx', 'eax:4'],
    ['mov ebx, 7', 'bb 07 00 00 00', 'rbx', 'constant 7'],
    ['xor ebx, ebx', '31 db', 'rbx', 'constant 0'],
    ['lea rbx, [rax]', '48 8d 18', 'rbx', 'rax:8'],
    ['lea rbx, [rax+8]', '48 8d 58 08', 'rbx', 'made rax'],
    ['lea rbx, [rax+rcx*8]', '48 8d 1c c8', 'rbx', 'made rax'],
    ['add rbx, rax', '48 01 c3', 'rbx', 'made rbx rax'],
    ['sub rax, 16', '48 83 e8 10', 'rax', 'made rax'],
    ['and rax, -16', '48 83 e0 f0', 'rax', 'made rax'],
    ['imul rbx, rax', '48 0f af d8', 'rbx', 'made'],
    ['push rbx', '53', memory(STACK - 8, 8), 'rbx:8'],
    ['pop rbx', '5b', 'rbx', `[0x${STACK.toString(16)}]:8`],
    ['xchg rax, rbx', '48 93', 'rax', 'rbx:8'],
    ['xchg rax, rbx: the other', '48 93', 'rbx', 'rax:8'],
    ['movups xmm1, [rax]', '0f 10 08', 'xmm1', '[0x5000]:16'],
    ['movups xmm1, [rax]: its upper half', '0f 10 08', registerPart('xmm1', 8, 8), '[0x5008]:8'],
    ['movq xmm1, rax', '66 48 0f 6e c8', 'xmm1', 'rax:8'],
    ['movsd [rax], xmm1', 'f2 0f 11 08', memory(0x5000, 8), 'xmm1:8'],
    ['punpcklqdq xmm1, xmm2: the upper half', '66 0f 6c ca', registerPart('xmm1', 8, 8), 'xmm2:8'],
    ['addsd xmm1, xmm2', 'f2 0f 58 ca', registerPart('xmm1', 0, 8), 'made'],
    ['shr rax, 32', '48 c1 e8 20', 'rax', 'rax[4..7]:4'],
    ['shr rax, 3', '48 c1 e8 03', 'rax', 'made'],
    ['syscall', '0f 05', 'rax', 'syscall'],
    ['syscall: what it keeps', '0f 05', 'rbx', 'untouched'],
    ['call: the return address', 'e8 00 00 00 00', memory(STACK - 8, 8), `constant ${CODE + 5}`],
  ])('%s', (_name, hex, place, expected) => {
    expect(cameTo(hex, place, AT_RAX)).toBe(expected);
  });

  test('cmov goes by the flags', () => {
    const equal = { [CC_OP.offset]: ccOp('SUB', 8), [CC_X.offset]: 0 };
    const different = { [CC_OP.offset]: ccOp('SUB', 8), [CC_X.offset]: 5 };
    expect(cameTo('48 0f 44 d8', 'rbx', equal)).toBe('rax:8');
    expect(cameTo('48 0f 44 d8', 'rbx', different)).toBe('untouched');
  });

  test('string instructions, forward and backward', () => {
    const registers = { [RSI.offset]: 0x5000, [RDI.offset]: 0x6000, [RCX.offset]: 16 };
    expect(cameTo('f3 a4', memory(0x6004, 8), registers)).toBe('[0x5004]:8');
    expect(cameTo('f3 a4', memory(0x6010, 8), registers)).toBe('untouched');
    expect(cameTo('f3 48 a5', memory(0x6010, 8), registers)).toBe('[0x5010]:8');
    expect(cameTo('f3 a4', memory(0x5ff8, 8), { ...registers, [DF.offset]: 1 })).toBe('[0x4ff8]:8');
    expect(cameTo('f3 aa', memory(0x6004, 1), registers)).toBe('al:1');
    expect(cameTo('f3 48 ab', memory(0x6008, 8), registers)).toBe('rax:8');
  });

  test('string instructions change the registers that they go by, and no others', () => {
    const registers = { [RSI.offset]: 0x5000, [RDI.offset]: 0x6000, [RCX.offset]: 16 };
    expect(cameTo('f3 aa', 'rsi', registers)).toBe('untouched');
    expect(cameTo('f3 aa', 'rdi', registers)).toBe('made');
    expect(cameTo('f3 48 ad', 'rdi', registers)).toBe('untouched');
    expect(cameTo('f3 a4', 'rdi', { ...registers, [RCX.offset]: 0 })).toBe('untouched');
  });

  test('lods loads the last element', () => {
    const registers = { [RSI.offset]: 0x5000, [RCX.offset]: 4 };
    expect(cameTo('f3 48 ad', 'rax', registers)).toBe('[0x5018]:8');
    expect(cameTo('f3 ad', 'rax', registers)).toBe('[0x500c]:4');
    expect(cameTo('f3 ac', 'al', registers)).toBe('[0x5003]:1');
    expect(cameTo('f3 ac', registerPart('rax', 1, 7), registers)).toBe('untouched');
    expect(cameTo('f3 48 ad', 'rax', { ...registers, [DF.offset]: 1 })).toBe('[0x4fe8]:8');
  });

  test('a move over its own source repeats what it has just moved', () => {
    const registers = { [RSI.offset]: 0x5000, [RDI.offset]: 0x5003, [RCX.offset]: 16 };
    expect(cameTo('f3 a4', memory(0x5003 + 2, 1), registers)).toBe('[0x5002]:1');
    expect(cameTo('f3 a4', memory(0x5003 + 7, 1), registers)).toBe('[0x5001]:1');
    const backward = { [RSI.offset]: 0x5010, [RDI.offset]: 0x500d, [RCX.offset]: 16, [DF.offset]: 1 };
    expect(cameTo('f3 a4', memory(0x500d - 7, 1), backward)).toBe('[0x500f]:1');
  });

  test('cpuid makes four registers, and changes neither others nor memory', () => {
    expect(cameTo('0f a2', 'rdx')).toBe('made');
    expect(cameTo('0f a2', 'rsi')).toBe('untouched');
    expect(cameTo('0f a2', memory(0x5000, 8))).toBe('untouched');
  });
});

test('which instructions may set a register', () => {
  const writes = (hex: string, name: string): boolean => {
    const block = new Instructions().at(CODE, Uint8Array.from(hex.split(' '), (byte) => parseInt(byte, 16)));
    const place = registerPlace(name);
    return block !== null && place?.kind === 'register' && mayWrite(block, place.offset, place.size);
  };
  expect(writes('48 89 c3', 'rbx')).toBe(true);
  expect(writes('48 89 c3', 'rax')).toBe(false);
  expect(writes('0f 05', 'rcx')).toBe(true);
  expect(writes('f3 a4', 'rdi')).toBe(true);
  expect(writes('53', 'rsp')).toBe(true);
  expect(writes('0f a2', 'rbx')).toBe(true);
  expect(writes('0f a2', 'rsi')).toBe(false);
  expect(writes('f3 aa', 'rsi')).toBe(false);
  expect(writes('0f ae 00', 'xmm1')).toBe(false);
  expect(writes('0f ae 08', 'xmm1')).toBe(true);
});

test('names of registers and of their parts', () => {
  const names = ['rax', 'eax', 'ax', 'al', 'ah', 'sil', 'bpl', 'r9', 'r9d', 'r9w', 'r9b', 'xmm3'];
  expect(names.map((name) => placeText(registerPlace(name) ?? memory(0, 0)))).toEqual(
    ['rax', 'eax', 'ax', 'al', 'ah', 'sil', 'bpl', 'r9', 'r9d', 'r9w', 'r9b', 'xmm3'],
  );
  expect(registerPlace('st0')).toBeUndefined();
});

function registerPart(name: string, first: number, size: number): Place {
  const place = registerPlace(name);
  if (place?.kind !== 'register') throw new Error(name);
  return { kind: 'register', offset: place.offset + first, size };
}
