/** Calls of the program's functions from expressions (`print f(3)`): each is made in a branch of its own, so it leaves no trace. */
import { UserError } from '../base/errors.js';
import type { Debugger } from '../debugger/control/debugger.js';
import type { CallResult, FunctionCall } from '../debugger/values/surroundings.js';
import type { BranchMaker } from '../replay/branch/branchExecution.js';

export class ProgramCalls {
  private readonly results: { readonly request: FunctionCall; readonly result: CallResult }[] = [];
  private asked = 0;

  constructor(
    private readonly debug: Debugger,
    private readonly branches: BranchMaker | undefined,
  ) {}

  /** Those that have been made, in the order in which an evaluation asks for them. */
  readonly result = (request: FunctionCall): CallResult | undefined => {
    const known = this.results[this.asked];
    if (known === undefined || known.request.address !== request.address) return undefined;
    this.asked++;
    return known.result;
  };

  async make(request: FunctionCall): Promise<void> {
    const { debug, branches } = this;
    const thread = debug.thread?.id;
    this.asked = 0;
    if (thread === undefined || (branches === undefined && debug.branch === undefined)) throw new UserError('Functions can be called only where branches can be made.');
    if (request.resultInMemory > 0) throw new UserError('Functions that return their result in memory cannot be called.');
    const branch = debug.branch === undefined ? await branches?.branchAt(debug.position) : await debug.branch.fork();
    if (branch === undefined) return;
    const { integers, vectors, stack } = request;
    const result = await branch.call({ thread, address: Number(request.address), arguments: integers, vectors, stack });
    branch.drop();
    if (result === undefined) throw new UserError('The function did not return.');
    this.results.push({ request, result });
  }
}
