/**
 * Rules that the type checker and oxlint do not know, as `file:line: message`:
 *
 *   layers        a folder of src/ imports only folders before it in layers.ts, and what its line there allows
 *   node          only host/, cli/, api/, index.ts and tests import Node's own modules; packages only where layers.ts
 *                 says
 *   determinism   clocks, randomness, timers and `process` only there, too: everything else must be replayable
 *   exports       another file imports what a file exports; what only tests use is with the tests
 *   mentions      files that comments and documents name exist
 *   prose         comments and documents have at most 120 columns, and name who acts
 *   size          a file over 500 lines is a warning, over 1000 an error; tables ("generated from") excepted
 *   lock file     package-lock.json names no registry
 *
 * What is not so yet is listed in debts/. `node scripts/checkLayers.mjs --accept` takes out what has been mended.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { acceptedDebts, compareDebts, parseDebts, printDebts } from './debts.js';
import type { Debts } from './debts.js';
import { impuritiesOf } from './determinism.js';
import { importProblems } from './layerRules.js';
import { ENTRIES, LAYERS, isOuter, layerOf } from './layers.js';
import { KnownFiles } from './mentions.js';
import { proseOfDocument, proseOfSource } from './prose.js';
import type { Prose } from './prose.js';
import type { Source } from './syntax.js';
import { isTestFile, readTree } from './tree.js';
import type { Tree } from './tree.js';
import { unusedExports } from './unusedExports.js';

const WARN_LINES = 500;
const MOST_LINES = 1000;
const ACCEPT = 'node scripts/checkLayers.mjs --accept';

const problems: string[] = [];
const warnings: string[] = [];

/** Files that run by themselves: bundled as scripts of threads, started by Node, loaded by tools. */
function entriesOf(tree: Tree): string[] {
  const threads = [...readFileSync('scripts/bundle.mjs', 'utf8').matchAll(/'(src\/[\w/]+\.ts)'/g)].map(([, path]) => path!);
  return [...ENTRIES, ...threads].filter((path) => tree.paths.includes(path));
}

function checkSource(source: Source): void {
  const { path } = source;
  for (const error of source.errors) problems.push(`${path}:1: ${error}`);
  if (layerOf(path) === null && path !== 'src/index.ts') problems.push(`${path}:1: its folder is not in the list of layers (scripts/layers/layers.ts)`);
  if (isTestFile(path) || isOuter(path)) return;
  for (const { line, what } of impuritiesOf(source)) problems.push(`${path}:${line}: ${what} outside host/, cli/ and api/: ask the host for it`);
}

function checkSize({ path, text }: Source): void {
  const lines = text.split('\n');
  if (lines.length <= WARN_LINES || lines.slice(0, 10).some((line) => /generated from/i.test(line))) return;
  if (lines.length > MOST_LINES) problems.push(`${path}:1: ${lines.length} lines: split it`);
  else warnings.push(`${path}:1: ${lines.length} lines: time to split it?`);
}

function checkMentions({ sources, documents, paths }: Tree): void {
  const files = new KnownFiles(paths);
  const found = new Map<string, string>();
  for (const source of sources) {
    for (const { offset, name } of source.comments.flatMap((comment) => files.missing(source.text, comment))) {
      found.set(`${source.path} ${name}`, `${source.path}:${source.lineAt(offset)}: there is no file ${name}`);
    }
  }
  for (const { path, text } of documents) {
    for (const { offset, name } of files.missing(text)) {
      found.set(`${path} ${name}`, `${path}:${text.slice(0, offset).split('\n').length}: there is no file ${name}`);
    }
  }
  checkDebts('mentions', new Map([...found.keys()].map((name) => [name, 1])), (name) => [found.get(name)!], false);
}

