/**
 * Who stands in for functions of the program at whose beginning there is a hook (x86/hooks.ts). It is asked in the
 * middle of generated code, which goes on at once; so it may change rax, rcx and views, but nothing else; or the
 * pointer to a local variable, where the address of one is taken. What it cannot do so, it refuses: then the engine
 * stops in front of the hook, and the handler has all the time in the world.
 */
import { RAX, RCX } from '../layout/cpuState.js';
import type { AddressSpace } from './addressSpace.js';
import type { Cpu } from './cpu.js';
import type { View } from './views.js';

/** What a function has done: everything that there is to do again. */
export interface HookAnswer {
  readonly result: number;
  /** Where the view begins that is there no more. */
  readonly hidden: number | undefined;
  readonly shown: View | undefined;
  /** Bytes that the program is to clear or to copy: for what `make` does. */
  readonly count?: number | undefined;
}

export interface HookHandler {
  /**
   * The program has called the function at an address, after `instructions` of the engine's. False: it is refused, and
   * nothing has been done.
   */
  call(at: number, instructions: number): boolean;
  /** The same for what functions begin or end with. */
  make(at: number, instructions: number): boolean;
  /** Whether the call of a function can go on without anybody looking at it more closely. */
  look(at: number): boolean;
  /**
   * The program makes a pointer to a variable of the function that it is in: what its upper part (above bit 31) grows
   * by.
   */
  point?(at: number, instructions: number): number;
  /** A function with such variables is about to return. */
  leave?(at: number): void;
}

export function giveAnswer(space: AddressSpace, cpu: Cpu, answer: HookAnswer): void {
  showAndHide(space, answer);
  cpu.setNum(RAX, answer.result);
  if (answer.count !== undefined) cpu.setNum(RCX, answer.count);
}

export function showAndHide(space: AddressSpace, { hidden, shown }: HookAnswer): void {
  if (hidden !== undefined) space.removeView(hidden);
  if (shown !== undefined) space.addView(shown);
}
