/**
 * The real CPU's side: builds native/runner.c once per version of its source, sends it cases, reads
 * what they did. See the C file for the protocol.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.js';
import { BACKGROUND, codeImage, MachineState, MEMORY, type Outcome, STATE_SIZE, type TestCase } from './machineState.js';

const SOURCE = fileURLToPath(new URL('native/runner.c', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/cpu/', import.meta.url));
const FLAGS = [
  '-O1', '-static', '-nostdlib', '-ffreestanding', '-fno-stack-protector', '-fno-pic', '-no-pie',
  '-mgeneral-regs-only', '-fcf-protection=none',
];
const HEADER_SIZE = 72;
const RESULT_SIZE = STATE_SIZE + 40;
const MAX_OUTPUT = 2 ** 30;

/** Path of the runner, compiled if this version of it was not yet. */
function buildRunner(): string {
  const source = readFileSync(SOURCE);
  const key = createHash('sha256').update(source).update(FLAGS.join(' ')).digest('hex').slice(0, 16);
  const path = `${BUILD_FOLDER}runner-${key}`;
  if (existsSync(path)) return path;
  mkdirSync(BUILD_FOLDER, { recursive: true });
  const temporary = `${path}.${process.pid}`;
  execFileSync('gcc', [...FLAGS, '-o', temporary, SOURCE], { stdio: ['ignore', 'inherit', 'inherit'] });
  renameSync(temporary, path);
  return path;
}

/** Runs all cases in one process; the outcomes come in their order. */
export function runNatively(cases: readonly TestCase[]): Outcome[] {
  if (cases.length === 0) return [];
  const run = spawnSync(buildRunner(), { input: encode(cases), maxBuffer: MAX_OUTPUT, timeout: 120_000 });
  assert(run.status === 0, `native runner ended with status ${run.status}, signal ${run.signal}`);
  return decode(run.stdout, cases.length);
}

function encode(cases: readonly TestCase[]): Uint8Array {
  const programs = [...new Set(cases.map((c) => c.program))];
  const code = codeImage(programs, (p) => p.nativeBytes);
  const patchBytes = (c: TestCase): number => c.patches.reduce((sum, p) => sum + 8 + padded(p.bytes.length), 0);
  const size = cases.reduce((sum, c) => sum + STATE_SIZE + 8 + patchBytes(c), HEADER_SIZE + BACKGROUND.length + code.length);
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  const { data, dataSize, readOnly, readOnlySize, fsBase, gsBase } = MEMORY;
  [data, dataSize, readOnly, readOnlySize, MEMORY.code, code.length, fsBase, gsBase, cases.length].forEach((value, i) => {
    view.setBigUint64(i * 8, BigInt(value), true);
  });
  out.set(BACKGROUND, HEADER_SIZE);
  out.set(code, HEADER_SIZE + BACKGROUND.length);
  let at = HEADER_SIZE + BACKGROUND.length + code.length;
  for (const c of cases) at = encodeCase(c, out, view, at);
  return out;
}

function encodeCase(c: TestCase, out: Uint8Array, view: DataView, start: number): number {
  out.set(c.state.bytes, start);
  view.setUint32(start + STATE_SIZE, c.patches.length, true);
  let at = start + STATE_SIZE + 8;
  for (const patch of c.patches) {
    assert(patch.offset >= 0 && patch.offset + patch.bytes.length <= MEMORY.dataSize, `patch of ${c.name} outside of the data area`);
    view.setUint32(at, patch.offset, true);
    view.setUint32(at + 4, patch.bytes.length, true);
    out.set(patch.bytes, at + 8);
    at += 8 + padded(patch.bytes.length);
  }
  return at;
}

function padded(size: number): number {
  return (size + 7) & ~7;
}

function decode(output: Uint8Array, count: number): Outcome[] {
  const view = new DataView(output.buffer, output.byteOffset, output.length);
  const outcomes: Outcome[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const field = (n: number): bigint => view.getBigUint64(at + STATE_SIZE + n * 8, true);
    const changes = new Map<number, bigint>();
    const changeCount = Number(field(4));
    for (let k = 0; k < changeCount; k++) {
      const entry = at + RESULT_SIZE + k * 16;
      changes.set(Number(view.getBigUint64(entry, true)), view.getBigUint64(entry + 8, true));
    }
    outcomes.push({
      state: new MachineState(output.slice(at, at + STATE_SIZE)),
      trap: Number(field(0)), error: Number(field(1)), address: field(2), changes, note: '',
    });
    at += RESULT_SIZE + changeCount * 16;
  }
  assert(at === output.length, 'the native runner answered all cases');
  return outcomes;
}
