/** Packets that read and write registers and memory, and set breakpoints. */
import { type GuestAddr, guestAddr, PAGE_SIZE } from '../base/types.js';
import { breathe } from '../replay/timeline/work.js';
import type { Client } from './client.js';
import { bytesOfHex, bytesOfText, hexOfBytes, parseAddress, parseHex, valueOfBytes } from './hex.js';
import { allRegistersHex, registerHex, TARGET_REGISTERS } from './targetRegisters.js';
import { STOP_KINDS } from './stops.js';

const ERROR = { FAULT: 'E0e', INVALID: 'E16' } as const;
/** Bytes that one watchpoint may have. */
const LONGEST_WATCH = 2 ** 28;
const MOST_STOPS = 100_000;
const SEARCHED_AT_ONCE = 1 << 20;

export function readRegisters({ debuggee, generalThread }: Client): string {
  return allRegistersHex(debuggee.state, generalThread);
}

export function readRegister({ debuggee, generalThread }: Client, number: string): string {
  const register = TARGET_REGISTERS[parseHex(number) ?? -1];
  return register === undefined ? ERROR.INVALID : registerHex(debuggee.state, generalThread, register);
}

/** `addr,length`: as many bytes as there are. */
export function readMemory(client: Client, request: string, longest: number): string {
  const [address, length] = addressAndLength(request);
  if (address === undefined || length === undefined) return ERROR.INVALID;
  const bytes = memoryAt(client, address, Math.min(length, Math.floor(longest / 2)));
  return bytes.length === 0 && length > 0 ? ERROR.FAULT : hexOfBytes(bytes);
}

/** The bytes up to the first one that is not there. */
function memoryAt({ debuggee, generalThread }: Client, address: GuestAddr, length: number): Uint8Array {
  const { state } = debuggee;
  const whole = state.read(generalThread, address, length);
  if (whole !== null) return whole;
  const bytes = new Uint8Array(length);
  let end = address;
  while (end < address + length) {
    const next = guestAddr(Math.min(address + length, end - (end % PAGE_SIZE) + PAGE_SIZE));
    const part = state.read(generalThread, end, next - end);
    if (part === null) break;
    bytes.set(part, end - address);
    end = next;
  }
  return bytes.subarray(0, end - address);
}

/** `Z` and `z`: "type,addr,kind", and conditions as "Xlength,code" after that. */
export function changeStops({ stops, stepOver, debuggee, generalThread }: Client, isInserted: boolean, request: string): string {
  const [place = '', ...rest] = request.split(';');
  const [type, at, size] = place.split(',');
  const onlyIf = rest.filter((part) => part.startsWith('X')).flatMap((part) => [...part.matchAll(/X[0-9a-f]+,([0-9a-f]*)/gi)].map(([, code = '']) => bytesOfHex(code)));
  const kind = STOP_KINDS[parseHex(type) ?? -1];
  const [address, length] = [parseAddress(at), parseHex(size)];
  if (kind === undefined) return '';
  if (address === undefined || length === undefined || length > LONGEST_WATCH) return ERROR.INVALID;
  if (onlyIf.some((code) => code === undefined)) return ERROR.INVALID;
  if (isInserted && stops.size >= MOST_STOPS) return ERROR.INVALID;
  if (isInserted) {
    stepOver.hasInserted(address);
    stops.insert(kind, address, length, onlyIf as Uint8Array[], (range) => debuggee.execution.meaning([range], generalThread));
  } else {
    stepOver.hasRemoved(address);
    stops.remove(kind, address, length);
  }
  return 'OK';
}

/** `qSearch:memory:addr;length;pattern`: the pattern's bytes are as they came. */
export async function searchMemory(client: Client, request: string): Promise<string> {
  const [, at, size, pattern] = /^([0-9a-f]+);([0-9a-f]+);(.*)$/is.exec(request) ?? [];
  const [address, length] = [parseAddress(at), parseHex(size)];
  if (address === undefined || length === undefined || pattern === undefined || pattern === '') return ERROR.INVALID;
  const wanted = Array.from(pattern, (character) => character.charCodeAt(0));
  for (let from = address; from + wanted.length <= address + length; from = guestAddr(from + SEARCHED_AT_ONCE)) {
    await breathe(client.work, from - address, length);
    const bytes = memoryAt(client, from, Math.min(SEARCHED_AT_ONCE + wanted.length - 1, address + length - from));
    const found = indexOf(bytes, wanted);
    if (found >= 0) return `1,${(from + found).toString(16)}`;
    if (bytes.length < SEARCHED_AT_ONCE) return '0';
  }
  return '0';
}

function indexOf(bytes: Uint8Array, [first = 0, ...rest]: readonly number[]): number {
  for (let i = bytes.indexOf(first); i >= 0; i = bytes.indexOf(first, i + 1)) if (rest.every((byte, k) => bytes[i + 1 + k] === byte)) return i;
  return -1;
}

function addressAndLength(request: string): readonly [GuestAddr | undefined, number | undefined] {
  const [address, length] = request.split(',');
  return [parseAddress(address), parseHex(length)];
}

/** `P`: "number=value". */
export async function writeRegister({ alterations, generalThread }: Client, request: string): Promise<string> {
  const [, number, value = ''] = /^([0-9a-f]+)=([0-9a-f]+)$/i.exec(request) ?? [];
  const register = TARGET_REGISTERS[parseHex(number) ?? -1];
  const bytes = bytesOfHex(value);
  if (register === undefined || bytes?.length !== register.bits / 8) return ERROR.INVALID;
  await alterations.setRegister(generalThread, register.name, valueOfBytes(bytes));
  return 'OK';
}

/** `G`: all registers, or the first ones. */
export async function writeRegisters({ alterations, generalThread }: Client, values: string): Promise<string> {
  const bytes = bytesOfHex(values.replaceAll('x', '0'));
  if (bytes === undefined) return ERROR.INVALID;
  let at = 0;
  for (const { name, bits } of TARGET_REGISTERS) {
    const value = bytes.subarray(at, at + bits / 8);
    if (value.length < bits / 8) break;
    await alterations.setRegister(generalThread, name, valueOfBytes(value));
    at += value.length;
  }
  return 'OK';
}

/** `M` and `X`: "addr,length:" and bytes, which `M` has in hexadecimal. */
export async function writeMemory({ alterations, generalThread }: Client, request: string, isHex: boolean): Promise<string> {
  const colon = request.indexOf(':');
  const [address, length] = addressAndLength(request.slice(0, Math.max(0, colon)));
  const data = request.slice(colon + 1);
  const bytes = isHex ? bytesOfHex(data) : bytesOfText(data);
  if (address === undefined || length === undefined || bytes?.length !== length) return ERROR.INVALID;
  if (length > 0) await alterations.writeMemory(generalThread, address, bytes);
  return 'OK';
}
