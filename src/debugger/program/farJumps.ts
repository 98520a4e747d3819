/**
 * Where control leaves frames without returning: longjmp, and exceptions on their way to a handler. Libraries mark the
 * places.
 */
import { type Probe, probeArgument } from './probes.js';
import type { ProgramView } from './programView.js';

/** Probes, and which of their arguments is where the program will go on. */
const MARKS = [{ provider: 'libc', name: 'longjmp', target: 2 }, { provider: 'libgcc', name: 'unwind', target: 1 }] as const;

export class FarJumps {
  private readonly marks = new Map<bigint, { readonly probe: Probe; readonly target: number }>();

  constructor({ modules }: ProgramView) {
    for (const module of modules.all) {
      for (const probe of module.file.probes) {
        const mark = MARKS.find(({ provider, name }) => probe.provider === provider && probe.name === name);
        if (mark !== undefined) this.marks.set(BigInt(probe.address) + module.bias, { probe, target: mark.target });
      }
    }
  }

  get addresses(): readonly bigint[] {
    return [...this.marks.keys()];
  }

  /** Where a thread that stands at one of the addresses is about to go. */
  targetFrom(view: ProgramView): bigint | undefined {
    const mark = this.marks.get(view.pc);
    return mark === undefined ? undefined : probeArgument(mark.probe, mark.target, view);
  }
}
