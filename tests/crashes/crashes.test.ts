/** Crashes are the native crashes: the same signal at the same instruction with the same registers. */
import { constants } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../src/machine/engine.js';
import { type Crash, withoutFlags } from './crash.js';
import { CRASH_CASES } from './crashCases.js';
import { crashInGuest } from './guestCrash.js';
import { Workshop } from './nativeCrash.js';

/** Low, so that also what runs a few times only is compiled. */
const SOON = 8;

const COMPILING_MILLISECONDS = 120_000;

const TIERS: readonly (readonly [string, Partial<EngineOptions>])[] = [
  ['interpreted', { noCompiler: true }],
  ['compiled', { hotThreshold: SOON }],
];

const workshop = new Workshop();
afterAll(() => workshop[Symbol.dispose]());

beforeAll(() => workshop.compileAll(CRASH_CASES), COMPILING_MILLISECONDS);

describe.each(TIERS)('%s', (_, options) => {
  const coreModule = buildCoreModule({ ...DEFAULT_ENGINE_OPTIONS, ...options });
  // V8 does not compile the same bytes again as long as a module of them is alive.
  const kept = new WebAssembly.Module(coreModule);
  afterAll(() => void kept);

  it.each(CRASH_CASES)('$name', async ({ name, signal, undefinedFlags }) => {
    const compared = undefinedFlags === true ? withoutFlags : (crash: Crash) => crash;
    const native = workshop.crash(name);
    expect(native.signal).toBe(constants.signals[signal]);
    const ours = await crashInGuest(workshop.programPath(name), { ...options, coreModule });
    expect(compared(ours)).toEqual(compared(native));
  });
});
