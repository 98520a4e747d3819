/**
 * What generated code asks those who have hooks (hooks.ts): whether they stand in for a function, what a pointer to a
 * variable is moved by, and that a function returns.
 */
import { type GuestAddr, guestAddr } from '../base/types.js';
import { SYS } from '../ir/sysCalls.js';
import { SCRATCH_X } from '../layout/cpuState.js';
import { GUEST_SPACE_SIZE } from '../layout/memoryMap.js';
import type { Cpu } from './cpu.js';
import type { HookHandler } from './hooks.js';
import { type Stop, VECTOR } from './stop.js';

export function isHookCall(number: number): boolean {
  return (number >= SYS.HOOK_CALL && number <= SYS.HOOK_MAKE) || number === SYS.HOOK_POINTER || number === SYS.HOOK_LEAVE;
}

export class HookCalls {
  handler: HookHandler | undefined;
  /** No handler need look here: it has been done. */
  looked: GuestAddr | undefined;

  constructor(
    private readonly cpu: Cpu,
    private readonly retired: () => number,
  ) {}

  /** Null if it is done. The hook itself is counted already. */
  call(number: number, at: number): Stop | null {
    const { handler } = this;
    switch (number) {
      case SYS.HOOK_POINTER:
        this.cpu.setNum(SCRATCH_X, (handler?.point?.(at, this.retired() - 1) ?? 0) * GUEST_SPACE_SIZE);
        return null;
      case SYS.HOOK_LEAVE:
        handler?.leave?.(at);
        return null;
      default:
        if ((number === SYS.HOOK_LOOK && at === this.looked) || this.isDone(number, at)) return null;
        return handler === undefined ? { kind: 'trap', vector: VECTOR.UD } : { kind: 'breakpoint', at: guestAddr(at) };
    }
  }

  private isDone(number: number, at: number): boolean {
    if (number === SYS.HOOK_LOOK) return this.handler?.look(at) === true;
    const instructions = this.retired() - 1;
    return (number === SYS.HOOK_CALL ? this.handler?.call(at, instructions) : this.handler?.make(at, instructions)) === true;
  }
}
