/**
 * What happened in a recording, for people: a line for each thing, in order. An event is described with the
 * program's memory as it was before the kernel acted on it, if that is at hand.
 */
import { shownPath } from '../../base/bytePath.js';
import { assertNever } from '../../base/assert.js';
import { hex } from '../../base/types.js';
import { RIP } from '../../layout/cpuState.js';
import { signalName } from '../../base/signalNames.js';
import { PROT } from '../../machine/mapping.js';
import type { Effect, RecordedMapping } from '../log/effects.js';
import type { RecordedEvent } from '../log/events.js';
import { countHookAnswers } from '../log/hookAnswers.js';
import { quoted } from './quoted.js';
import { type MemoryView, type StoredBytes, SyscallText, systemCallOf } from './syscallText.js';

/** A recorded program that stands where an event happens. */
export interface Scene {
  readonly memory: MemoryView;
  /** `0x401136 <main+0x1c> (program)`. */
  place(address: number): string;
}

export interface Line {
  readonly time: number;
  /** Thread number; 0 if no thread did it. */
  readonly thread: number;
  readonly text: string;
}

const NOTHING: readonly StoredBytes[] = [];

export class EventLines {
  private readonly threads = new Map<number, number>();
  private readonly processes = new Map<number, number>();
  private readonly objects = new Map<number, string>();
  /** System calls that have not ended, by task. */
  private readonly waiting = new Map<number, SyscallText>();
  private running = 0;

  /** What the program did comes first, then (indented) what the kernel did about it. `scene` may be missing. */
  describe(event: RecordedEvent, scene?: Scene): Line[] {
    const { time, task, stop } = event;
    const stored = event.effects.flatMap((e) => (e.op === 'write' ? [{ address: e.address, bytes: e.bytes }] : []));
    const before = event.known.flatMap((effect) => this.effect(effect, time, NOTHING) ?? []);
    if (stop === 'syscall') this.waiting.set(task, new SyscallText(systemCallOf(event.registers), scene?.memory ?? inputsOf(event)));
    const headline = this.headline(event, scene, stored);
    const lines = event.effects.flatMap((effect) => this.effect(effect, time, stored) ?? []);
    if (headline === undefined) return [...before, ...lines];
    const thread = this.threadOf(task);
    const details = lines.map((line) => (line.thread === thread ? { ...line, text: `  ${line.text}` } : line));
    return [...before, { time, thread, text: headline }, ...details];
  }

  threadOf(task: number): number {
    return this.threads.get(task) ?? 0;
  }

  /** Undefined if it only had to let others run. */
  private headline({ stop, task, registers, effects }: RecordedEvent, scene: Scene | undefined, stored: readonly StoredBytes[]): string | undefined {
    const rip = Number(new DataView(registers.buffer, registers.byteOffset).getBigUint64(RIP.offset, true));
    const where = scene?.place(rip) ?? hex(rip);
    switch (stop) {
      case 'syscall':
        return this.callText(task, effects, stored);
      case 'pageFault':
        return `page fault at ${where}`;
      case 'trap':
        return `processor exception at ${where}`;
      case 'unknownInstruction':
        return `unknown instruction at ${where}`;
      default:
        return undefined;
    }
  }

  /** With its result if it has ended, with dots if it waits, without if it does not come back. */
  private callText(task: number, effects: readonly Effect[], stored: readonly StoredBytes[]): string | undefined {
    const ended = effects.find((e) => e.op === 'result' && e.task === task);
    if (ended?.op === 'result') return this.resultText(task, ended.result, stored);
    const call = this.waiting.get(task);
    if (call === undefined) return undefined;
    return `${call.unfinished()}${effects.some(isEnd) || call.call.name === 'rt_sigreturn' ? '' : ' ...'}`;
  }

  private effect(effect: Effect, time: number, stored: readonly StoredBytes[]): Line | undefined {
    const text = this.text(effect, stored);
    return text === undefined ? undefined : { time, thread: this.threadOf('task' in effect ? effect.task : this.running), text };
  }

