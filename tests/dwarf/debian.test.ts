import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROW } from '../../src/dwarf/lineProgram.js';
import { sourceFrames } from '../../src/dwarf/sourceFrames.js';
import { open, output, type Compiled } from './compiled.js';

const ROOT = '/usr/lib/debug/.build-id/';
const FILES = 20;
const ADDRESSES = 2000;

/** Debug files of packages (libc6-dbg, python3-dbg, …), the largest first. */
function debugFiles(): string[] {
  const all = readdirSync(ROOT).flatMap((folder) => readdirSync(ROOT + folder).map((name) => `${ROOT}${folder}/${name}`));
  return all.map((path) => ({ path, size: statSync(path).size })).sort((a, b) => b.size - a.size).slice(0, FILES).map(({ path }) => path);
}

/** A hash of all rows: there are millions. */
function digest(rows: Iterable<string>): { count: number; hash: number } {
  let [count, hash] = [0, 0];
  for (const row of rows) {
    count++;
    for (let i = 0; i < row.length; i++) hash = (Math.imul(hash, 31) + row.charCodeAt(i)) | 0;
  }
  return { count, hash };
}

function* readelfRows(path: string): Generator<string> {
  for (const line of output('readelf', ['--debug-dump=decodedline,no-follow-links', '-W', path]).split('\n')) {
    const match = /^(\S+)\s+(\d+|-)\s+(?:0x)?([0-9a-f]+)(?:\s+(\d+))?(\s+x)?(\s+END)?\s*$/.exec(line);
    if (match !== null) yield `${match[2]} ${match[3]} ${match[5] === undefined ? '' : 'x'}`;
  }
}

function* ourRows({ info }: Compiled): Generator<string> {
  const seen = new Set<unknown>();
  for (const unit of info.units) {
    const table = unit.lines;
    if (table === undefined || seen.has(table)) continue;
    seen.add(table);
    const { count, addresses, lines, flags } = table.rows;
    for (let i = 0; i < count; i++) {
      const end = ((flags[i] as number) & ROW.END_SEQUENCE) !== 0;
      yield `${end ? '-' : lines[i]} ${(addresses[i] as number).toString(16)} ${!end && ((flags[i] as number) & ROW.STATEMENT) !== 0 ? 'x' : ''}`;
    }
  }
}

/**
 * Names of inlined functions and lines of all, innermost first; the outermost name may be another of the same symbol.
 */
function euFrames(path: string, addresses: readonly number[]): string[][] {
  const text = output('eu-addr2line', ['-a', '-f', '-i', '-e', path], addresses.map((a) => `0x${a.toString(16)}\n`).join(''));
  return text.split(/^0x[0-9a-f]+\n/m).slice(1).map((answer) => {
    const lines = answer.trimEnd().split('\n');
    const frames = lines.flatMap((line, i) => (i % 2 === 0 ? [`${line.replace(/ inlined at .*/, '')} ${(lines[i + 1] ?? '').replace(/.*\//, '')}`] : []));
    return frames.map((frame, i) => (i === frames.length - 1 ? frame.replace(/.* /, '') : frame));
  });
}

/**
 * Functions around addresses, innermost first, as gdb has them: elfutils lose inlined calls across units (link-time
 * optimisation).
 */
function gdbFunctions(path: string, addresses: readonly number[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-dwarf-'));
  const script = join(folder, 'blocks.py');
  writeFileSync(script, `
for address in [${addresses.join(', ')}]:
    block, names = gdb.block_for_pc(address), []
    while block is not None and not block.is_static and not block.is_global:
        if block.function: names.append(block.function.name)
        block = block.superblock
    print("blocks", " ".join(names))
`);
  const text = output('gdb', ['-nx', '-q', '-batch', '-x', script, path]);
  rmSync(folder, { recursive: true });
  return [...text.matchAll(/^blocks (.*)$/gm)].map((match) => match[1] as string);
}

function ourFrames({ info }: Compiled, address: number): string[] {
  const row = info.byAddress.unitsAt(address)[0]?.lines?.at(address);
  const frames = sourceFrames(info, address, row);
  return frames.map(({ scope, file, line, column }, i) => {
    const place = `${file?.name.replace(/.*\//, '') ?? '??'}:${line}${column === 0 ? '' : `:${column}`}`;
    return i === frames.length - 1 ? place : `${scope.function.linkageName ?? scope.function.name} ${place}`;
  });
}

function sample({ info }: Compiled): number[] {
  const functions = info.units.filter((u) => !u.isTypeUnit && !u.isPartial).flatMap((u) => u.functions.all().flatMap((f) => f.ranges));
  const step = Math.max(1, Math.floor((functions.length * 5) / ADDRESSES));
  return functions.flatMap(({ low, high }) => [0, 1, 2, 3, 4].map((part) => low + Math.floor(((high - low) * part) / 5))).filter((_, i) => i % step === 0);
}

describe.skipIf(process.env['CULPRIT_LONG'] !== '1')('debug packages', () => {
  it.each(debugFiles())('%s: the same lines, functions and inlined calls', (path) => {
    const program = open(path);
    expect(digest(ourRows(program))).toEqual(digest(readelfRows(path)));
    const addresses = sample(program);
    const expected = euFrames(path, addresses);
    const different = addresses.flatMap((address, i) => {
      const ours = ourFrames(program, address);
      return ours.join('\n') === expected[i]?.join('\n') ? [] : [{ address: address.toString(16), ours, expected: expected[i] }];
    });
    // What differs may be a mistake of theirs: then gdb must agree about the functions (of which it loses some that are
    // in cold parts), and they about the innermost line.
    const names = gdbFunctions(path, different.map(({ address }) => parseInt(address, 16)));
    const wrong = different.filter(({ address, ours, expected }, i) => {
      const functions = sourceFrames(program.info, parseInt(address, 16)).map(({ scope }) => scope.function.displayName ?? '');
      return !functions.join(' ').endsWith(names[i] as string) || ours[0]?.replace(/.* /, '') !== expected?.[0]?.replace(/.* /, '');
    });
    expect(program.info.problems).toEqual([]);
    expect(wrong.slice(0, 3)).toEqual([]);
  });
});
