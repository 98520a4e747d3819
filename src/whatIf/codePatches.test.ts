/** Code that does not fit where it belongs: what gives way for the jump to it. */
import { describe, expect, it } from 'vitest';
import { codeSteps } from '../x86/codeSteps.js';
import { CodePatches } from './codePatches.js';
import { SpareRoom } from './spareRoom.js';

const CODE = 0x1000;
const SPARE = 0x1800;
const ELSEWHERE = 0x1900;

/** Redirects the jump at `at`, and tells the patches by address. */
function redirected(code: readonly number[], at: number): ReadonlyMap<number, readonly number[]> {
  const bytes = Uint8Array.from({ length: 0x1000 }, (_, i) => code[i] ?? 0x90);
  const steps = codeSteps(bytes.subarray(0, code.length), CODE);
  const around = { name: 'f', stretches: [{ start: CODE, end: CODE + code.length }], steps, returnsValue: true, isOptimised: true, epilogue: undefined };
  const patches = new CodePatches((address, length) => bytes.subarray(address - CODE, address - CODE + length), new SpareRoom(SPARE, SPARE + 0x100));
  const step = steps.find(({ address }) => address === at);
  if (step === undefined) throw new Error('there is an instruction');
  patches.redirect(step, ELSEWHERE, step.address + step.length, around);
  return new Map(patches.patches.map(({ address, bytes: own }) => [address, [...own]]));
}

const [MOV, TEST, JE_OVER] = [[0xb8, 1, 0, 0, 0], [0x85, 0xc0], [0x74, 5]] as const;
const jump = (from: number, to: number): number[] => [0xe9, ...new Uint8Array(Int32Array.of(to - from - 5).buffer)];
const jumpIfZero = (from: number, to: number): number[] => [0x0f, 0x84, ...new Uint8Array(Int32Array.of(to - from - 6).buffer)];

describe('a short jump that is to go farther', () => {
  it('takes the place of what comes after it', () => {
    const patches = redirected([...TEST, ...JE_OVER, ...MOV, 0xc3], CODE + 2);
    expect(patches.get(CODE + 2)).toEqual([...jump(CODE + 2, SPARE), 0x90, 0x90]);
    expect(patches.get(SPARE)).toEqual([...jumpIfZero(SPARE, ELSEWHERE), ...MOV, ...jump(SPARE + 11, CODE + 9)]);
  });

  it('takes the place of what comes before it, if other jumps lead to what comes after', () => {
    // mov; test; je over; again: mov; over: dec ecx; jne again; ret
    const code = [...MOV, ...TEST, ...JE_OVER, ...MOV, 0xff, 0xc9, 0x75, 0xf7, 0xc3];
    const patches = redirected(code, CODE + 7);
    expect(patches.get(CODE)).toEqual([...jump(CODE, SPARE), 0x90, 0x90, 0x90, 0x90]);
    expect(patches.get(SPARE)).toEqual([...MOV, ...TEST, ...jumpIfZero(SPARE + 7, ELSEWHERE), ...jump(SPARE + 13, CODE + 9)]);
    expect([...patches.keys()]).toHaveLength(2);
  });

  // mov; here: je over; again: mov; over: dec ecx; jne again; jne here; ret
  const SURROUNDED = [...MOV, ...JE_OVER, ...MOV, 0xff, 0xc9, 0x75, 0xf7, 0x75, 0xf3, 0xc3];

  it('hops over the padding behind the function if jumps lead to it and to what comes after', () => {
    const end = CODE + SURROUNDED.length;
    const patches = redirected(SURROUNDED, CODE + 5);
    expect(patches.get(CODE + 5)).toEqual([0xeb, end - (CODE + 7)]);
    expect(patches.get(end)).toEqual(jump(end, SPARE));
    expect(patches.get(SPARE)).toEqual([...jumpIfZero(SPARE, ELSEWHERE), ...jump(SPARE + 6, CODE + 7)]);
  });

  it('moves others away for a hop if there is no padding', () => {
    const code = [...SURROUNDED.slice(0, -1), ...MOV, ...MOV, 0xc3, ...new Array<number>(16).fill(0xc3)];
    const patches = redirected(code, CODE + 5);
    const row = CODE + SURROUNDED.length - 1;
    expect(patches.get(CODE + 5)).toEqual([0xeb, row + 5 - (CODE + 7)]);
    expect(patches.get(row)).toEqual([...jump(row, SPARE + 16), ...jump(row + 5, SPARE)]);
    expect(patches.get(SPARE + 16)).toEqual([...MOV, ...MOV, ...jump(SPARE + 26, row + 10)]);
  });

  it('has no room if nothing can move', () => {
    const code = [...SURROUNDED, ...new Array<number>(13).fill(0xc3)];
    expect(() => redirected(code, CODE + 5)).toThrow('no room for a change at 0x1005');
  });
});
