/** A frame for expressions, with what they have written: that is done afterwards, in a branch. */
import { UserError } from '../base/errors.js';
import type { PendingWrite } from '../debugger/control/branching.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { ProgramSurroundings } from '../debugger/values/programSurroundings.js';
import type { CallResult, FunctionCall } from '../debugger/values/surroundings.js';
import { addressText } from './addresses.js';

export class FrameSurroundings extends ProgramSurroundings {
  readonly writes: PendingWrite[];

  constructor(
    readonly view: ProgramView,
    frame: VisibleFrame | undefined,
    call?: (request: FunctionCall) => CallResult | undefined,
  ) {
    const writes: PendingWrite[] = [];
    super(view, frame?.kind === 'signal' ? undefined : frame, {
      writeMemory: (address, bytes) => {
        if (view.memory(address, bytes.length) === undefined) throw new UserError(`Cannot access memory at address ${addressText(address)}`);
        writes.push({ kind: 'memory', address, bytes: bytes.slice() });
      },
      writeRegister: (name, value) => void writes.push({ kind: 'register', name, value }),
      ...(call === undefined ? {} : { call }),
    });
    this.writes = writes;
  }
}
