/**
 * Rules that the type checker and oxlint do not know, as `file:line: message`:
 *
 *   layers        a folder of src/ imports only folders before it in LAYERS, and itself
 *   node          only host/, cli/, index.ts and tests import Node's own modules
 *   determinism   clocks, randomness, timers and `process` only there, too: everything else must be replayable
 *   size          a file over 500 lines is a warning, over 1000 an error; tables ("generated from") excepted
 *   lock file     package-lock.json names no registry
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** From the ground up. The recording's format is a layer of its own, below those who write and read it. */
const LAYERS = ['base', 'rules', 'layout', 'wasm', 'elf', 'dwarf', 'ir', 'x86', 'jit', 'machine', 'replay/format', 'host', 'linux', 'replay', 'debugger', 'flow', 'traces', 'check', 'gdbserver', 'terminal', 'dap',
  'cli/output', 'cli/v8', 'cli/stores', 'cli/arguments', 'cli/running', 'cli/threads', 'cli/opening', 'api', 'cli/query', 'cli/serving', 'cli'];
const OUTER = new Set(['host', 'cli', 'api', 'index.ts']);
const NONDETERMINISTIC = /(?<![\w.$'"`])(Date|Math\.random|performance|process|setTimeout|setInterval|setImmediate)\b(?=\s*[.(])|\bnew Date\b|\bMath\.random\b/;
const IMPORT = /^\s*(?:import|export)\b[^'"]*?\bfrom\s+'([^']+)'|\bimport\('([^']+)'\)/;
const WARN_LINES = 500;
const MOST_LINES = 1000;

const problems = [];
const warnings = [];

function filesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name === 'build' || entry.name === 'node_modules' ? [] : filesBelow(path);
    return /\.(ts|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** Tests and what only they use may look at the host. */
function isTestFile(path) {
  return /\.test\.ts$|\/testing\/|(Oracle|Cases|[tT]esting|testMachine)\.ts$/.test(path);
}

function layerOf(path) {
  const [folder, inner] = relative('src', path).split('/');
  return LAYERS.includes(`${folder}/${inner}`) ? `${folder}/${inner}` : folder;
}

function checkSource(path, lines) {
  const layer = layerOf(path);
  const rank = LAYERS.indexOf(layer);
  const test = isTestFile(path);
  if (rank < 0 && layer !== 'index.ts') problems.push(`${path}:1: folder ${layer} is not in the list of layers`);
  let comment = false;
  lines.forEach((line, i) => {
    const at = `${path}:${i + 1}`;
    const code = comment ? '' : line.replace(/\/\*.*?\*\/|\/\/.*$|\/\*.*$/g, '');
    comment = comment ? !line.includes('*/') : /\/\*(?!.*\*\/)/.test(line);
    checkImport(at, path, code, { layer, rank, test });
    const found = test || OUTER.has(layer.split('/')[0]) || isLocalName(lines, code) ? null : NONDETERMINISTIC.exec(withoutStrings(code));
    if (found !== null) problems.push(`${at}: ${found[0]} outside host/ and cli/: ask the host for it`);
  });
}

function withoutStrings(code) {
  return code.replace(/'[^']*'/g, "''");
}

/** The guest's own process is often called `process`, too. */
function isLocalName(lines, code) {
  return /\bprocess\b/.test(code) && lines.some((line) => /(const|let|readonly|[({,])\s*(\{[^}]*\b)?process\b[^=]*[:},=]/.test(line));
}

function checkImport(at, path, code, { layer, rank, test }) {
  const match = IMPORT.exec(code) ?? /^\s*\} from '([^']+)'/.exec(code);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined) return;
  if (name.startsWith('node:')) {
    if (!test && !OUTER.has(layer.split('/')[0])) problems.push(`${at}: ${name} outside host/ and cli/`);
    return;
  }
  if (!name.startsWith('.') || layer === 'index.ts' || test) return;
  const target = layerOf(resolve(dirname(path), name).slice(process.cwd().length + 1));
  if (LAYERS.indexOf(target) > rank) problems.push(`${at}: ${layer}/ must not import ${target}/, a layer above it`);
}

function checkSize(path, lines) {
  if (lines.slice(0, 10).some((line) => /generated from/i.test(line)) || lines.length <= WARN_LINES) return;
  if (lines.length > MOST_LINES) problems.push(`${path}:1: ${lines.length} lines: split it`);
  else warnings.push(`${path}:1: ${lines.length} lines: time to split it?`);
}

for (const path of ['src', 'tests', 'scripts', 'bench'].flatMap(filesBelow)) {
  const lines = readFileSync(path, 'utf8').split('\n');
  checkSize(path, lines);
  if (path.startsWith('src/')) checkSource(path, lines);
}
if (/"resolved"/.test(readFileSync('package-lock.json', 'utf8'))) {
  problems.push('package-lock.json:1: names a registry: npm install with the .npmrc of this repository');
}

for (const line of warnings) console.log(`warning: ${line}`);
for (const line of problems) console.log(line);
console.log(`layers: ${problems.length} problems, ${warnings.length} warnings`);
process.exitCode = problems.length === 0 ? 0 : 1;
