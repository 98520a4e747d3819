/**
 * The program at one time, in one thread. A snapshot is nothing but a time until a script looks at it: then the
 * execution goes there. What was looked at is remembered.
 */
import { visible } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import { resultValue } from '../../debugger/values/calls.js';
import { fail } from '../../debugger/values/expressionError.js';
import { argumentOf, argumentsOf, frameArgumentsText, localsOf } from '../../debugger/values/frameVariables.js';
import { pointerTo, VOID } from '../../debugger/values/madeTypes.js';
import { registerValue } from '../../debugger/values/registers.js';
import { Value as ProgramValue } from '../../debugger/values/value.js';
import { at, type Position } from '../../replay/log/position.js';
import { REGISTER_NAMES, type Thread } from '../../replay/timeline/state.js';
import { atomicAccess } from './atomics.js';
import type { Habits, Reading } from './habits.js';
import type { Moment, Scene, View } from './scene.js';
import { type Recipe, Value } from './value.js';

/** Who did what to memory. */
export interface Access {
  readonly address: number;
  readonly length: number;
  readonly kind: 'READ' | 'WRITE';
  /** The kernel writes for system calls. */
  readonly by: 'program' | 'kernel';
}

export interface SystemCallFacts {
  readonly name: string;
  readonly number: number;
  readonly args: readonly bigint[];
  /** What it returned, negative error numbers included; undefined if it never did. */
  readonly result: number | undefined;
}

export interface SignalFacts {
  readonly name: string;
  readonly number: number;
  /** Whether the program has a handler for it. */
  readonly handled: boolean;
}

export interface OutputFacts {
  readonly fd: number;
  readonly text: string;
  readonly bytes: Uint8Array;
}

export interface Frame {
  readonly level: number;
  readonly function: string | undefined;
  readonly file: string | undefined;
  readonly line: number;
  readonly pc: number;
  /** As gdb shows it, without the level. */
  toString(): string;
}

export interface SourcePlace {
  readonly function: string | undefined;
  readonly file: string | undefined;
  /** 0 if not known. */
  readonly line: number;
  /** The line's text, if the file is on this machine. */
  readonly text: string | undefined;
  toString(): string;
}

/** What is known about a snapshot without going there. */
export interface KnownFacts {
  readonly task?: number | undefined;
  readonly rip?: number | undefined;
  readonly access?: Access | undefined;
  readonly syscall?: SystemCallFacts | undefined;
  readonly signal?: SignalFacts | undefined;
  readonly output?: OutputFacts | undefined;
}

/** Registers of arguments, in order. */
const ARGUMENTS = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'];
const MOST_FRAMES = 1000;

export class Snapshot {
  readonly time: number;
  private frames: readonly Frame[] | undefined;
  private place: SourcePlace | undefined;
  private runs: Thread | undefined;
  /** Several traces may ask the same of one snapshot. */
  private values: Map<string, Value> | undefined;

  constructor(
    private readonly scene: Scene,
    readonly position: Position,
    private readonly found: KnownFacts = {},
    /** Of those who ask. */
    private readonly habits?: Habits,
  ) {
    this.time = position.time;
  }

  /** A variable of the innermost frame, a global one, or any expression of C over them. */
  readVar(expression: string, { frame = 0 }: { readonly frame?: number } = {}): Value {
    const make = (): Value => this.value(expression, (expressions) => expressions.evaluate(expression), frame);
    return this.once(`${frame} ${expression}`, make, (other) => other.readVar(expression, { frame }));
  }

  /** An argument of the function by its name, or by its number from 0 on: also where there is no debug information. */
  readArg(which: string | number): Value {
    const read: Recipe = (expressions) => {
      const found = argumentOf(expressions, which);
      if (found !== undefined) return found;
      const register = typeof which === 'number' && argumentsOf(expressions).length === 0 ? ARGUMENTS[which] : undefined;
      const value = register === undefined ? undefined : registerValue(expressions.around, register);
      return value ?? fail(`No argument ${which} in ${this.source.function ?? 'this function'}.`);
    };
    const make = (): Value => this.value(typeof which === 'string' ? which : `argument ${which}`, read);
    return this.once(`argument ${typeof which} ${which}`, make, (other) => other.readArg(which));
  }

