import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.js';
import { CallNeeded } from '../values/expressionError.js';
import type { ArrangedCall, CallResult } from '../values/surroundings.js';
import { ProgramCalls } from './programCalls.js';

type Debug = ConstructorParameters<typeof ProgramCalls>[0];

function request(address: bigint, argument = 0n): ArrangedCall {
  return { address, integers: [argument], vectors: [], stack: new Uint8Array(), resultInMemory: 0 };
}

/** A program whose functions return their argument and their address, and which counts branches. */
class Program {
  begun = 0;
  dropped = 0;
  called: string[] = [];

  constructor(private readonly returns = true) {}

  get debug(): Debug {
    const branch = {
      call: async ({ address, arguments: [first = 0n] }: { address: number; arguments: readonly bigint[] }): Promise<CallResult | undefined> => {
        this.called.push(`${address}(${first})`);
        return this.returns ? { rax: first + BigInt(address), rdx: 0n, xmm0: 0n, xmm1: 0n, st0: 0n, st1: 0n } : undefined;
      },
      drop: () => void this.dropped++,
    };
    return { thread: { id: 1 }, branchAside: async () => (this.begun++, branch) } as unknown as Debug;
  }
}

/** As the evaluator does it. */
function call(calls: ProgramCalls, wanted: ArrangedCall): bigint {
  const result = calls.result(wanted);
  if (result === undefined) throw new CallNeeded(wanted);
  return result.rax;
}

describe('calls of functions of the program', () => {
  it('are made once each, in branches that are dropped, though the evaluation begins anew', async () => {
    const program = new Program();
    const calls = new ProgramCalls(program.debug);
    let evaluations = 0;
    const value = await calls.complete(() => {
      evaluations++;
      const first = call(calls, request(100n, 1n));
      return call(calls, request(200n, first));
    });
    expect(value).toBe(301n);
    expect(program.called).toEqual(['100(1)', '200(101)']);
    expect([evaluations, program.begun, program.dropped]).toEqual([3, 2, 2]);
  });

  it('of the same function are told apart by their order', async () => {
    const program = new Program();
    const calls = new ProgramCalls(program.debug);
    expect(await calls.complete(() => [call(calls, request(10n, 1n)), call(calls, request(10n, 2n))])).toEqual([11n, 12n]);
  });

  it('are made within what the front end puts around them', async () => {
    const steps: string[] = [];
    const calls = new ProgramCalls(new Program().debug);
    await calls.complete(() => call(calls, request(10n)), async (make) => {
      steps.push('before');
      await make();
      steps.push('after');
    });
    expect(steps).toEqual(['before', 'after']);
  });

  it('that do not return are an error, and their branch is dropped', async () => {
    const program = new Program(false);
    const calls = new ProgramCalls(program.debug);
    await expect(calls.complete(() => call(calls, request(10n)))).rejects.toThrow(new UserError('The function did not return.'));
    expect([program.begun, program.dropped]).toEqual([1, 1]);
  });

  it('are refused where there are no branches, and for results in memory', async () => {
    const none = new ProgramCalls({ thread: { id: 1 }, branchAside: async () => undefined } as unknown as Debug);
    await expect(none.complete(() => call(none, request(10n)))).rejects.toThrow('Functions can be called only where branches can be made.');
    const calls = new ProgramCalls(new Program().debug);
    await expect(calls.complete(() => call(calls, { ...request(10n), resultInMemory: 24 }))).rejects.toThrow('return their result in memory');
  });

  it('let other errors pass', async () => {
    const calls = new ProgramCalls(new Program().debug);
    await expect(calls.complete(() => { throw new UserError('No symbol "x" in current context.'); })).rejects.toThrow('No symbol');
  });
});
