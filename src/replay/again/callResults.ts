/**
 * System calls of a recording with what they returned and stored: for those who want to know what the program was told,
 * in order. Calls that were left without an answer are not among them.
 */
import type { Input } from '../log/inputs.js';
import { GPR, RAX, RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { EventLog } from '../log/eventLog.js';
import type { RecordedEvent } from '../log/events.js';
import { Ledger, type LedgerFile } from '../log/ledger.js';

/** Bytes in memory that a call fills, one after the other. */
export interface Segment {
  readonly address: number;
  readonly length: number;
}

export class RecordedCall {
  constructor(
    readonly name: string,
    readonly task: number,
    private readonly registers: Uint8Array,
    private readonly inputs: readonly Input[],
    /** What the first argument refers to, if it is a descriptor, and where that stood when the call was made. */
    readonly file: LedgerFile | undefined,
    readonly position: number,
  ) {}

  argument(index: number): number {
    return Number(this.view.getBigUint64((ARGUMENTS[index] as Slot).offset, true));
  }

  int(index: number): number {
    return this.view.getInt32((ARGUMENTS[index] as Slot).offset, true);
  }

  /** A path that the call was given; undefined if it is too long for the recording. */
  path(index: number): string | undefined {
    const content = this.input(this.argument(index));
    const end = content?.indexOf(0) ?? -1;
    return content === undefined || end < 0 ? undefined : String.fromCharCode(...content.subarray(0, end));
  }

  /** What the call read from the program's memory at `address`, if that was short. */
  input(address: number): Uint8Array | undefined {
    const found = this.inputs.find((input) => input.address === address)?.content;
    return typeof found === 'number' ? undefined : found;
  }

  private get view(): DataView {
    return new DataView(this.registers.buffer, this.registers.byteOffset);
  }
}

export interface CallResult {
  readonly call: RecordedCall;
  readonly result: number;
  /** As everything is after the call. */
  readonly ledger: Ledger;
  /** What the call has stored there, as far as all of it is known. */
  stored(segments: readonly Segment[]): Uint8Array | undefined;
}

export interface CallListener {
  /** Before its calls are told. */
  event?(event: RecordedEvent, ledger: Ledger): void;
  returned(result: CallResult): void;
}

const ARGUMENTS: readonly Slot[] = [RDI, RSI, RDX, GPR[10] as Slot, GPR[8] as Slot, GPR[9] as Slot];

/** Reads the whole log, once. */
export function eachCall(log: EventLog, listeners: readonly CallListener[]): void {
  const ledger = new Ledger();
  const going = new Map<number, RecordedCall>();
  const stored = new Map<number, Uint8Array>();
  const cursor = log.cursor();
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
    if (event.stop !== 'more') stored.clear();
    if (event.stop === 'syscall') going.set(event.task, callOf(event, ledger));
    ledger.add(event);
    for (const listener of listeners) listener.event?.(event, ledger);
    for (const effect of event.effects) {
      if (effect.op === 'write') stored.set(effect.address, effect.bytes);
      if (effect.op !== 'result' && effect.op !== 'woken') continue;
      const call = going.get(effect.task);
      going.delete(effect.task);
      if (call === undefined) continue;
      const returned: CallResult = { call, result: effect.result, ledger, stored: (segments) => collected(stored, segments) };
      for (const listener of listeners) listener.returned(returned);
    }
  }
}

function callOf({ registers, task, effects }: RecordedEvent, ledger: Ledger): RecordedCall {
  const view = new DataView(registers.buffer, registers.byteOffset);
  const name = SYSCALL_NAMES[view.getUint32(RAX.offset, true)] ?? '';
  const file = ledger.fileOf(task, view.getInt32(RDI.offset, true));
  return new RecordedCall(name, task, registers, effects.filter((effect) => effect.op === 'input'), file, file?.position ?? 0);
}

/** Large ones are stored in parts. */
function collected(stored: ReadonlyMap<number, Uint8Array>, segments: readonly Segment[]): Uint8Array | undefined {
  const all = new Uint8Array(segments.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const { address, length } of segments) {
    for (let done = 0; done < length; ) {
      const part = stored.get(address + done)?.subarray(0, length - done);
      if (part === undefined || part.length === 0) return undefined;
      all.set(part, at);
      at += part.length;
      done += part.length;
    }
  }
  return all;
}