  /** What the function is about to return: where `breakpoints(…, {at: 'exit'})` stands. */
  get returned(): Value {
    return this.value('the result', (expressions) => {
      const scope = this.view.backtrace.innermost?.stack.scopes.at(-1);
      const register = (name: string): bigint => expressions.around.register(name) ?? 0n;
      if (scope === undefined) return registerValue(expressions.around, 'rax') ?? fail('no result');
      const type = scope.die.unit.info.types.of(scope.function.returnType);
      const registers = { rax: register('rax'), rdx: register('rdx'), xmm0: register('xmm0'), xmm1: register('xmm1'), st0: register('st0'), st1: register('st1') };
      return resultValue(expressions.around, type, registers);
    });
  }

  /** Return addresses on the stack, the innermost first: where they lie can be asked for, and watched. */
  readRetaddrs(): readonly Value[] {
    const { backtrace, program } = this.view;
    const slots = new Set<bigint>();
    for (const { kind, id } of backtrace.frames(MOST_FRAMES)) if (kind === 'normal' && id.stack !== 0n && program.pointer(id.stack - 8n) !== undefined) slots.add(id.stack - 8n);
    return [...slots].map((address) => this.value(`*(void **) 0x${address.toString(16)}`, ({ around }) => new ProgramValue(around, pointerTo(VOID), { kind: 'memory', address })));
  }

  /** Frames, the innermost first. */
  backtrace(): readonly Frame[] & { toString(): string } {
    this.frames ??= listed(this.view.backtrace.frames(MOST_FRAMES).map((frame) => shownFrame(frame, this.view)));
    return this.frames;
  }

  /** Variables of the innermost frame: arguments, then locals. */
  variables(): Readonly<Record<string, Value>> {
    const expressions = this.view.expressions(0);
    const names = [...argumentsOf(expressions), ...localsOf(expressions)].filter(({ isHidden }) => !isHidden).map(({ name }) => name);
    return Object.fromEntries(names.map((name) => [name, this.value(name, (there) => there.evaluate(name))]));
  }

  /** All registers by name. */
  get registers(): Readonly<Record<string, bigint>> {
    const { program } = this.view;
    return Object.fromEntries(REGISTER_NAMES.flatMap((name) => {
      const value = program.register(name);
      return value === undefined ? [] : [[name, value]];
    }));
  }

  register(name: string): bigint {
    return this.view.program.register(name) ?? fail(`Invalid register \`${name}'`);
  }

  /** Bytes of memory. */
  memory(address: number | bigint, length: number): Uint8Array {
    return this.view.program.memory(BigInt(address), length)?.slice() ?? fail(`Cannot access memory at address 0x${address.toString(16)}`);
  }

  /** The thread that it is about, by its number in the system. */
  get threadId(): number {
    const { task } = this.found;
    return (task === undefined ? undefined : this.scene.tidOf(task)) ?? this.thread.tid;
  }

  get thread(): Thread {
    this.runs ??= this.view.thread;
    return this.runs;
  }

  /** Of a watchpoint: what was accessed. */
  get access(): Access | undefined {
    return this.found.access;
  }

  /**
   * What the next instruction does to memory, if it is atomic by itself: with a lock prefix, or an exchange. A compare
   * and exchange that will fail only reads.
   */
  get atomic(): Access | undefined {
    const { rip } = this.found;
    if (rip !== undefined && this.scene.notAtomic.has(rip)) return undefined;
    const { program } = this.view;
    const access = atomicAccess({ register: (name) => program.register(name) ?? 0n, memory: (address, length) => program.memory(address, length) });
    if (access === undefined && rip !== undefined) this.scene.notAtomic.add(rip);
    return access;
  }

  /** Of `syscalls`: the call that is about to be made. */
  get syscall(): SystemCallFacts | undefined {
    return this.found.syscall;
  }

  /** Of `signals`. */
  get signal(): SignalFacts | undefined {
    return this.found.signal;
  }

