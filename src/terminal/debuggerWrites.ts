/** What an expression assigned: done when the evaluation is over, in a branch, which is begun if there is none. */
import { UserError } from '../base/errors.js';
import type { Debugger } from '../debugger/control/debugger.js';
import type { DebuggerFacts } from '../debugger/values/programSurroundings.js';

export class DebuggerWrites {
  private readonly memory: { readonly address: bigint; readonly bytes: Uint8Array }[] = [];
  private readonly registers: { readonly name: string; readonly value: bigint }[] = [];

  get facts(): DebuggerFacts {
    return {
      writeMemory: (address, bytes) => void this.memory.push({ address, bytes: bytes.slice() }),
      writeRegister: (name, value) => void this.registers.push({ name, value }),
    };
  }

  async commit(_debug: Debugger): Promise<void> {
    if (this.memory.length + this.registers.length > 0) throw new UserError('Nothing can be written yet: branches are not there.');
  }
}
