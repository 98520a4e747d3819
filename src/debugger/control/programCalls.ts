/**
 * Calls of the program's functions from expressions (`print f(3)`): each is made in a branch of its own, so it leaves
 * no trace.
 */
import { UserError } from '../../base/errors.js';
import { CallNeeded } from '../values/expressionError.js';
import type { CallResult, ArrangedCall } from '../values/surroundings.js';
import type { Debugger } from './debugger.js';

type Callable = Pick<Debugger, 'thread' | 'branchAside'>;

export class ProgramCalls {
  private readonly results: { readonly request: ArrangedCall; readonly result: CallResult }[] = [];
  private asked = 0;

  constructor(private readonly debug: Callable) {}

  /** Those that have been made, in the order in which an evaluation asks for them. */
  readonly result = (request: ArrangedCall): CallResult | undefined => {
    const known = this.results[this.asked];
    if (known === undefined || known.request.address !== request.address) return undefined;
    this.asked++;
    return known.result;
  };

  /**
   * What an evaluation comes to, which begins anew after every call that has to be made for it. `making` is around each
   * call.
   */
  async complete<T>(evaluation: () => T, making: (call: () => Promise<void>) => Promise<void> = (call) => call()): Promise<T> {
    for (;;) {
      this.asked = 0;
      try {
        return evaluation();
      } catch (error) {
        if (!(error instanceof CallNeeded)) throw error;
        await making(() => this.make(error.request));
      }
    }
  }

  private async make(request: ArrangedCall): Promise<void> {
    if (request.resultInMemory > 0) throw new UserError('Functions that return their result in memory cannot be called.');
    const thread = this.debug.thread?.id;
    const branch = thread === undefined ? undefined : await this.debug.branchAside();
    if (thread === undefined || branch === undefined) throw new UserError('Functions can be called only where branches can be made.');
    const { address, integers, vectors, stack } = request;
    try {
      const result = await branch.call({ thread, address: Number(address), arguments: integers, vectors, stack });
      if (result === undefined) throw new UserError('The function did not return.');
      this.results.push({ request, result });
    } finally {
      branch.drop();
    }
  }
}