  /** Of `output`: what is about to be written. */
  get output(): OutputFacts | undefined {
    return this.found.output;
  }

  /** Where the thread is. */
  get source(): SourcePlace {
    this.place ??= this.findSource();
    return this.place;
  }

  /** The same thread one instruction later: of a write, when it has been done. */
  get after(): Snapshot {
    return new Snapshot(this.scene, at(this.time + 1), { task: this.found.task });
  }

  /** The state of another thread at the same time. */
  of(threadId: number): Snapshot {
    this.scene.playing.standAt(this.position);
    const thread = this.scene.playing.state.threads.find(({ tid }) => tid === threadId);
    if (thread === undefined) throw new UserError(`no thread ${threadId} at time ${this.time}`);
    return new Snapshot(this.scene, this.position, { task: thread.id });
  }

  toString(): string {
    const { access, syscall, signal, output } = this.found;
    if (syscall !== undefined) return `${syscall.name}(${syscall.args.slice(0, 3).map((arg) => `0x${arg.toString(16)}`).join(', ')}) = ${syscall.result ?? '?'}`;
    if (signal !== undefined) return `${signal.name} in ${this.source}`;
    if (output !== undefined) return `${output.fd}: ${JSON.stringify(output.text)}`;
    const done = access === undefined ? '' : `${access.by === 'kernel' ? 'the kernel writes' : access.kind === 'WRITE' ? 'write' : 'read'} ${access.length} @ 0x${access.address.toString(16)} `;
    return `${done}${access === undefined ? '' : 'in '}${this.source}`;
  }

  toJSON(): unknown {
    const { function: name, file, line } = this.source;
    const { access, signal } = this.found;
    return { time: this.time, thread: this.threadId, function: name, file, line, access, signal };
  }

  /** When, and in which thread. */
  get moment(): Moment {
    return { position: this.position, task: this.found.task };
  }

  private get view(): View {
    return this.scene.at({ position: this.position, task: this.found.task });
  }

  private once(key: string, make: () => Value, again: Reading): Value {
    const known = this.values?.get(key);
    if (known !== undefined) {
      this.habits?.wasWanted(this);
      return known;
    }
    this.habits?.asked(key, again);
    const value = make();
    // A script that asks for what is not there hears of it here, not when it is printed.
    void value.type;
    this.values ??= new Map();
    this.values.set(key, value);
    return value;
  }

  private value(expression: string, recipe: Recipe, frame = 0): Value {
    return new Value({ moment: this.moment, frame, expressions: () => this.view.expressions(frame) }, recipe, expression);
  }

  private findSource(): SourcePlace {
    const frame = this.view.backtrace.innermost;
    const { sources } = this.scene;
    const [file, line, path] = [frame?.fileName, frame?.line ?? 0, frame?.path];
    const text = path === undefined || line === 0 ? undefined : sources.lines(path)?.[line - 1]?.trim();
    const name = frame?.functionName;
    return { function: name, file, line, text, toString: () => visible(`${name ?? '??'}${line === 0 ? '' : ` at ${file}:${line}`}`) };
  }
}

function shownFrame(frame: VisibleFrame, view: View): Frame {
  const [name, file, line, pc] = [frame.functionName, frame.fileName, frame.line, Number(frame.pc)];
  const args = frame.scope === undefined ? '' : frameArgumentsText(view.expressions(frame.level));
  const place = line === 0 ? (frame.module === undefined || frame.module.isProgram ? '' : ` from ${frame.module.path}`) : ` at ${file}:${line}`;
  const text = frame.kind === 'signal' ? '<signal handler called>' : `${frame.isWithinLine ? `0x${pc.toString(16).padStart(16, '0')} in ` : ''}${name ?? '??'} (${args})${visible(place)}`;
  return { level: frame.level, function: name, file, line, pc, toString: () => text };
}

/** Printed, frames are a backtrace. */
function listed(frames: readonly Frame[]): readonly Frame[] {
  const text = (): string => frames.map((frame) => `#${String(frame.level).padEnd(3)}${frame}`).join('\n');
  return Object.defineProperty([...frames], 'toString', { value: text, enumerable: false });
}
