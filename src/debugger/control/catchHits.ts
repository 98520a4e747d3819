/** Catchpoints as something that a run stops at: system calls, signals, new processes and programs, C++ exceptions. */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Condition, Hit } from '../../replay/timeline/conditions.js';
import type { State } from '../../replay/timeline/state.js';
import { Backtrace } from '../program/backtrace.js';
import type { ProgramView } from '../program/programView.js';
import type { Catchpoint } from './breakpoints.js';
import { holds } from './holds.js';
import type { Interest } from './running.js';
import { behind } from './standing.js';
import type { CaughtEvent, Stop } from './stops.js';
import type { WatchContext } from './watchHits.js';

const SYSCALL = { clone: 56, fork: 57, vfork: 58, execve: 59, execveat: 322, clone3: 435 } as const;
const CLONE = { VFORK: 0x4000n, THREAD: 0x1_0000n } as const;
const LONGEST_PATH = 4096;
/** Probes of libstdc++, and the functions that have them. */
const EXCEPTIONS = { throw: '__cxa_throw', catch: '__cxa_begin_catch', rethrow: '__cxa_rethrow' } as const;

export class CatchHits implements Interest<Stop> {
  readonly conditions: readonly Condition[];
  private readonly addresses: ReadonlySet<GuestAddr>;
  private event: CaughtEvent | undefined;

  constructor(
    private readonly context: WatchContext,
    private readonly point: Catchpoint,
    /** All that is loaded at some time, for exceptions. */
    views: readonly ProgramView[],
  ) {
    const { caught } = point;
    const isException = caught.what === 'throw' || caught.what === 'catch' || caught.what === 'rethrow';
    this.addresses = isException ? exceptionAddresses(caught.what, views) : new Set();
    this.conditions = [conditionFor(point, this.addresses)];
  }

  accepts(hit: Hit, state: State): boolean {
    const { point } = this;
    if (point.thread !== undefined && point.thread !== hit.task) return false;
    const event = this.eventOf(hit, state);
    if (event === undefined || !this.isMet(hit, state)) return false;
    this.event = event;
    return true;
  }

  async stop(hit: Hit): Promise<Stop | undefined> {
    const { execution, work, direction, table } = this.context;
    const { point } = this;
    let { event } = this;
    if (event === undefined) return undefined;
    if (direction === 'forward' && hit.syscall !== undefined) {
      // Where gdb stands then: the instruction is done, and of a call the kernel has done nothing yet.
      await execution.seek(behind(hit, event.kind === 'syscall' ? 'behind instructions' : 'behind events'), work);
      event = this.completed(event, hit);
      if (event === undefined) return undefined;
    }
    point.hits++;
    if (point.ignore > 0) {
      point.ignore--;
      return undefined;
    }
    if (point.temporary) table.delete(point.number);
    return { kind: 'catchpoint', thread: hit.task, number: point.number, event };
  }

  /** What is known when the call has been made; undefined if it has failed. */
  private completed(event: CaughtEvent, hit: Hit): CaughtEvent | undefined {
    const { execution, viewAt } = this.context;
    const view = viewAt(execution.state, hit.task);
    if (event.kind === 'exec') return view?.pc === BigInt(hit.rip) ? undefined : event;
    if (event.kind !== 'fork' && event.kind !== 'vfork') return event;
    const child = execution.state.threads.at(-1);
    return { ...event, pid: child?.pid ?? 0 };
  }

  private eventOf(hit: Hit, state: State): CaughtEvent | undefined {
    const { caught } = this.point;
    const { kind } = hit;
    switch (caught.what) {
      case 'signal': return kind === 'signal' && hit.signal !== undefined && isAmong(caught.numbers, hit.signal) ? { kind: 'signal', signal: hit.signal } : undefined;
      case 'syscall': return kind === 'syscall' && hit.syscall !== undefined && isAmong(caught.numbers, hit.syscall) ? { kind: 'syscall', number: hit.syscall, phase: 'call' } : undefined;
      case 'fork': case 'vfork': return kind === 'syscall' && this.forkKind(hit, state) === caught.what ? { kind: caught.what, pid: 0 } : undefined;
      case 'exec': {
        if (kind !== 'syscall' || (hit.syscall !== SYSCALL.execve && hit.syscall !== SYSCALL.execveat)) return undefined;
        return { kind: 'exec', program: this.pathAt(hit, state, hit.syscall === SYSCALL.execve ? 'rdi' : 'rsi') };
      }
      case 'throw': case 'catch': case 'rethrow': return kind === 'address' && this.addresses.has(hit.rip) ? { kind: caught.what } : undefined;
    }
  }

  private forkKind(hit: Hit, state: State): 'fork' | 'vfork' | undefined {
    if (hit.syscall === SYSCALL.fork) return 'fork';
    if (hit.syscall === SYSCALL.vfork) return 'vfork';
    const view = this.context.viewAt(state, hit.task);
    const argument = view?.register('rdi') ?? 0n;
    if (hit.syscall !== SYSCALL.clone && hit.syscall !== SYSCALL.clone3) return undefined;
    const flags = hit.syscall === SYSCALL.clone ? argument : (view?.pointer(argument) ?? 0n);
    if ((flags & CLONE.THREAD) !== 0n) return undefined;
    return (flags & CLONE.VFORK) !== 0n ? 'vfork' : 'fork';
  }

  private pathAt(hit: Hit, state: State, register: string): string {
    const address = Number(state.register(hit.task, register) ?? 0n);
    const bytes: number[] = [];
    for (let i = 0; i < LONGEST_PATH; i++) {
      const byte = state.read(hit.task, guestAddr(address + i), 1)?.[0] ?? 0;
      if (byte === 0) break;
      bytes.push(byte);
    }
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }

  private isMet(hit: Hit, state: State): boolean {
    const { condition } = this.point;
    const view = condition === undefined ? undefined : this.context.viewAt(state, hit.task);
    return view === undefined || holds(condition, this.context.evaluator, view, () => new Backtrace(view).innermost);
  }
}

function isAmong(numbers: readonly number[], number: number): boolean {
  return numbers.length === 0 || numbers.includes(number);
}

function conditionFor({ caught }: Catchpoint, addresses: ReadonlySet<GuestAddr>): Condition {
  switch (caught.what) {
    case 'signal': return caught.numbers.length === 0 ? { kind: 'signal' } : { kind: 'signal', signals: caught.numbers };
    case 'syscall': return caught.numbers.length === 0 ? { kind: 'syscall' } : { kind: 'syscall', numbers: caught.numbers };
    case 'fork': case 'vfork': return { kind: 'syscall', numbers: [SYSCALL.fork, SYSCALL.vfork, SYSCALL.clone, SYSCALL.clone3] };
    case 'exec': return { kind: 'syscall', numbers: [SYSCALL.execve, SYSCALL.execveat] };
    case 'throw': case 'catch': case 'rethrow': return { kind: 'address', addresses: [...addresses] };
  }
}

/** gdb's choice: the probe, or else the function. */
function exceptionAddresses(what: keyof typeof EXCEPTIONS, views: readonly ProgramView[]): Set<GuestAddr> {
  const found = new Set<GuestAddr>();
  for (const view of views) {
    const probes = view.modules.all.flatMap(({ file, bias }) => {
      const own = file.probes.filter(({ provider, name }) => provider === 'libstdcxx' && name === what);
      return own.map(({ address }) => guestAddr(address + Number(bias)));
    });
    for (const address of probes) found.add(address);
    if (probes.length > 0) continue;
    for (const { address } of view.symbols.named(EXCEPTIONS[what])) found.add(guestAddr(Number(address)));
  }
  return found;
}
