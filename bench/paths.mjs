/**
 * npm run bench:paths [-- MEGABYTES [STEPS]]: how fast SARIF is read, of MEGABYTES (200), and how much memory that
 * takes; how fast a path of STEPS (10000) over 200 files is drawn. JSON; processor time.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadGrammars, reportInput } from '../dist/cli/commands/pathsFiles.js';
import { CodeBase } from '../dist/paths/folding/codeBase.js';
import { nested } from '../dist/paths/model/nesting.js';
import { readReports } from '../dist/paths/readers/readers.js';
import { Sources } from '../dist/paths/sources/sources.js';
import { PLAIN_TEXT, reportLines } from '../dist/paths/text/reportText.js';

const [megabytes = 200, steps = 10_000] = process.argv.slice(2).map(Number);
const FILES = 200;
const RESULTS = 1000;
const STEPS = 8;

function stepAt(line, message, nestingLevel) {
  const file = line % FILES;
  return {
    location: {
      physicalLocation: { artifactLocation: { uri: `src/file${file}.c`, uriBaseId: 'SRC', index: file }, region: { startLine: line, startColumn: 5, endColumn: 19, snippet: { text: '      result = compute_value(context, index + 1);\n' } } },
      logicalLocations: [{ name: `function_${line % 300}`, fullyQualifiedName: `function_${line % 300}`, kind: 'function' }],
      message: { text: message },
    },
    nestingLevel,
    executionOrder: line,
  };
}

/** Some results with flows, half of them indented, as tools write them. */
function someResults() {
  return Array.from({ length: RESULTS }, (_, n) => {
    const locations = Array.from({ length: STEPS }, (_, i) => stepAt(((n * 7 + i * 13) % 1000) + 1, `step ${i}: the pointer flows to a "parameter"`, i % 3));
    return JSON.stringify({ ruleId: 'null-dereference', ruleIndex: 0, level: 'warning', message: { text: `Value ${n} may be null here` }, locations: [locations[0].location], codeFlows: [{ threadFlows: [{ locations }] }] }, null, n % 2);
  }).join(',\n');
}

/** Its tables come last, which is the worst case. */
function writeLog(path) {
  const fd = openSync(path, 'w');
  const block = Buffer.from(someResults());
  let bytes = writeSync(fd, '{"version":"2.1.0","runs":[{"results":[');
  for (let isFirst = true; bytes < megabytes * 1e6; isFirst = false) {
    if (!isFirst) bytes += writeSync(fd, ',\n');
    for (let at = 0; at < block.length; ) at += writeSync(fd, block, at);
    bytes += block.length;
  }
  bytes += writeSync(fd, `],"originalUriBaseIds":{"SRC":{"uri":"file:///src/"}},"tool":{"driver":{"name":"tool","rules":[{"id":"null-dereference"}]}}}]}`);
  closeSync(fd);
  return bytes;
}

function seconds(action) {
  const began = process.cpuUsage();
  const result = action();
  const { user, system } = process.cpuUsage(began);
  return [(user + system) / 1e6, result];
}

const folder = mkdtempSync(join(tmpdir(), 'culprit-paths-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const file = join(folder, 'log.sarif');
const bytes = writeLog(file);
let most = 0;
const [took, results] = seconds(() => {
  let count = 0;
  for (const { paths } of readReports(reportInput(file)).reports) {
    count += paths.length > 0 ? 1 : 0;
    if (count % RESULTS === 0) most = Math.max(most, process.memoryUsage.rss());
  }
  return count;
});

const source = Array.from({ length: 40 }, (_, f) => [`static int function_${f}(int a)`, '{', '  int b = 0;', '  for (int i = 0; i < a; i++) {', '    if (i > 3) {', `      b += function_${f + 1}(i);`, '    } else {', '      b--;', '    }', '  }', '  return b;', '}', ''].join('\n')).join('\n');
const access = { read: (path) => (/\/file\d+\.c$/.test(path) ? Buffer.from(source) : undefined), digest: () => undefined };
const code = new CodeBase(new Sources(access, { directory: '/src', folder: '/src', roots: [] }, new Map()), await loadGrammars());
const flow = Array.from({ length: steps }, (_, i) => ({ step: { file: `file${i % FILES}.c`, line: (i % 40) * 13 + 6, why: 'step' }, function: `function_${i % 40}`, level: i % 60 }));
const [drawing, lines] = seconds(() => {
  const report = nested({ message: 'm', paths: [{ role: 'flow', flow }] }, code);
  return [...reportLines(report, 1, code, { style: PLAIN_TEXT, withReasons: false }, { shown: 0, missing: 0 })].length;
});

console.log(JSON.stringify({ sarif: { megabytes: bytes / 1e6, results, seconds: took, megabytesASecond: bytes / 1e6 / took, memoryMegabytes: most / 1e6 }, drawing: { steps, files: FILES, lines, seconds: drawing } }, null, 2));
