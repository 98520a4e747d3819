/**
 * What `npm test` takes of files whose tests are many and take long: one of so many, in the order in which they are
 * written. Their tests do not need each other. `npm run test:long` takes all, and so does vitest by itself.
 *
 * CULPRIT_TEST_SHARES says which: CI takes share 1, always the same tests; 2, 3 and so on are the others.
 * `npm run test:times` says which files take long.
 */
export const ONE_OF: Readonly<Record<string, number>> = {
  'tests/badInput/badInput.test.ts': 4,
  'tests/check/check.test.ts': 3,
  'tests/check/variables.test.ts': 5,
  'tests/checkCalls/checkCalls.test.ts': 5,
  'tests/checkCli/check.test.ts': 5,
  'tests/checkCli/crashes.test.ts': 4,
  'tests/checkLibrary/checkAgain.test.ts': 2,
  'tests/checkLibrary/checkProgram.test.ts': 3,
  'tests/cli/codeStore.test.ts': 4,
  'tests/cli/count.test.ts': 3,
  'tests/cli/countNatively.test.ts': 3,
  'tests/cli/damagedRecordings.test.ts': 4,
  'tests/cli/hostileInput.test.ts': 3,
  'tests/cli/hostileNames.test.ts': 3,
  'tests/cli/limits.test.ts': 3,
  'tests/cli/record.test.ts': 4,
  'tests/cli/run.test.ts': 3,
  'tests/cpu/dependences.test.ts': 2,
  'tests/cpu/effects.test.ts': 2,
  'tests/dap/lifecycle.test.ts': 3,
  'tests/debugger/steps.test.ts': 2,
  'tests/flow/chains.test.ts': 3,
  'tests/gdbserver/gdb.test.ts': 5,
  'tests/graphs/executed.test.ts': 2,
  'tests/libraryCalls/libraryCalls.test.ts': 3,
  'tests/probe/command.test.ts': 3,
  'tests/probe/probe.test.ts': 4,
  'tests/probe/relevant.test.ts': 3,
  'tests/processes/runs.test.ts': 4,
  'tests/processes/scripts.test.ts': 3,
  'tests/replay/branchExecution.test.ts': 3,
  'tests/replay/branchKernel.test.ts': 2,
  'tests/replay/branches.test.ts': 3,
  'tests/replay/damaged.test.ts': 3,
  'tests/replay/observation.test.ts': 4,
  'tests/replay/parallel.test.ts': 3,
  'tests/replay/programs.test.ts': 3,
  'tests/replay/searchDrivers.test.ts': 2,
  'tests/replay/searches.test.ts': 3,
  'tests/replay/storedCheckpoints.test.ts': 3,
  'tests/sandbox/escapes.test.ts': 3,
  'tests/slices/bruteForce.test.ts': 2,
  'tests/slices/duals.test.ts': 3,
  'tests/slices/passages.test.ts': 2,
  'tests/sockets/outside.test.ts': 3,
  'tests/sockets/programs.test.ts': 2,
  'tests/sockets/scripts.test.ts': 2,
  'tests/statements/statements.test.ts': 3,
  'tests/traces/analyses.test.ts': 2,
  'tests/traces/branches.test.ts': 2,
  'tests/traces/execution.test.ts': 2,
  'tests/traces/happensBefore.test.ts': 2,
  'tests/traces/query.test.ts': 2,
  'tests/watching/watching.test.ts': 2,
  'tests/whatIf/command.test.ts': 3,
};

/** Whether a share has the test of this index, in a file of which each share takes one of so many. */
export function isTaken(index: number, oneOf: number, share: number): boolean {
  return index % oneOf === (share - 1) % oneOf;
}
