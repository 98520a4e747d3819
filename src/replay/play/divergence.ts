/**
 * Replay did not do what was recorded. That is a defect of ours or of the recording, and nothing after it can be
 * trusted.
 */
import { InvariantError } from '../../base/assert.js';
import { UserError } from '../../base/errors.js';
import { hex } from '../../base/types.js';
import { GPR, RIP } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { Input } from '../log/inputs.js';
import type { RecordedEvent, StopKind } from '../log/events.js';

/** As for other defects of ours. */
const EXIT_INTERNAL = 70;

export class Divergence extends UserError {
  constructor(
    readonly time: number,
    readonly what: string,
  ) {
    super(`replay differs from the recording at time ${time}: ${what}`, EXIT_INTERNAL);
  }
}

/** What is recorded makes no sense here, or is beyond us. Other errors stay what they are. */
export function impossibleEffect(error: unknown, op: string, time: number): unknown {
  const ofEffect = error instanceof InvariantError || error instanceof RangeError;
  return ofEffect ? new Divergence(time, `'${op}' cannot be done: ${error.message}`) : error;
}

/** It stopped for another reason, or at another time. */
export function wrongStop(event: RecordedEvent, time: number, rip: number, found: StopKind): Divergence {
  const wanted = event.stop === 'syscall' ? `system call ${callName(event.registers)}` : stopText(event.stop);
  return new Divergence(time, `at ${hex(rip)} recorded ${wanted} at time ${event.time}, found ${stopText(found)}`);
}

/** It stopped where it should, with other values. Undefined if they are the same. */
export function wrongRegisters(event: RecordedEvent, found: Uint8Array): Divergence | undefined {
  if (isEqual(event.registers, found)) return undefined;
  const wanted = new DataView(event.registers.buffer, event.registers.byteOffset);
  const actual = new DataView(found.buffer, found.byteOffset);
  for (const { name, offset } of [RIP, ...GPR]) {
    const [a, b] = [wanted.getBigUint64(offset, true), actual.getBigUint64(offset, true)];
    if (a === b) continue;
    const rip = wanted.getBigUint64(RIP.offset, true);
    const where = event.stop === 'syscall' ? `system call ${callName(event.registers)} at 0x${rip.toString(16)}` : `0x${rip.toString(16)}`;
    return new Divergence(event.time, `at ${where} recorded ${name} = 0x${a.toString(16)}, found 0x${b.toString(16)}`);
  }
  return undefined;
}

/** A system call found something else in memory: `difference` says what. */
export function wrongInput(time: number, { address, length }: Input, difference: string): Divergence {
  return new Divergence(time, `in the ${length} bytes at ${hex(address)} that the system call read ${difference}`);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function callName(registers: Uint8Array): string {
  const number = new DataView(registers.buffer, registers.byteOffset).getUint32(0, true);
  return SYSCALL_NAMES[number] ?? String(number);
}

function stopText(stop: StopKind): string {
  switch (stop) {
    case 'start':
      return 'the beginning';
    case 'more':
      return 'nothing';
    case 'budget':
    case 'interrupted':
      return 'the end of a turn';
    case 'syscall':
      return 'a system call';
    case 'pageFault':
      return 'a page fault';
    case 'trap':
      return 'a processor exception';
    case 'unknownInstruction':
      return 'an unknown instruction';
    default:
      return stop;
  }
}