  /** Undefined for what is part of something else, or says nothing to people. */
  private text(effect: Effect, stored: readonly StoredBytes[]): string | undefined {
    switch (effect.op) {
      case 'write':
      case 'forget':
      case 'clean':
      case 'inCopy':
      case 'stackLimit':
      case 'hash':
      case 'input':
      case 'registers':
      case 'facts':
      case 'descriptor':
      case 'position':
      case 'waits':
      case 'woken':
        return undefined;
      case 'map':
        return `map ${this.mappingText(effect.mapping)}`;
      case 'view':
        return `block of ${effect.view.size} bytes at ${hex(effect.view.begin)}`;
      case 'unview':
        return `block at ${hex(effect.begin)} is gone`;
      case 'hooks':
        return `${countHookAnswers(effect.answers)} calls of allocation functions`;
      case 'unmap':
        return `unmap ${range(effect.start, effect.length)}`;
      case 'protect':
        return `protect ${range(effect.start, effect.length)} ${protText(effect.prot)}`;
      case 'discard':
        return `zero ${range(effect.start, effect.length)}`;
      case 'copyPages':
        return `move ${range(effect.from, effect.length)} to ${hex(effect.to)}`;
      case 'copySpace':
        return `copy address space ${effect.from} to ${effect.space}`;
      case 'clear':
        return `clear address space ${effect.space}`;
      case 'object':
        this.objects.set(effect.object, shownPath(effect.path));
        return effect.blob === 0 ? undefined : `file ${shownPath(effect.path)}, ${effect.size} bytes`;
      case 'patch':
        return `${effect.bytes.length} bytes of ${this.objectName(effect.object)} at ${effect.offset} have changed`;
      case 'objectSize':
        return `${this.objectName(effect.object)} has ${effect.size} bytes`;
      case 'clock':
        return `${(effect.nanoseconds / 1e9).toFixed(9)} s pass`;
      case 'run':
        return this.switched(effect.task);
      case 'task':
        this.threads.set(effect.task, effect.tid);
        return `thread ${effect.tid} of process ${effect.pid} begins (${effect.name})`;
      case 'taskEnd':
        return 'thread ends';
      case 'process':
        this.processes.set(effect.process, effect.pid);
        return `process ${effect.pid} begins`;
      case 'program':
        return `process ${this.processes.get(effect.process) ?? '?'} runs ${effect.exe} ${JSON.stringify(effect.args)}`;
      case 'processEnd':
        return `process ${this.processes.get(effect.process) ?? '?'} ${effect.signal === 0 ? `exits with ${effect.code}` : `is killed by ${signalName(effect.signal)}`}`;
      case 'result':
        return this.resultText(effect.task, effect.result, stored);
      case 'signal':
        return `${signalName(effect.signal)} ${effect.handled ? 'is handled' : 'takes effect'} (code ${effect.code})`;
      case 'output':
        return `output to ${effect.fd}: ${quoted(effect.bytes)}`;
      default:
        return assertNever(effect);
    }
  }

  private resultText(task: number, result: number, stored: readonly StoredBytes[]): string | undefined {
    const call = this.waiting.get(task);
    this.waiting.delete(task);
    return call?.finished(result, stored);
  }

  private switched(task: number): string | undefined {
    if (task === this.running) return undefined;
    this.running = task;
    return 'runs';
  }

  private objectName(object: number): string {
    return this.objects.get(object) ?? `file ${object}`;
  }

  private mappingText(m: RecordedMapping): string {
    const what = m.name === '' && m.object !== undefined ? this.objectName(m.object) : shownPath(m.name);
    const offset = m.object === undefined ? '' : ` from ${hex(m.fileOffset)}`;
    return `${range(m.start, m.end - m.start)} ${protText(m.prot)}${m.shared ? 's' : 'p'} ${what}${offset}`.trimEnd();
  }
}

/** After which a system call does not come back. */
function isEnd({ op }: Effect): boolean {
  return op === 'taskEnd' || op === 'processEnd';
}

/** Without the program's memory: what the kernel read from it, as far as that is recorded. */
function inputsOf({ effects }: RecordedEvent): MemoryView {
  const inputs = effects.filter((e) => e.op === 'input');
  return (address, length) => {
    const input = inputs.find((e) => typeof e.content !== 'number' && e.address <= address && address < e.address + e.length);
    return typeof input?.content === 'object' ? input.content.subarray(address - input.address, address - input.address + length) : undefined;
  };
}

function range(start: number, length: number): string {
  return `${start.toString(16)}-${(start + length).toString(16)}`;
}

function protText(prot: number): string {
  return `${(prot & PROT.READ) === 0 ? '-' : 'r'}${(prot & PROT.WRITE) === 0 ? '-' : 'w'}${(prot & PROT.EXEC) === 0 ? '-' : 'x'}`;
}
