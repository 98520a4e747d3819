import { describe, expect, it } from 'vitest';
import { ROW } from '../../src/dwarf/lineProgram.js';
import { sourceFrames } from '../../src/dwarf/sourceFrames.js';
import { CASES, compile, output, type Compiled } from './compiled.js';

/** Rows as `readelf` decodes them: file, line, address, whether a statement. The end of a sequence has no line. */
function readelfRows(path: string): string[] {
  const text = output('readelf', ['--debug-dump=decodedline', '-W', path]);
  const rows: string[] = [];
  for (const line of text.split('\n')) {
    const match = /^(\S+)\s+(\d+|-)\s+(?:0x)?([0-9a-f]+)(?:\s+(\d+))?(\s+x)?(\s+END)?\s*$/.exec(line);
    if (match !== null) rows.push(`${match[1]}:${match[2]} ${match[3]} ${match[5] === undefined ? '' : 'x'}`.trim());
  }
  return rows;
}

function ourRows({ info }: Compiled): string[] {
  const rows: string[] = [];
  for (const unit of info.units) {
    const table = unit.isTypeUnit ? undefined : unit.lines;
    if (table === undefined) continue;
    const { count, addresses, files, lines, flags } = table.rows;
    for (let i = 0; i < count; i++) {
      const name = table.file(files[i] as number)?.name.replace(/.*\//, '') ?? '';
      const end = ((flags[i] as number) & ROW.END_SEQUENCE) !== 0;
      const statement = !end && ((flags[i] as number) & ROW.STATEMENT) !== 0;
      rows.push(`${name}:${end ? '-' : lines[i]} ${(addresses[i] as number).toString(16)} ${statement ? 'x' : ''}`.trim());
    }
  }
  return rows;
}

interface Frame {
  readonly name: string;
  readonly place: string;
}

/**
 * What `eu-addr2line -f -i` says, innermost first. (That of binutils misses calls and takes wrong files in DWARF 5.)
 */
function addr2line(path: string, addresses: readonly number[]): Frame[][] {
  const text = output('eu-addr2line', ['-a', '-f', '-i', '-e', path], addresses.map((a) => `0x${a.toString(16)}\n`).join(''));
  return text.split(/^0x[0-9a-f]+\n/m).slice(1).map((answer) => {
    const lines = answer.trimEnd().split('\n');
    return lines.flatMap((line, i) => (i % 2 === 0 ? [{ name: line.replace(/ inlined at .*/, ''), place: (lines[i + 1] ?? '').replace(/.*\//, '') }] : []));
  });
}

/**
 * It takes the outermost name from the symbol table, where clones have suffixes and constructors are mangled otherwise.
 */
function ourFrames({ info }: Compiled, address: number, expected: readonly Frame[]): Frame[] {
  const row = info.byAddress.unitsAt(address)[0]?.lines?.at(address);
  return sourceFrames(info, address, row).map(({ scope, file, line, column }, i, all) => {
    const name = scope.function.linkageName ?? scope.function.name ?? '';
    const symbol = expected[i]?.name ?? '';
    const mangled = scope.function.linkageName === undefined && symbol.startsWith('_Z');
    const same = i === all.length - 1 && (mangled || symbol.includes(name) || anyKind(symbol).startsWith(anyKind(name)));
    return { name: same ? symbol : name, place: `${file?.name.replace(/.*\//, '') ?? '??'}:${line}:${column}` };
  });
}

/** Constructors and destructors come in several kinds, often at one address. */
function anyKind(name: string): string {
  return name.replace(/([CD])[0-9](?=E)/g, '$10');
}

describe.each(CASES)('%s %s', (_, sources, flags) => {
  it('has the lines that readelf decodes', () => {
    const program = compile(sources, flags);
    const expected = readelfRows(program.path);
    expect(expected.length).toBeGreaterThan(10);
    expect(ourRows(program)).toEqual(expected);
  });

  it('has the functions, inlined ones included, of eu-addr2line', () => {
    const program = compile(sources, flags);
    const ranges = program.info.units.filter((u) => !u.isTypeUnit).flatMap((u) => u.full.functions.all().flatMap((f) => f.ranges));
    const addresses = [...new Set(ranges.flatMap(({ low, high }) => [high - 1, ...Array.from({ length: 12 }, (_x, i) => low + Math.floor(((high - low) * i) / 12))]))];
    expect(addresses.length).toBeGreaterThan(5);
    // It does not find .dwo files: the same code with its debug information in one piece.
    const whole = flags.includes('-gsplit-dwarf') ? compile(sources, flags.map((flag) => (flag === '-gsplit-dwarf' ? '-g' : flag))) : program;
    const expected = addr2line(whole.path, addresses);
    for (const [i, address] of addresses.entries()) expect(ourFrames(program, address, expected[i] ?? []), address.toString(16)).toEqual(expected[i]);
  });
});
