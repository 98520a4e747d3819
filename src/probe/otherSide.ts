/**
 * What may be written on the side of a branch that was not taken: the code from there to where both sides meet again.
 * Where that is nothing, the branch had no influence that it did not show.
 */
import { guestAddr } from '../base/types.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { CodeNode, FunctionGraph } from '../graphs/functionGraph.js';
import { FunctionGraphs } from '../graphs/functionGraphs.js';
import { LoadedCode } from '../graphs/loadedCode.js';
import { codeSteps } from '../x86/codeSteps.js';

export class OtherSides {
  private readonly source: LoadedCode;
  private readonly graphs: FunctionGraphs;

  constructor(private readonly program: ProgramView) {
    this.source = new LoadedCode(() => program.modules, (address, length) => program.state.read(program.thread.id, guestAddr(address), length));
    this.graphs = new FunctionGraphs(this.source);
  }

  /** Whether one of the sides of a conditional instruction does anything. True where that is not known. */
  mayWrite(address: number): boolean {
    const around = this.source.functionAround(address);
    const graph = around === undefined ? undefined : this.graphs.graphOf(around.entry);
    const node = graph?.nodeAt(address);
    // A condition that is a value: which one, is what it writes.
    if (graph === undefined || node === undefined || node.last !== address || !node.isBranch) return true;
    return node.successors.some((side) => this.writesFrom(side, node, graph));
  }

  private writesFrom(side: number, { postDominator }: CodeNode, { nodes }: FunctionGraph): boolean {
    const seen = new Set<number>();
    const left = [side];
    for (let index = left.pop(); index !== undefined; index = left.pop()) {
      const node = nodes[index];
      if (index === postDominator || node === undefined || seen.has(index)) continue;
      seen.add(index);
      if (node.leaves || this.doesSomething(node)) return true;
      left.push(...node.successors);
    }
    return false;
  }

  private doesSomething({ start, end }: CodeNode): boolean {
    const { state, thread } = this.program;
    const code = state.read(thread.id, guestAddr(start), end - start);
    return code === null || codeSteps(code, start).some(({ flow, isNop }) => flow === 'call' || flow === 'indirectCall' || (flow === 'next' && !isNop));
  }
}
