/** A thread's alternate signal stack (sigaltstack). */
import { E } from '../../base/errno.js';

export const SS = { ONSTACK: 1, DISABLE: 2, AUTODISARM: 0x8000_0000 } as const;
const MINSIGSTKSZ = 2048;

/** stack_t. */
export interface StackT {
  readonly base: number;
  /** Unsigned 32 bits. */
  readonly flags: number;
  readonly size: number;
}

export const STACK_T_SIZE = 24;

export class AltStack {
  /** As sigaltstack set it; flags are 0 before the first call. */
  current: StackT = { base: 0, flags: 0, size: 0 };

  /** Whether a stack pointer is on the alternate stack, as far as that protects it from change and re-use. */
  isActive(sp: number): boolean {
    return (this.current.flags & SS.AUTODISARM) === 0 && this.covers(sp);
  }

  covers(sp: number): boolean {
    return sp > this.current.base && sp - this.current.base <= this.current.size;
  }

  /** SS_DISABLE, SS_ONSTACK or 0. */
  state(sp: number): number {
    if (this.current.size === 0) return SS.DISABLE;
    return this.isActive(sp) ? SS.ONSTACK : 0;
  }

  /** What sigaltstack reports to a caller whose stack pointer is `sp`. */
  report(sp: number): StackT {
    return { ...this.current, flags: (this.state(sp) | (this.current.flags & SS.AUTODISARM)) >>> 0 };
  }

  /** 0 or a negated error number. */
  change(next: StackT, sp: number): number {
    if (this.isActive(sp)) return -E.PERM;
    const mode = (next.flags & ~SS.AUTODISARM) >>> 0;
    if (mode !== SS.DISABLE && mode !== SS.ONSTACK && mode !== 0) return -E.INVAL;
    const { base, size, flags } = this.current;
    if (next.base === base && next.size === size && next.flags === flags) return 0;
    if (mode === SS.DISABLE) this.current = { base: 0, flags: next.flags, size: 0 };
    else if (next.size < MINSIGSTKSZ) return -E.NOMEM;
    else this.current = next;
    return 0;
  }

  reset(): void {
    this.current = { base: 0, flags: SS.DISABLE, size: 0 };
  }

  /** A handler starts: SS_AUTODISARM takes the stack away until sigreturn puts it back. */
  handlerStarts(): void {
    if ((this.current.flags & SS.AUTODISARM) !== 0) this.reset();
  }
}
