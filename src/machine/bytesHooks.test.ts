/** Hooks that look at the bytes a function is given: generated code against the definition. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guestAddr, pageFloor } from '../base/types.js';
import { LOOK } from '../ir/lookFlags.js';
import { RDI, RDX, RSI } from '../layout/cpuState.js';
import { GUEST_SPACE_SIZE, VIEW_ADDRESSES } from '../layout/memoryMap.js';
import { BYTES_HOOKS, type BytesHook, hookCode } from '../x86/hooks.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { NO_HOOKS, PLAIN } from './instrumentation.js';
import type { UnwrittenBytes } from './shadow/unwrittenBytes.js';
import { LinearMemory } from './linearMemory.js';
import { LOCAL_TAGS, VIEW_TAGS } from '../layout/viewAddresses.js';
import type { View } from './views.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x600000);
const DATA_SIZE = 0x4000;
const INT3 = 0xcc;
/** Of different lengths; one over several pages, one on a stack. */
const VIEWS: readonly View[] = [[VIEW_TAGS.first, 0x10, 100], [VIEW_TAGS.first + 5, 0x100, 1], [VIEW_TAGS.first + VIEW_TAGS.count - 1, 0x800, 0x2800], [LOCAL_TAGS.first + 7, 0x3100, 64]]
  .map(([tag, offset, size]) => ({ begin: tag! * GUEST_SPACE_SIZE + DATA + offset!, size: size!, real: DATA + offset! }));

function machine(kind: BytesHook, noCompiler: boolean) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.EXEC }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + DATA_SIZE), prot: PROT.READ | PROT.WRITE }));
  for (const view of VIEWS) {
    space.addView(view);
    // As if every page had been accessed: generated code knows of no others.
    for (let at = view.begin; at < view.begin + view.size; at += 256) space.resolve(at, 1, 'read');
  }
  space.poke(CODE, Uint8Array.from([...hookCode(kind), INT3]));
  const cpu = new Cpu(linear);
  const engine = new Engine(linear, cpu, space, { hotThreshold: 1, noCompiler });
  let looks = 0;
  const handler = { call: () => false, make: () => false, look: () => ++looks > 0 };
  engine.instrument({ ...PLAIN, hooks: { ...NO_HOOKS, handler }, shadow: {} });
  const unwritten = space.unwritten as UnwrittenBytes;
  unwritten.remove(DATA, DATA_SIZE);
  const isPassed = (first: number, second: number, bytes: number): boolean => {
    looks = 0;
    cpu.rip = CODE;
    cpu.setNum(RDI, first);
    cpu.setNum(RSI, second);
    cpu.setNum(RDX, bytes);
    expect(engine.run(1000)).toMatchObject({ kind: 'trap', vector: 3 });
    return looks === 0;
  };
  return { space, engine, unwritten, isPassed };
}

/** The end is another page's if that begins there. */
function contains({ begin, size }: View, at: number, bytes: number): boolean {
  return at >= begin && at + bytes <= begin + size && pageFloor(at) <= begin + size - 1;
}

const address = fc.oneof(
  fc.constantFrom(...VIEWS).chain((view) => fc.integer({ min: -3, max: Math.min(view.size, 70) + 3 }).map((offset) => view.begin + offset)),
  fc.constantFrom(...VIEWS).chain((view) => fc.integer({ min: -70, max: 3 }).map((offset) => view.begin + view.size + offset)),
  fc.integer({ min: 0, max: DATA_SIZE }).map((offset) => DATA + offset),
  fc.constantFrom(0, 4095, 4096, VIEW_ADDRESSES.begin - 1, VIEW_ADDRESSES.begin, VIEW_ADDRESSES.end, 2 ** 47 - 1, 2 ** 47),
);
const length = fc.oneof(fc.integer({ min: 0, max: 130 }), fc.constantFrom(0x2800, 0x27ff, (1 << 20) - 1, 1 << 20, 2 ** 40));
const offsets = fc.array(fc.integer({ min: 0, max: DATA_SIZE - 1 }), { maxLength: 4 });

describe.each([['interpreted', true], ['compiled', false]] as const)('bytes, %s', (_tier, noCompiler) => {
  it.each(Object.keys(BYTES_HOOKS) as BytesHook[])('%s', (kind) => {
    const flags = BYTES_HOOKS[kind];
    const { unwritten, isPassed } = machine(kind, noCompiler);
    fc.assert(fc.property(address, address, length, offsets, (first, second, bytes, holes) => {
      for (const hole of holes) unwritten.add(DATA + hole, 1);
      const isInBlock = (at: number): boolean => (at < VIEW_ADDRESSES.begin || at >= VIEW_ADDRESSES.end ? at >= 4096 && at < 2 ** 47 : VIEWS.some((view) => contains(view, at, bytes)));
      const isWritten = (at: number): boolean => !holes.some((hole) => { const linear = at % GUEST_SPACE_SIZE; return linear <= DATA + hole && DATA + hole < linear + bytes; });
      const isApart = first === second || first >= second + bytes || second >= first + bytes;
      const expected = bytes < 1 << 20 && isInBlock(first) && ((flags & LOOK.SECOND) === 0 || isInBlock(second)) && ((flags & LOOK.APART) === 0 || isApart)
        && ((flags & LOOK.FIRST_WRITTEN) === 0 || isWritten(first)) && ((flags & LOOK.SECOND_WRITTEN) === 0 || isWritten(second));
      expect(isPassed(first, second, bytes)).toBe(expected);
      unwritten.remove(DATA, DATA_SIZE);
    }), { numRuns: 1500 });
  });

  it('views that are gone do not count, nor does plain memory where there may be global variables', () => {
    const { space, engine, isPassed } = machine('fill', noCompiler);
    const [view] = VIEWS as [View];
    expect([isPassed(view.begin, 0, 100), isPassed(DATA + 0x3000, 0, 100)]).toEqual([true, true]);
    space.removeView(view.begin);
    engine.instrument({ ...engine.instrumentation, variables: { returns: new Set(), bounds: new Map(), globals: [{ address: 0, size: 1 }] } });
    expect([isPassed(view.begin, 0, 100), isPassed(DATA + 0x3000, 0, 100)]).toEqual([false, false]);
  });
});
