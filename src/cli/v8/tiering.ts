/**
 * V8's patience. A WebAssembly module gets its budget (roughly: bytes of code executed before a function
 * is optimised) when it is compiled. bin/culprit starts with a large one, for the decoder: optimising
 * that takes longer than most programs decode. The interpreter gets a smaller one, so that a guest that
 * is over in a moment does not pay for it; what is compiled for hot guest code is worth it soon.
 */
import { setFlagsFromString } from 'node:v8';

type Patience = 'interpreter' | 'guest code';

const BUDGETS: Readonly<Record<Patience, number>> = { interpreter: 20_000_000, 'guest code': 1_800_000 };

/** V8 complains about flags that it does not know, and Node 21 and later do not have this one. */
const HAS_INTERRUPT_BUDGET = Number.parseInt(process.versions.node, 10) < 21;

type Flag = '--wasm-tiering-budget' | '--interrupt-budget';

/** As bin/cachedScript.cjs sets them. */
const AT_START: Readonly<Record<Flag, number>> = { '--wasm-tiering-budget': 1_000_000_000, '--interrupt-budget': 300_000 };
const current: Record<Flag, number> = { ...AT_START };

/** For modules that are compiled from now on. */
export function setPatience(kind: Patience): void {
  setFlag('--wasm-tiering-budget', BUDGETS[kind]);
}

/**
 * With the flags that a run of a program ends with, whatever else we have been doing: V8 reads nothing that was written
 * with others.
 */
export function withCommonFlags<T>(work: () => T): T {
  const own = { ...current };
  setFlag('--wasm-tiering-budget', BUDGETS['guest code']);
  setFlag('--interrupt-budget', AT_START['--interrupt-budget']);
  try {
    return work();
  } finally {
    for (const [flag, value] of Object.entries(own)) setFlag(flag as Flag, value);
  }
}

/**
 * For JavaScript, from now on. bin/culprit makes V8 optimise it late, because most of ours runs for a moment and not
 * again; what a script does with every item of a trace is done thousands of times.
 */
export function expectLongScripts(): void {
  setFlag('--interrupt-budget', 40_000);
}

/** A code cache is made without any: it is taken only if the flags are the same (bin/cachedScript.cjs). */
function setFlag(flag: Flag, value: number): void {
  if (flag === '--interrupt-budget' && !HAS_INTERRUPT_BUDGET) return;
  current[flag] = value;
  if (process.env['CULPRIT_RECORD_CODE_CACHE'] === undefined) setFlagsFromString(`${flag}=${value}`);
}
