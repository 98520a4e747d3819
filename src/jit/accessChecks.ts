/**
 * How the code of a region makes sure that it may access memory: by a look at the page, for one access or for several
 * that share it (guards.ts, frameGuards.ts). What fails is interpreted.
 *
 * Where memory is watched, there are two ways. Usually the page must not be watched either, or at least not the
 * lines of 64 bytes, or at least none of the bytes that the check is for. If that fails again and again though the accesses themselves meet nothing watched, the region is
 * compiled anew and exactly: checks are for pages only, and every access looks at the bits of its own bytes.
 */
import { OP_BY_NAME } from '../ir/ops.js';
import { ENTRY_REACH } from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import { emitCheck, emitWatchfulCheck } from './memoryAccess.js';
import type { Region } from './region.js';
import { emitLinesTest, emitWatchTest, SLOW } from './watching.js';

/** Which accesses of a program can be watched. */
export type Watching = 'none' | 'writes' | 'accesses';

/** What regions have to know where memory is watched. */
export interface RegionWatching {
  readonly accesses: Exclude<Watching, 'none'>;
  /** Whether the checks of the instruction at `address` have often covered watched bytes in vain. */
  isNear(address: number): boolean;
}

/** Whether a check is for one access, or for several of which not all may be writes. */
export type Coverage = 'alone' | 'shared';

const INSN = OP_BY_NAME.get('insn')?.id;

/** Whether the region should look at the bits of every access. */
export function wantsExactWatching({ nodes }: Region, { isNear }: RegionWatching): boolean {
  return nodes.some(({ block }) => block.nodes.some((node) => node.op === INSN && isNear(node.imm)));
}

export class AccessChecks {
  private readonly accesses: Watching;
  private readonly exact: boolean;
  private scratch = -1;
  private rest = -1;
  private linear = -1;

  constructor(
    private readonly code: Code,
    region: Region,
    watching: RegionWatching | undefined,
    private readonly helper: (name: string) => number,
  ) {
    this.accesses = watching?.accesses ?? 'none';
    this.exact = watching !== undefined && wantsExactWatching(region, watching);
  }

  /** Leaves unless `bytes` from the address in an i64 local on can be accessed. `leaveIf` takes a condition from the stack. */
  span(address: number, bytes: number, write: boolean, coverage: Coverage, leaveIf: () => void): void {
    const { code } = this;
    if (this.exact || !this.isWatched(write)) {
      emitCheck(code, address, bytes, write);
      leaveIf();
      return;
    }
    const both = write && coverage === 'shared' && this.isWatched(false) ? SLOW.BOTH : 0;
    if (this.rest < 0) this.rest = code.local('i64', 'rest');
    emitWatchfulCheck(code, address, bytes, write, this.scratchLocal(), this.rest);
    code.hint(false).if_();
    emitLinesTest(code, address, bytes);
    code.get(this.rest).i64num(ENTRY_REACH).op('i64.ge_u').op('i32.or').hint(false).if_();
    code.get(address).i32(bytes).i32(SLOW.LOOK | both | (write ? SLOW.WRITE : 0)).call(this.helper('mem.slow')).op('i32.eqz');
    leaveIf();
    code.end();
    code.end();
  }

  /** For an access that a span has covered: leaves if it has to look at its own bytes and one is watched. */
  access(pushLinear: () => void, bytes: number, write: boolean, leaveIf: () => void): void {
    if (!this.exact || !this.isWatched(write)) return;
    if (this.linear < 0) this.linear = this.code.local('i32', 'linear');
    pushLinear();
    this.code.set(this.linear);
    emitWatchTest(this.code, this.linear, bytes, write, this.scratchLocal(), leaveIf);
  }

  private isWatched(write: boolean): boolean {
    return this.accesses === 'accesses' || (write && this.accesses === 'writes');
  }

  private scratchLocal(): number {
    if (this.scratch < 0) this.scratch = this.code.local('i32', 'scratch');
    return this.scratch;
  }
}
