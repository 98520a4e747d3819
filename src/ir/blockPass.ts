/**
 * A block pass rewrites blocks of IR after they have been translated and before they are executed: that is how an
 * analysis gets its own code into the program's. The translator applies a list of passes in order. A pass is a value:
 * two passes with the same key do the same.
 */
import type { Block } from './ir.js';

/** Where a block comes from. */
export interface PassSource {
  /** It is one instruction that is executed alone. */
  readonly isAlone: boolean;
  /**
   * The block after the passes before this one, but every instruction as it is alone: without what is known from those
   * before it.
   */
  apart(): Block;
}

export interface BlockPass {
  /**
   * Says all that the rewritten code depends on besides the address and the bytes of the program's code: code that one
   * process has made is used by others, also in later runs, where the keys are the same. Different passes have
   * different keys, and none is empty.
   */
  readonly key: string;
  /** It must not change the block it gets. */
  rewrite(block: Block, source: PassSource): Block;
  /**
   * What a block that begins at an address depends on besides, if that is not the same everywhere: code is used again
   * only where this is the same, too.
   */
  variantAt?(address: number): string;
  /** Whether what it makes of code in [start, next) depends on what only this process knows: others do not get it. */
  isOwn?(start: number, next: number): boolean;
}

/** Told of every block that a pass has rewritten, where blocks are to be verified; undefined elsewhere. */
type PassObserver = (pass: BlockPass, block: Block) => void;

let observer: PassObserver | undefined;

/**
 * From now on `observe` sees what each pass makes; no one does if it is undefined. It is for tests and for those who
 * look for mistakes of ours.
 */
export function observePasses(observe: PassObserver | undefined): void {
  observer = observe;
}

/** What the passes make of a block, one after the other. */
export function applyPasses(passes: readonly BlockPass[], block: Block, source: PassSource): Block {
  let rewritten = block;
  passes.forEach((pass, i) => {
    const apart = (): Block => applyPasses(passes.slice(0, i), source.apart(), source);
    rewritten = pass.rewrite(rewritten, { isAlone: source.isAlone, apart });
    observer?.(pass, rewritten);
  });
  return rewritten;
}

/** Begins keys of passes whose code means something in this process only. */
export const OF_THIS_PROCESS = '~';

/** Whether code with such a key is good for later runs. */
export function isLasting(key: string): boolean {
  return !key.includes(OF_THIS_PROCESS);
}

/** Says what code that went through the passes depends on; empty for the program's own code. */
export function keyOf(passes: readonly BlockPass[]): string {
  return passes.map(({ key }) => key).join('+');
}

/** What the passes' keys do not say of a block that begins at an address; empty if they say everything. */
export function variantAt(passes: readonly BlockPass[], address: number): string {
  const variants = passes.map((pass) => pass.variantAt?.(address) ?? '');
  return variants.every((variant) => variant === '') ? '' : variants.join('+');
}
