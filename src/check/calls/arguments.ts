/** Where functions find their arguments (System V ABI). */
import { GPR, RCX, RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';

export const ARGUMENTS: readonly Slot[] = [RDI, RSI, RDX, RCX, ...GPR.filter(({ name }) => name === 'r8' || name === 'r9')];
