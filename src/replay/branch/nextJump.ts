/**
 * The next conditional jump that a thread comes to, as far as its code says: through instructions that lead to the next
 * one, direct jumps and direct calls. So one search leads there, instead of many single steps.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { type CodeStep, codeSteps } from '../../x86/codeSteps.js';

/** Bytes that are decoded at once. */
const STRETCH = 256;
const LONGEST_INSTRUCTION = 15;
/** Code may go round in circles. */
const MOST_STEPS = 10_000;

/** The first instruction from `start` on that leads to no certain place; undefined if it cannot be found. */
export function nextUncertain(start: number, read: (address: GuestAddr, length: number) => Uint8Array | null): CodeStep | undefined {
  let at = start;
  for (let count = 0; count < MOST_STEPS; ) {
    const code = read(guestAddr(at), STRETCH) ?? read(guestAddr(at), LONGEST_INSTRUCTION);
    const steps = code === null ? [] : codeSteps(code, at);
    if (steps.length === 0) return undefined;
    for (const step of steps) {
      count++;
      at = step.address + step.length;
      if (step.flow === 'next') continue;
      if ((step.flow !== 'jump' && step.flow !== 'call') || step.target === undefined) return step;
      at = step.target;
      break;
    }
  }
  return undefined;
}
