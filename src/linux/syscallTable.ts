/**
 * All system calls by number, with what answers them. Families (syscalls/) contribute handlers by
 * name; a call that no family handles is in the table too, as unsupported.
 */
import { assert } from '../base/assert.js';
import { E } from '../base/errno.js';
import { RAX } from '../layout/cpuState.js';
import { orFault } from './badAddress.js';
import type { Process } from './process.js';
import type { SyscallFamily, SyscallHandler, SyscallResult } from './syscall.js';
import { SYSCALL_NAMES } from '../base/syscallNames.js';

export interface SyscallEntry {
  readonly number: number;
  readonly name: string;
  readonly handler: SyscallHandler | 'unsupported';
}

export function buildSyscallTable(families: readonly SyscallFamily[]): readonly (SyscallEntry | undefined)[] {
  const handlers = new Map<string, SyscallHandler>();
  for (const family of families) {
    for (const [name, handler] of Object.entries(family)) {
      assert(!handlers.has(name), `system call ${name} has one handler`);
      handlers.set(name, handler);
    }
  }
  const table = SYSCALL_NAMES.map((name, number): SyscallEntry | undefined => {
    if (name === undefined) return undefined;
    const handler = handlers.get(name) ?? 'unsupported';
    handlers.delete(name);
    return { number, name, handler };
  });
  assert(handlers.size === 0, `no such system call: ${[...handlers.keys()].join(', ')}`);
  return table;
}

/** Runs the system call that a process's registers ask for. */
export class SyscallDispatcher {
  private readonly reported = new Set<number>();

  constructor(private readonly table: readonly (SyscallEntry | undefined)[]) {}

  /** Never throws for the guest's mistakes. */
  dispatch(process: Process): SyscallResult {
    const number = process.cpu.lo(RAX);
    const entry = this.table[number];
    if (entry === undefined || entry.handler === 'unsupported') return this.unsupported(process, number, entry);
    const { handler } = entry;
    return orFault(() => handler(process, process.machine.args));
  }

  private unsupported(process: Process, number: number, entry: SyscallEntry | undefined): number {
    const text = entry === undefined ? String(number) : `${number} (${entry.name})`;
    // Numbers without a name Linux does not have either.
    if (entry !== undefined) process.world.shortcomings.note(process, { kind: 'call', text });
    if (process.verbose && !this.reported.has(number)) {
      this.reported.add(number);
      process.host.notify(`culprit: system call ${text} is not supported`);
    }
    return -E.NOSYS;
  }
}
