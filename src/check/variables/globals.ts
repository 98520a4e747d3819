/** Global variables of the program's files, by address. */
import type { Block, Moment } from '../heap/blocks.js';
import { variableBlock } from './bounds.js';
import { type GlobalVariable, variableAt } from './globalVariables.js';

const NOBODYS: Moment = { time: 0, tid: 0, pid: 0, by: '' };

export class Globals {
  private variables: readonly GlobalVariable[];

  constructor(origin?: Globals) {
    this.variables = origin?.variables ?? [];
  }

  add(variables: readonly GlobalVariable[]): void {
    if (variables.length > 0) this.variables = [...this.variables, ...variables].sort((a, b) => a.address - b.address);
  }

  /** In the order of addresses. The same array as long as nothing changes. */
  get all(): readonly GlobalVariable[] {
    return this.variables;
  }

  at(address: number): GlobalVariable | undefined {
    return variableAt(this.variables, address);
  }

  /** The variable that an address is in. */
  of(address: number): Block | undefined {
    const found = this.at(address);
    return found && variableBlock({ begin: found.address, size: found.size, name: found.name, function: undefined }, NOBODYS);
  }
}