/** Compares with a list of debts, or lowers it. Only the places of files that have too many are told. */
function checkDebts(list: string, now: Debts, tell: (path: string, allowed: number) => string[], isStaleFatal: boolean): void {
  const file = `scripts/layers/debts/${list}.txt`;
  const text = readFileSync(file, 'utf8');
  let allowed = parseDebts(text);
  if (process.argv.includes('--accept')) {
    allowed = acceptedDebts(now, allowed, (entry) => entry.split(' -> ').some((part) => !exists(part.split(' ')[0]!)));
    writeFileSync(file, printDebts(allowed, text));
  }
  const { grown, shrunk } = compareDebts(now, allowed);
  for (const row of grown) problems.push(...tell(row.path, row.allowed));
  if (shrunk.length === 0) return;
  const stale = `${file}: ${shrunk.length} debts are lower than listed (${shrunk[0]!.path}${shrunk.length > 1 ? ', …' : ''}): run ${ACCEPT}`;
  (isStaleFatal ? problems : warnings).push(stale);
}

function exists(path: string): boolean {
  return tree.paths.includes(path);
}

function checkImports({ sources }: Tree): void {
  const found = new Map<string, string>();
  for (const source of sources.filter(({ path }) => path.startsWith('src/'))) {
    for (const { line, message, target } of importProblems(source)) {
      if (target === null) problems.push(`${source.path}:${line}: ${message}`);
      else found.set(`${source.path} -> ${target}`, `${source.path}:${line}: ${message}`);
    }
  }
  checkDebts('imports', new Map([...found.keys()].map((name) => [name, 1])), (name) => [found.get(name)!], true);
}

function checkExports({ sources }: Tree): void {
  const found = unusedExports(sources, entriesOf(tree));
  for (const { path, line, name } of found.filter(({ usedBy }) => usedBy === 'none')) {
    problems.push(`${path}:${line}: no other file imports ${name}: do not export it, or delete it`);
  }
  const forTests = new Map(found.filter(({ usedBy }) => usedBy === 'tests').map((one) => [`${one.path} ${one.name}`, one]));
  checkDebts('onlyForTests', new Map([...forTests.keys()].map((name) => [name, 1])), (name) => {
    const { path, line, name: what } = forTests.get(name)!;
    return [`${path}:${line}: only tests use ${what}: move it to them`];
  }, true);
}

function checkProse({ sources, documents }: Tree): void {
  const prose = new Map<string, Prose>([...sources.map((source) => [source.path, proseOfSource(source)] as const),
    ...documents.map((document) => [document.path, proseOfDocument(document)] as const)]);
  const check = (list: string, linesOf: (prose: Prose) => readonly number[], message: string): void => {
    const now = new Map([...prose].map(([path, one]) => [path, linesOf(one).length] as const).filter(([, count]) => count > 0));
    checkDebts(list, now, (path, allowed) => linesOf(prose.get(path)!).map((line) => `${path}:${line}: ${message}${allowed > 0 ? ` (${allowed} in this file are known)` : ''}`), false);
  };
  check('width', ({ wide }) => wide, 'a comment or document has more than 120 columns');
  check('words', ({ vague }) => vague, 'nobody, somebody, whoever: name who acts');
}

const tree = readTree();
if (process.argv.includes('--map')) {
  for (const { folder, what } of LAYERS) console.log(`| \`${folder}\` | ${what} |`);
  process.exit();
}
for (const source of tree.sources) {
  checkSize(source);
  if (source.path.startsWith('src/')) checkSource(source);
}
checkImports(tree);
checkExports(tree);
checkMentions(tree);
checkProse(tree);
if (/"resolved"/.test(readFileSync('package-lock.json', 'utf8'))) {
  problems.push('package-lock.json:1: names a registry: npm install with the .npmrc of this repository');
}

for (const line of warnings) console.log(`warning: ${line}`);
for (const line of problems) console.log(line);
console.log(`layers: ${problems.length} problems, ${warnings.length} warnings`);
process.exitCode = problems.length === 0 ? 0 : 1;
