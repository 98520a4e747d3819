/** What a system call is to us. */
import type { Process } from './process.js';
import type { SyscallArgs } from './syscallArgs.js';

/** The value for rax; a promise of it if the caller must wait; 'noreturn' if rax is not to be touched. */
export type SyscallResult = number | Promise<number> | 'noreturn';

export type SyscallHandler = (process: Process, args: SyscallArgs) => SyscallResult;

/** Handlers by the name of their system call. */
export type SyscallFamily = Readonly<Record<string, SyscallHandler>>;

