/** An engine with some code, some data and nothing around it. */
import { createHash } from 'node:crypto';
import { guestAddr } from '../../base/types.js';
import { TICKS } from '../../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from '../addressSpace.js';
import { Cpu } from '../cpu.js';
import { Engine } from '../engine.js';
import type { EngineOptions } from '../engineOptions.js';
import { LinearMemory } from '../linearMemory.js';
import { CODE, DATA, setUp } from './accessSnippets.js';

export const CODE_BYTES = 8192;
export const MAPPED_BYTES = 8192;

export class TestMachine {
  readonly linear = new LinearMemory();
  readonly space = new AddressSpace(this.linear);
  readonly cpu = new Cpu(this.linear);
  readonly engine: Engine;

  constructor(options: EngineOptions) {
    this.space.map(anonymousMapping({ start: guestAddr(CODE), end: guestAddr(CODE + CODE_BYTES), prot: PROT.READ | PROT.EXEC }));
    this.space.map(anonymousMapping({ start: guestAddr(DATA), end: guestAddr(DATA + MAPPED_BYTES), prot: PROT.READ | PROT.WRITE }));
    this.engine = new Engine(this.linear, this.cpu, this.space, options);
  }

  load(code: Uint8Array, rounds: number): void {
    this.space.poke(CODE, code);
    this.space.poke(DATA, Uint8Array.from({ length: MAPPED_BYTES }, (_, i) => (i * 7 + (i >> 8)) & 0xff));
    setUp(this.cpu, rounds);
    this.engine.instructions = 0;
  }

  /** Everything there is to compare. */
  state(): string {
    const digest = createHash('sha256').update(this.cpu.bytes().subarray(0, TICKS.offset)).update(this.space.view(DATA, MAPPED_BYTES, 'read'));
    return `${this.engine.instructions} ${digest.digest('hex')}`;
  }
}
