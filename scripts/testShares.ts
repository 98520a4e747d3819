/**
 * What `npm test` takes of files whose tests are many and take long: one of so many, in the order in which they are
 * written. Their tests do not need each other. `npm run test:long` takes all, and so does vitest by itself.
 *
 * `npm run test:times` says which files take long.
 */
export const ONE_OF: Readonly<Record<string, number>> = {
  'tests/badInput/badInput.test.ts': 4,
  'tests/check/variables.test.ts': 3,
  'tests/checkCalls/checkCalls.test.ts': 3,
  'tests/checkCli/check.test.ts': 3,
  'tests/checkCli/crashes.test.ts': 2,
  'tests/checkLibrary/checkProgram.test.ts': 2,
  'tests/cli/codeStore.test.ts': 2,
  'tests/cli/count.test.ts': 2,
  'tests/cli/countNatively.test.ts': 2,
  'tests/cli/damagedRecordings.test.ts': 4,
  'tests/cli/hostileInput.test.ts': 3,
  'tests/cli/hostileNames.test.ts': 3,
  'tests/cli/limits.test.ts': 2,
  'tests/cli/record.test.ts': 2,
  'tests/cli/run.test.ts': 2,
  'tests/dap/lifecycle.test.ts': 2,
  'tests/flow/chains.test.ts': 2,
  'tests/gdbserver/gdb.test.ts': 2,
  'tests/libraryCalls/libraryCalls.test.ts': 2,
  'tests/processes/runs.test.ts': 2,
  'tests/replay/programs.test.ts': 2,
  'tests/sockets/outside.test.ts': 2,
  'tests/sockets/scripts.test.ts': 2,
  'tests/traces/analyses.test.ts': 2,
  'tests/traces/happensBefore.test.ts': 2,
  'tests/whatIf/command.test.ts': 2,
};
