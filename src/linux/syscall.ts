/** What a system call is to us. */
import type { Process } from './process.js';
import type { SyscallArgs } from './syscallArgs.js';
import type { Wait } from './waiting.js';

/** The value for rax; a Wait if the caller must wait for it; 'noreturn' if rax is not to be touched. */
export type SyscallResult = number | Wait | 'noreturn';

export type SyscallHandler = (process: Process, args: SyscallArgs) => SyscallResult;

/** Handlers by the name of their system call. */
export type SyscallFamily = Readonly<Record<string, SyscallHandler>>;
