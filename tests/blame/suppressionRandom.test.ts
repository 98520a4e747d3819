/**
 * Random programs without bugs, random points: nothing crashes that did not before, and nothing hangs.
 *
 *     CULPRIT_SEED=307 npx vitest run tests/blame/suppressionRandom                       # one program
 *     CULPRIT_SEED=1 CULPRIT_COUNT=60 npx vitest run tests/blame/suppressionRandom
 *
 * Points are of the program itself and of what it calls: they begin where `main` does.
 */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../src/base/types.js';
import { at } from '../../src/replay/log/position.js';
import { dice } from '../slices/comparing.js';
import { compileText } from '../slices/compiled.js';
import { randomProgram } from '../slices/generator.js';
import { LONG } from '../table/testTable.js';
import { crashIn } from '../../src/blame/failure/crash.js';
import { frameName } from '../../src/blame/frames.js';
import { JoinedExecution } from '../../src/replay/branch/joinedExecution.js';
import type { SuppressedRun } from '../../src/blame/suppression/suppressedRun.js';
import { addressOf, KEPT, type Subject, subject, suppressed } from './suppressed.js';

void KEPT;

const FIRST = Number(process.env['CULPRIT_SEED'] ?? 1);
const COUNT = Number(process.env['CULPRIT_COUNT'] ?? 1);
const POINTS = 3;
const VARIANTS: readonly (readonly string[])[] = [['-O0', '-static'], ['-O1', '-static'], ['-O2', '-static'], ['-O0'], ['-O1'], ['-O2']];
const NATIVE_LIMIT = 5_000;
const SHOWN = 12;
const STEPS = 10_000;

/**
 * What once ended badly: a handler's restorer (1003), longjmp that was not resolved (1012), a pipe that no part of the
 * program writes to (1019), a loop in a function that never returns (1026), a thread without its thread-local data
 * (1039), a jump (1041), siglongjmp in a handler (2025), a thread number that is never stored (2047).
 */
const FOUND: readonly number[] = [1003, 1012, 1019, 1026, 1039, 1041, 2025, 2047];
const SEEDS = process.env['CULPRIT_SEED'] === undefined ? [...FOUND, ...Array.from({ length: LONG ? 300 : 1 }, (_, i) => i + 1)] : Array.from({ length: COUNT }, (_, i) => FIRST + i);

describe('a random program', () => {
  it.each(SEEDS)('%i comes to its end without some instruction', async (seed) => {
    expect(await badEndsOf(seed)).toEqual([]);
  }, 600_000);
});

async function badEndsOf(seed: number): Promise<string[]> {
  const flags = VARIANTS[seed % VARIANTS.length] ?? [];
  const [name, text] = [`suppressed${seed}.c`, randomProgram(dice(seed))];
  // Some programs never end, or fail, by themselves.
  if (spawnSync(compileText(name, text, flags), [], { stdio: 'ignore', timeout: NATIVE_LIMIT, killSignal: 'SIGKILL' }).status === null) return [];
  const one = await subject(name, text, flags);
  const begun = await beginOf(one);
  const roll = dice(seed + 1000);
  const found: string[] = [];
  for (let i = 0; i < POINTS; i++) {
    const time = begun + Math.floor(((one.instructions - begun) * roll(STEPS)) / STEPS);
    await one.recording.seek(at(time));
    const thread = one.recording.state.current?.id;
    if (thread === undefined) continue;
    const run = await suppressed(one, [{ position: at(time), thread }]);
    const bad = [badEnd(run), await crashOf(one, run)].filter((one) => one !== undefined).join(', ');
    if (bad !== '') found.push(`seed ${seed}, ${flags.join(' ')}, without the instruction at ${time}: ${bad}; ${await leftOutOf(one, run)}`);
    run.branch.drop();
  }
  return found;
}

/** Undefined if it ended as a program should. */
function badEnd({ end }: SuppressedRun): string | undefined {
  if (end.kind !== 'ended') return JSON.stringify(end);
  return end.status.kind === 'exited' ? undefined : `signal ${end.status.signal}`;
}

/** Of one of its processes, not only the first. */
async function crashOf({ debug, recording }: Subject, { branch }: SuppressedRun): Promise<string | undefined> {
  const crash = await crashIn({ execution: new JoinedExecution(recording, branch), modules: debug.modules });
  return crash && `${crash.said.name} at ${frameName(crash.said.place)} ${crash.said.place.address}, time ${crash.said.time}`;
}

/** By function: the first and the last instructions that were left out, and why. */
async function leftOutOf({ debug, recording }: Subject, { leftOut, remarks }: SuppressedRun): Promise<string> {
  const id = recording.state.current?.id ?? 1;
  const modules = debug.modules.of(recording.state, id);
  const named = leftOut.map(({ address, why, time }) => {
    const module = modules.at(BigInt(address));
    const near = module?.file.symbolAt(address - Number(module.bias));
    return `${time} 0x${address.toString(16)} <${near === undefined ? '?' : `${near.symbol.name}+${near.offset}`}> ${why}`;
  });
  const shown = named.length > SHOWN * 2 ? [...named.slice(0, SHOWN), '...', ...named.slice(-SHOWN)] : named;
  return [...shown, ...remarks].join('\n    ');
}

async function beginOf(one: Subject): Promise<number> {
  await one.recording.seek(at(0));
  const main = await one.recording.forward([{ kind: 'address', addresses: [guestAddr(await addressOf(one, 'main'))] }]);
  return main?.position.time ?? 0;
}
