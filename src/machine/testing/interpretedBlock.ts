/** Runs a block of IR that no guest code is behind, in the interpreter: what the operations of the IR really do. */
import type { Block } from '../../ir/ir.js';
import { buildCoreModule } from '../../jit/coreModule.js';
import { TICKS } from '../../layout/cpuState.js';
import { CodeCache } from '../codeCache.js';
import { Cpu } from '../cpu.js';
import { LinearMemory } from '../linearMemory.js';

const FUNCTIONS = 4096;
const NEVER_HOT = 1e9;

export class BlockInterpreter {
  readonly linear = new LinearMemory();
  readonly cpu = new Cpu(this.linear);
  private readonly cache = new CodeCache(this.linear, NEVER_HOT);
  private readonly interpret: (pc: number, stay: number) => number;

  constructor() {
    const functions = new WebAssembly.Table({ element: 'anyfunc', initial: FUNCTIONS });
    const refuse = (): number => 0;
    const instance = new WebAssembly.Instance(new WebAssembly.Module(buildCoreModule()), {
      env: { memory: this.linear.memory, functions, 'js.resolve': refuse, 'js.sysCall': refuse },
    });
    this.interpret = instance.exports['interpret'] as (pc: number, stay: number) => number;
  }

  /** The way in which it leaves: a number of jit/exits.ts. */
  run(block: Block): number {
    this.cpu.setNum(TICKS, block.instructions);
    const cached = this.cache.add(block, 'transient');
    const exit = this.interpret(cached.bytecode, 1);
    this.cache.release(cached);
    return exit;
  }
}
