/** Events as JSON: everything that was recorded. Bytes are base64, 64-bit values hexadecimal text. */
import type { JsonObject } from '../format/recordingWriter.js';
import type { Effect } from '../log/effects.js';
import type { RecordedEvent } from '../log/events.js';
import { GPR, RIP } from '../../layout/cpuState.js';
import { systemCallOf } from './syscallText.js';

/** `lines` are what people are shown of it. */
export function eventJson(event: RecordedEvent, thread: number, lines: readonly string[]): JsonObject {
  const { time, task, stop, known, effects } = event;
  return {
    time, task, thread, kind: stop,
    ...(stop === 'syscall' ? { call: callJson(event.registers) } : {}),
    registers: registersJson(event.registers),
    ...(known.length === 0 ? {} : { known: known.map(effectJson) }),
    effects: effects.map(effectJson),
    lines,
  };
}

function callJson(registers: Uint8Array): JsonObject {
  const { number, name, args } = systemCallOf(registers);
  return { number, name, args: args.map(hexadecimal) };
}

function registersJson(registers: Uint8Array): JsonObject {
  const view = new DataView(registers.buffer, registers.byteOffset);
  return Object.fromEntries([RIP, ...GPR].map(({ name, offset }) => [name, hexadecimal(view.getBigUint64(offset, true))]));
}

function effectJson(effect: Effect): JsonObject {
  return Object.fromEntries(Object.entries(effect).map(([name, value]: [string, unknown]) => [name, value instanceof Uint8Array ? base64(value) : value]));
}

function hexadecimal(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** btoa takes characters, and few arguments at a time. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text);
}
