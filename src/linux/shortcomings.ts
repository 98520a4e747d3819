/**
 * What a program asked for that natively it would have got, and that we could not give: memory beyond our address
 * spaces, a system call or an instruction that we lack. It is said in one line, once for each kind, and only where it
 * mattered: if the program then fails, soon after. Programs try things, and get along without; those that work are not
 * to hear of it.
 */
import type { ExitStatus, Process } from './process.js';
import { sanitizerIn } from './sanitizers.js';
import { SIG } from '../base/signalNumbers.js';

type Shortcoming =
  | { readonly kind: 'memory'; readonly bytes: number }
  | { readonly kind: 'call'; readonly text: string }
  | { readonly kind: 'instruction'; readonly text: string };

type Kind = Shortcoming['kind'] | 'sanitizer';

interface Noted {
  readonly what: Shortcoming;
  /** How many system calls the process had made. */
  readonly at: number;
}

/** A program that fails for it makes no more calls than it takes to say so. */
const SOON = 50;
const MEBIBYTE = 2 ** 20;
/** What a program does to itself, or has done to it by a fault. */
const OWN_ENDS: readonly number[] = [SIG.ILL, SIG.TRAP, SIG.ABRT, SIG.BUS, SIG.FPE, SIG.SEGV, SIG.SYS];

/** Which limit gives which line, and what is to be done. */
const LINES = {
  memory: ({ bytes }: { readonly bytes: number }) =>
    `it was refused ${Math.ceil(bytes / MEBIBYTE).toLocaleString('en')} MiB of memory: a program has at most 2 GiB here. Make it use less (smaller input, fewer threads, java -Xmx)`,
  call: ({ text }: { readonly text: string }) =>
    `system call ${text} is not supported, and it failed soon after. If it has a setting to do without, use that`,
  instruction: ({ text }: { readonly text: string }) =>
    `${text}. Culprit has x86-64-v2, without AVX: use a build for that (-march=x86-64-v2)`,
  sanitizer: ({ name, flag }: { readonly name: string; readonly flag: string }) =>
    `it is built with ${name}, whose shadow memory does not fit into the 2 GiB that a program has here. Build it without ${flag}; culprit check finds such bugs by itself`,
} as const;

export class Shortcomings {
  private readonly said = new Set<Kind>();
  private readonly noted = new WeakMap<Process, Map<Shortcoming['kind'], Noted>>();

  /** The process is given less than it would have natively. The last one of each kind counts. */
  note(process: Process, what: Shortcoming): void {
    const known = this.noted.get(process) ?? new Map<Shortcoming['kind'], Noted>();
    known.set(what.kind, { what, at: process.systemCalls });
    this.noted.set(process, known);
  }

  /** Its memory is still there. */
  processEnded(process: Process, status: ExitStatus): void {
    if (!hasFailed(status)) return;
    // Reading symbols takes a while, and many programs exit with 1 for other reasons.
    const sanitizer = sanitizerIn(process, status.kind === 'signaled' || this.noted.get(process)?.has('memory') === true);
    if (sanitizer !== undefined) {
      this.say(process, 'sanitizer', LINES.sanitizer(sanitizer));
      return;
    }
    for (const { what, at } of this.noted.get(process)?.values() ?? []) {
      if (process.systemCalls - at <= SOON && isOf(what, status)) this.say(process, what.kind, lineFor(what));
    }
  }

  private say(process: Process, kind: Kind, line: string): void {
    if (this.said.has(kind)) return;
    this.said.add(kind);
    process.host.notify(`culprit: ${kind === 'instruction' ? '' : `${process.name}: `}${line}`);
  }
}

function lineFor(what: Shortcoming): string {
  switch (what.kind) {
    case 'memory':
      return LINES.memory(what);
    case 'call':
      return LINES.call(what);
    case 'instruction':
      return LINES.instruction(what);
  }
}

/** What ends otherwise than by SIGILL has not failed for an instruction. */
function isOf(what: Shortcoming, status: ExitStatus): boolean {
  return what.kind !== 'instruction' || (status.kind === 'signaled' && status.signal === SIG.ILL);
}

function hasFailed(status: ExitStatus): boolean {
  return status.kind === 'exited' ? status.code !== 0 : OWN_ENDS.includes(status.signal);
}
