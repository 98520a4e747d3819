/**
 * What the recorded run read from a file after some place in the log: what was in a pipe then, or what the user
 * typed later. It is found where the kernel stored it into memory.
 */
import { RDI, RSI } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { Effect } from '../log/effects.js';
import type { EventLog, LogPlace } from '../log/eventLog.js';
import type { RecordedEvent } from '../log/events.js';
import { Ledger, type LedgerFile } from '../log/ledger.js';

interface Read {
  /** Where the bytes go. */
  readonly address: number;
}

/** At most `count` bytes; fewer if it never read more, or read it in a way that the log does not show. */
export function laterReads(log: EventLog, place: LogPlace, isIt: (file: LedgerFile) => boolean, count = Infinity): Uint8Array {
  const search = new Search(Ledger.at(log, place), isIt);
  const cursor = log.cursor(place);
  for (let event = cursor.next(); event !== undefined && search.found < count && search.isClear; event = cursor.next()) search.add(event);
  return search.bytes().subarray(0, Math.min(count, search.found));
}

class Search {
  found = 0;
  /** False once it was read in another way. */
  isClear = true;
  private readonly parts: Uint8Array[] = [];
  /** Reads that are going on, by task. */
  private readonly reads = new Map<number, Read>();
  /** What was stored in the event, by address. */
  private readonly stored = new Map<number, Uint8Array>();

  constructor(
    private readonly ledger: Ledger,
    private readonly isIt: (file: LedgerFile) => boolean,
  ) {
    for (const { id, call } of ledger.tasks.values()) if (call !== undefined && call.result === undefined) this.begin(id, call.number, call.registers);
  }

  add(event: RecordedEvent): void {
    if (event.stop !== 'more') this.stored.clear();
    if (event.stop === 'syscall') {
      const view = new DataView(event.registers.buffer, event.registers.byteOffset);
      this.begin(event.task, view.getUint32(0, true), event.registers);
    }
    for (const effect of event.effects) this.note(effect);
    this.ledger.add(event);
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.found);
    this.parts.reduce((at, part) => {
      all.set(part, at);
      return at + part.length;
    }, 0);
    return all;
  }

  private begin(task: number, call: number, registers: Uint8Array): void {
    this.reads.delete(task);
    const view = new DataView(registers.buffer, registers.byteOffset);
    const file = this.ledger.fileOf(task, view.getInt32(RDI.offset, true));
    if (file === undefined || !this.isIt(file)) return;
    const name = SYSCALL_NAMES[call] ?? '';
    if (name === 'read' || name === 'recvfrom') this.reads.set(task, { address: Number(view.getBigUint64(RSI.offset, true)) });
    else if (OTHER_READS.has(name)) this.isClear = false;
  }

  private note(effect: Effect): void {
    if (effect.op === 'write') this.stored.set(effect.address, effect.bytes);
    if (effect.op !== 'result' && effect.op !== 'woken') return;
    const read = this.reads.get(effect.task);
    this.reads.delete(effect.task);
    if (read === undefined || effect.result <= 0) return;
    this.isClear = this.collect(read.address, effect.result);
  }

  /** Whether all was there: large ones are stored in parts. */
  private collect(address: number, count: number): boolean {
    for (let done = 0; done < count; ) {
      const part = this.stored.get(address + done)?.subarray(0, count - done);
      if (part === undefined || part.length === 0) return false;
      this.parts.push(part);
      this.found += part.length;
      done += part.length;
    }
    return true;
  }
}

/** Ways to read that are not looked into. */
const OTHER_READS: ReadonlySet<string> = new Set(['readv', 'preadv2', 'splice', 'tee', 'sendfile', 'recvmsg', 'recvmmsg', 'copy_file_range']);
