/**
 * A frame for expressions that may change the program: what they write is collected, and done afterwards in a branch.
 */
import type { ProgramView } from '../program/programView.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import { MemoryError } from '../values/expressionError.js';
import { type DebuggerFacts, ProgramSurroundings } from '../values/programSurroundings.js';
import type { PendingWrite } from './branching.js';

export class ChangingSurroundings extends ProgramSurroundings {
  private readonly pending: PendingWrite[];

  /** `facts`: what the front end knows beside; its `call` allows calls (see ProgramCalls). */
  constructor(program: ProgramView | undefined, frame: VisibleFrame | undefined, facts: Omit<DebuggerFacts, 'writeMemory' | 'writeRegister'> = {}) {
    const pending: PendingWrite[] = [];
    super(program, frame, {
      ...facts,
      writeMemory: (address, bytes) => {
        if (program?.memory(address, bytes.length) === undefined) throw new MemoryError(address);
        pending.push({ kind: 'memory', address, bytes: bytes.slice() });
      },
      writeRegister: (name, value) => void pending.push({ kind: 'register', name, value }),
    });
    this.pending = pending;
  }

  /** What has been written, in order; it is the caller's from then on. */
  takeWrites(): readonly PendingWrite[] {
    return this.pending.splice(0);
  }
}
