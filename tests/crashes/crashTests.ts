/** The tests of one tier: a test file each, so that they run side by side. */
import { constants } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import type { EngineOptions } from '../../src/machine/engineOptions.js';
import { type Crash, withoutFlags } from './crash.js';
import { CRASH_CASES } from './crashCases.js';
import { crashInGuest } from './guestCrash.js';
import { Workshop } from './nativeCrash.js';

const COMPILING_MILLISECONDS = 120_000;

/** `cases`: those for which there is time; with CULPRIT_LONG=1 all. */
export function defineCrashTests(options: Partial<EngineOptions>, cases = CRASH_CASES): void {
  const chosen = process.env['CULPRIT_LONG'] === '1' ? CRASH_CASES : cases;
  const workshop = new Workshop();
  const coreModule = buildCoreModule();
  // V8 does not compile the same bytes again as long as a module of them is alive.
  const kept = new WebAssembly.Module(coreModule);

  beforeAll(() => workshop.compileAll(chosen), COMPILING_MILLISECONDS);
  afterAll(() => {
    void kept;
    workshop[Symbol.dispose]();
  });

  it.each(chosen)('$name', async ({ name, signal, undefinedFlags }) => {
    const compared = undefinedFlags === true ? withoutFlags : (crash: Crash) => crash;
    const native = workshop.crash(name);
    expect(native.signal).toBe(constants.signals[signal]);
    const ours = await crashInGuest(workshop.programPath(name), { ...options, coreModule });
    expect(compared(ours)).toEqual(compared(native));
  });
}
