/** C programs with switches of all sizes, and what tables GCC makes of them, by its own assembly. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BUILD_FOLDER = fileURLToPath(new URL('../build/graphs/', import.meta.url));

export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below);
  };
}

const VALUES = ['x', 'x + y', '(unsigned char)x', '(short)x', '(long)x * 3', 'p[y]', 'x % 23', 'p[x & 7] - 48', '*p++', 's->field'];

/** A function with one to three switches, some in loops. */
function functionText(number: number, pick: (below: number) => number): string {
  const switches = Array.from({ length: 1 + pick(3) }, () => {
    const first = pick(3) === 0 ? 0 : pick(200) - 60;
    const cases = Array.from({ length: 5 + pick(40) }, (_, i) => first + i).filter(() => pick(8) > 0);
    const body = (value: number): string => {
      const kinds = [`note(${value});`, `y += ${value * 7};`, `return y ^ ${value};`, `y = note(y + ${value});`, `if (y > ${value}) die(${value});`];
      return `case ${value}: ${kinds[pick(kinds.length)]} ${pick(6) > 0 ? 'break;' : ''}`;
    };
    const otherwise = ['', 'default: y--;', 'default: return 7;', 'default: die(y);'][pick(4)];
    const whole = `switch (${VALUES[pick(VALUES.length)]}) { ${cases.map(body).join('\n    ')}\n    ${otherwise} }`;
    return pick(3) === 0 ? `for (int i = 0; i < y; i++, x = x * 5 + i) { ${whole} }` : whole;
  });
  return `int f${number}(int x, int y, char *p, struct S *s) {\n  ${switches.join('\n  note(y);\n  ')}\n  return y;\n}\n`;
}

export function programText(seed: number, functions: number): string {
  const pick = random(seed);
  const all = Array.from({ length: functions }, (_, i) => functionText(i, pick));
  const head = 'struct S { char a; unsigned short field; };\nextern int note(int);\nextern void die(int) __attribute__((noreturn));\n';
  return `${head}${all.join('\n')}`;
}

export interface AssembledTables {
  readonly path: string;
  /** By function: where its tables lead, each place once, in order. */
  readonly tables: ReadonlyMap<string, readonly (readonly number[])[]>;
}

export function assemble(text: string, flags: readonly string[]): AssembledTables {
  const path = `${BUILD_FOLDER}random-${createHash('sha256').update(JSON.stringify([text, flags, 'labels'])).digest('hex').slice(0, 16)}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    const temporary = `${path}.${process.pid}`;
    writeFileSync(`${temporary}.c`, text);
    writeFileSync(`${temporary}.main.c`, 'int note(int x) { return x; } void die(int x) { for (;;) __asm__ volatile(""); } int main(void) { return 0; }');
    execFileSync('gcc', ['-w', ...flags, '-S', '-o', `${temporary}.s`, `${temporary}.c`]);
    execFileSync('gcc', ['-w', ...flags, '-o', temporary, `${temporary}.s`, `${temporary}.main.c`]);
    execFileSync('gcc', ['-w', ...flags, '-Wa,--keep-locals', '-Wl,--discard-none', '-o', `${temporary}.labels`, `${temporary}.s`, `${temporary}.main.c`]);
    renameSync(`${temporary}.labels`, `${path}.labels`);
    renameSync(`${temporary}.s`, `${path}.s`);
    renameSync(temporary, path);
  }
  return { path, tables: tablesIn(readFileSync(`${path}.s`, 'utf8'), placesOf(`${path}.labels`)) };
}

/** Addresses of labels, which only the program that keeps them knows. */
function placesOf(path: string): Map<string, number> {
  const lines = execFileSync('nm', [path], { encoding: 'utf8' }).split('\n');
  return new Map(lines.map((line) => line.split(' ')).map(([address = '', , name = '']) => [name, parseInt(address, 16)]));
}

function tablesIn(assembly: string, places: ReadonlyMap<string, number>): Map<string, number[][]> {
  const tables = new Map<string, number[][]>();
  let name = '';
  let labels: Set<number> | undefined;
  const finish = (): void => {
    if (labels !== undefined && labels.size > 0) tables.set(name, [...(tables.get(name) ?? []), [...labels].sort((a, b) => a - b)]);
    labels = undefined;
  };
  for (const line of assembly.split('\n')) {
    const label = /^([\w.]+):/.exec(line)?.[1];
    const entry = /^\s+\.(?:long|quad)\s+(\.L\w+)(?:-\.L\w+)?$/.exec(line)?.[1];
    if (label !== undefined || entry === undefined) finish();
    if (label !== undefined && !label.startsWith('.')) name = label;
    if (label?.startsWith('.L') === true) labels = new Set();
    if (entry !== undefined) labels?.add(places.get(entry) as number);
  }
  return tables;
}
