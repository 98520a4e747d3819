import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ProjectByProject } from './scripts/testOrder.js';
import { SummaryReporter } from './scripts/summaryReporter.js';

/**
 * Tests of plain functions: nothing that one file does can be seen by another. They run in few processes, one after the
 * other, and share what they import, which would otherwise take more time than the tests (0.5 s of CPU for each file).
 */
const PLAIN = ['scripts', ...inSrc('base', 'rules', 'layout', 'wasm', 'elf', 'x86', 'traces', 'cli', 'dap', 'dwarf', 'blame', 'gdbserver', 'graphs', 'paths', 'terminal', 'shapes', 'triage', 'whatIf')];
/**
 * Tests that translate code with passes in their own process: the verifier looks at what each pass makes. They share
 * processes, too: each engine in them is made and thrown away by its test.
 */
const ENGINE = inSrc('ir', 'jit', 'machine', 'linux', 'replay', 'check', 'counts', 'flow', 'debugger');
/** The same with whole programs. */
const RUNS = inTests('replay', 'checkLibrary', 'cpu', 'float', 'watching', 'x87');
/**
 * Tests that debug and analyse recordings in their own process. They share processes: most of what they need is code,
 * which V8 has to load once and makes quicker as it goes.
 */
const ANALYSES = inTests('dap', 'debugger', 'flow', 'gdbserver', 'graphs', 'libraryCalls', 'probe', 'rules', 'shapes', 'slices', 'statements', 'terminal', 'tutorial', 'whatIf');
/** Tests that start commands and look at what those say, or read files: nothing stays in their own process. */
const COMMANDS = inTests('badInput', 'check', 'checkCalls', 'checkCli', 'cli', 'crashes', 'dwarf', 'events', 'paths', 'processes', 'programs', 'syscalls', 'table', 'threads', 'triage', 'values');

function inSrc(...folders: readonly string[]): string[] {
  return folders.map((folder) => `src/${folder}`);
}

function inTests(...folders: readonly string[]): string[] {
  return folders.map((folder) => `tests/${folder}`);
}

function testsIn(folders: readonly string[]): string[] {
  return folders.map((folder) => `${folder}/**/*.test.ts`);
}

const [plain, engine, runs, analyses, commands] = [PLAIN, ENGINE, RUNS, ANALYSES, COMMANDS].map(testsIn) as [string[], string[], string[], string[], string[]];

export default defineConfig({
  test: {
    // In the order in which they run: what takes long comes first.
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: ['src/**/*.test.ts', 'tests/**/*.test.ts'], exclude: [...plain, ...engine, ...runs, ...analyses, ...commands] },
      },
      { extends: true, test: { name: 'runs', include: runs, isolate: false, setupFiles: ['scripts/verifyPasses.ts'] } },
      { extends: true, test: { name: 'analyses', include: analyses, isolate: false } },
      { extends: true, test: { name: 'commands', include: commands, isolate: false } },
      { extends: true, test: { name: 'engine', include: engine, isolate: false, setupFiles: ['scripts/verifyPasses.ts'] } },
      { extends: true, test: { name: 'plain', include: plain, isolate: false } },
    ],
    sequence: { sequencer: ProjectByProject },
    pool: 'forks',
    // Twice as many as there are processors: many tests wait for clocks, signals and other processes.
    // Projects would take this rather than what the command line says.
    ...(process.argv.some((word) => word.startsWith('--maxWorkers')) ? {} : { maxWorkers: 2 * availableParallelism() }),
    // V8 counts the 4 GB of each guest's memory as if they were used, and collects all garbage for every new one.
    // With a heap that may be large it waits: tests/whatIf/trial took 12.1 s of CPU without this, and 10.0 s with it.
    execArgv: ['--max-old-space-size=100000', '--no-concurrent-marking'],
    // Tests of clocks, signals and process ids meet those of other tests that run at the same time: what fails is
    // tried once more.
    retry: process.env['CI'] === undefined ? 0 : 1,
    // Clocks of hooks run while others work, too.
    hookTimeout: 60_000,
    // What vitest makes of a source is there for all projects and for the next run.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'tests/build/modules' },
    testTimeout: process.env['CULPRIT_LONG'] === undefined ? 60_000 : 3_600_000,
    // What culprit keeps of programs' code between runs: not the user's, and shared by all tests.
    // And process ids are the same in every test, though others run at the same time.
    env: { CULPRIT_CODE_CACHE: resolve('tests/build/code'), CULPRIT_PID_BASE: '20000' },
    globalSetup: 'scripts/cleanRoot.ts',
    ...(process.env['CULPRIT_TEST_SHARES'] === undefined ? {} : { runner: 'scripts/shareRunner.ts' }),
    setupFiles: [
      'scripts/keepStreams.ts',
      ...(process.env['CULPRIT_TEST_TIMES'] === undefined ? [] : ['scripts/testTimes/measure.ts']),
    ],
    reporters: ['default', new SummaryReporter()],
  },
});
