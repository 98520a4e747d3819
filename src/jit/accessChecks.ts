/**
 * How the code of a region makes sure that it may access memory: by a look at the page, for one access or for several
 * that share it (guards.ts, frameGuards.ts). What fails is interpreted.
 *
 * Pages with watched bytes are closed for this look. A region that often fails because of them is compiled anew, and
 * looks whether the lines of 64 bytes are watched; if that, too, fails again and again though the accesses themselves
 * meet nothing watched, once more: then checks are for pages only, and every access looks at the bits of its own bytes.
 */
import type { Code } from '../wasm/code.js';
import { READ_TABLE, WRITE_TABLE } from '../layout/memoryMap.js';
import { emitCheck, emitRealCheck, emitViewCheck } from './memoryAccess.js';
import { emitLinesTest, emitWatchTest } from './watching.js';

/**
 * What code does if the page is closed: leave; look whether the address is that of a view (machine/views.ts), if loose
 * roughly; or, because the page is watched, look at the lines, or at the bits of every access.
 */
export type Watchfulness = 'pages' | 'views' | 'loose views' | 'lines' | 'bytes';

export class AccessChecks {
  private scratch = -1;
  private linear = -1;

  constructor(
    private readonly code: Code,
    private readonly watchfulness: Watchfulness,
  ) {}

  /**
   * Leaves unless `bytes` from the address in an i64 local on can be accessed. `leaveIf` takes a condition from the
   * stack.
   */
  span(address: number, bytes: number, write: boolean, leaveIf: () => void): void {
    const { code, watchfulness } = this;
    if (watchfulness === 'bytes') emitRealCheck(code, address, bytes, write);
    else emitCheck(code, address, bytes, write);
    if (watchfulness === 'views' || watchfulness === 'loose views') return this.view(address, bytes, write, leaveIf);
    if (watchfulness !== 'lines') return leaveIf();
    code.hint(false).if_();
    emitLinesTest(code, address, bytes);
    emitRealCheck(code, address, bytes, write);
    code.op('i32.or');
    leaveIf();
    code.end();
  }

  /** The page did not allow it. */
  private view(address: number, bytes: number, write: boolean, leaveIf: () => void): void {
    const { code } = this;
    if (this.scratch < 0) this.scratch = code.local('i32', 'scratch');
    code.if_();
    emitViewCheck(code, address, () => code.i64num(bytes), () => code.i32(write ? WRITE_TABLE : READ_TABLE), this.scratch, this.watchfulness === 'loose views' && !write);
    leaveIf();
    code.end();
  }

  /** For an access that a span has covered: leaves if it has to look at its own bytes and one is watched. */
  access(pushLinear: () => void, bytes: number, write: boolean, leaveIf: () => void): void {
    const { code } = this;
    if (this.watchfulness !== 'bytes') return;
    if (this.scratch < 0) this.scratch = code.local('i32', 'scratch');
    if (this.linear < 0) this.linear = code.local('i32', 'linear');
    pushLinear();
    code.set(this.linear);
    emitWatchTest(code, this.linear, bytes, write, this.scratch, leaveIf);
  }
}
