/** What is known of code that went through passes is for those who have the same passes, and for no others. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assert } from '../../base/assert.js';
import { guestAddr } from '../../base/types.js';
import type { BlockPass } from '../../ir/blockPass.js';
import { buildCoreModule } from '../../jit/coreModule.js';
import { GPR, RSP } from '../../layout/cpuState.js';
import { anonymousMapping, PROT } from '../addressSpace.js';
import { Engine } from '../engine.js';
import { type Instrumentation, PLAIN } from '../instrumentation.js';
import { newMachine } from '../machinePool.js';
import { looking, lookingPass } from '../testing/lookingPass.js';
import { CodeLibrary } from './codeLibrary.js';
import { KnownCode } from './knownCode.js';

const CODE = guestAddr(0x400000);
const STACK = guestAddr(0x500000);
/** mov ecx, 300; again: call f; add rax, [rsp-8]; dec ecx; jnz again; int3; f: inc rax; ret */
const PROGRAM = [0xb9, 0x2c, 1, 0, 0, 0xe8, 10, 0, 0, 0, 0x48, 0x03, 0x44, 0x24, 0xf8, 0xff, 0xc9, 0x75, 0xf2, 0xcc, 0x48, 0xff, 0xc0, 0xc3];
const coreModule = buildCoreModule();

interface Outcome {
  readonly result: unknown;
  readonly looks: number;
  readonly made: { readonly blocks: number; readonly regions: number };
}

/** Whether code is of one kind or another: not its bytes say so, nor the key. */
let kind = 'one';
const VARYING: BlockPass = { ...lookingPass(3, 'varying'), rewrite: (block, source) => lookingPass(kind === 'one' ? 3 : 4).rewrite(block, source), variantAt: () => kind };

const WANTED: Readonly<Record<string, (look: () => void) => Instrumentation>> = {
  plain: () => PLAIN,
  once: (look) => looking(look, lookingPass(1)),
  twice: (look) => looking(look, lookingPass(2)),
  both: (look) => ({ ...looking(look), passes: [lookingPass(1), lookingPass(2)] }),
  varying: (look) => looking(look, VARYING),
  other: (look) => looking(look, VARYING),
  shadow: () => ({ ...PLAIN, shadow: {} }),
};

function run(name: string, knownCode: KnownCode | undefined): Outcome {
  const { linear, cpu, space } = newMachine();
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.WRITE | PROT.EXEC }));
  space.map(anonymousMapping({ start: STACK, end: guestAddr(STACK + 8192), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from(PROGRAM));
  space.writeU8(STACK + 4088, 0);
  cpu.rip = CODE;
  cpu.setNum(RSP, STACK + 4096);
  const engine = new Engine(linear, cpu, space, { hotThreshold: 20, noCompiler: false, coreModule, knownCode });
  let looks = 0;
  kind = name === 'other' ? 'other' : 'one';
  engine.instrument((WANTED[name] as (look: () => void) => Instrumentation)(() => looks++));
  const stop = engine.run(1e9);
  const { blocks, regions } = engine.stats;
  return { result: { stop, instructions: engine.instructions, registers: GPR.map((slot) => cpu.big(slot)) }, looks, made: { blocks, regions } };
}

const NAMES = Object.keys(WANTED);
const alone = new Map(NAMES.map((name) => [name, run(name, undefined)]));

/** As the next run of the command finds it. */
function stored(known: KnownCode): KnownCode {
  const files = new Map([...known.libraries].map(([key, library]) => [key, library.encode()]));
  return new KnownCode((key) => {
    const bytes = files.get(key);
    if (bytes === undefined) return new CodeLibrary(key === '');
    const opened = CodeLibrary.open(key === '', bytes);
    assert(opened !== undefined, 'it is what was stored');
    return opened;
  });
}

describe('code that went through passes', () => {
  it('is what the passes make of it', () => {
    expect(NAMES.map((name) => alone.get(name)?.looks)).toEqual([0, 1, 2, 3, 3, 4, 0].map((times) => times * (2 + 300 * 6)));
    for (const name of NAMES) expect(alone.get(name)?.result).toEqual(alone.get('plain')?.result);
  });

  it('is found again by those with the same passes', () => {
    const known = new KnownCode();
    for (const name of NAMES) run(name, known);
    for (const name of NAMES) expect(run(name, stored(known)).made, name).toEqual({ blocks: 0, regions: 0 });
  });

  it('is never that of others, who ran before or at the same time', () => {
    const step = fc.record({ name: fc.constantFrom(...NAMES), isLater: fc.boolean() });
    fc.assert(fc.property(fc.array(step, { minLength: 2, maxLength: 6 }), (steps) => {
      let known = new KnownCode();
      for (const { name, isLater } of steps) {
        if (isLater) known = stored(known);
        const { result, looks } = run(name, known);
        expect({ result, looks }).toEqual({ result: alone.get(name)?.result, looks: alone.get(name)?.looks });
      }
    }), { numRuns: 8 });
  });
});
