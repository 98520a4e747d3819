/**
 * Runs a program with breakpoints and watched memory, of which the program's kernel knows nothing: stops for them are
 * taken down and the engine goes on.
 */
import { bytePathFromText } from '../../src/base/bytePath.js';
import { createSandbox } from '../../src/host/sandbox/sandbox.js';
import { createGuest, type Guest } from '../../src/linux/guest.js';
import type { EngineOptions } from '../../src/machine/engineOptions.js';
import type { Stop } from '../../src/machine/stop.js';
import type { WatchedRange } from '../../src/machine/watch.js';
import { steadyHost } from '../determinism/steadyRun.js';

export interface Wanted {
  readonly ranges: readonly WatchedRange[];
  readonly breakpoints: Pick<ReadonlySet<number>, 'has'>;
}

export interface WatchedRun {
  readonly stdout: string;
  readonly instructions: number;
  /** All of them: when, where, what was accessed. */
  readonly stops: readonly string[];
  /** Watched bytes that have changed without a stop that says so. */
  readonly unnoticed: readonly string[];
}

/**
 * `choose` gets the guest before it runs. With `stepping` the engine itself knows nothing: rip is looked at before
 * every instruction.
 */
export async function watchedRun(program: string, options: Partial<EngineOptions>, choose: (guest: Guest) => Wanted, stepping = false): Promise<WatchedRun> {
  let stdout = '';
  const sandbox = createSandbox(steadyHost('/', (text) => (stdout += text)), { now: () => ({ seconds: 1_700_000_000, nanoseconds: 0 }) });
  const guest = createGuest(sandbox, { program: bytePathFromText(program), args: [], environment: sandbox.environment(), engine: { hotThreshold: 300, ...options } });
  const stops = new Stops(guest, choose(guest), stepping);
  await guest.world.run();
  sandbox.dispose();
  return { stdout, instructions: guest.world.instructions, ...stops.result() };
}

class Stops {
  private readonly stops: string[] = [];
  private readonly unnoticed: string[] = [];
  private readonly runEngine: (most: number) => Stop;

  constructor(
    private readonly guest: Guest,
    private readonly wanted: Wanted,
    private readonly stepping: boolean,
  ) {
    const { engine } = guest;
    this.runEngine = engine.run.bind(engine);
    engine.run = (most) => this.run(most);
    if (stepping) return;
    if (wanted.breakpoints instanceof Set) engine.instrument({ ...engine.instrumentation, breakpoints: wanted.breakpoints as Set<number> });
    if (wanted.ranges.length > 0) engine.instrument({ ...engine.instrumentation, watched: wanted.ranges });
  }

  result(): Pick<WatchedRun, 'stops' | 'unnoticed'> {
    return { stops: this.stops, unnoticed: this.unnoticed };
  }

  private run(most: number): Stop {
    const { engine } = this.guest;
    let left = most;
    this.breakpointHere();
    for (;;) {
      const before = engine.instructions;
      const bytes = this.watchedBytes();
      const stop = this.runEngine(this.stepping ? 1 : left);
      left -= engine.instructions - before;
      this.compare(bytes, stop);
      if (stop.kind === 'watched') this.stops.push(`${engine.instructions} ${stop.at} ${JSON.stringify(stop.accesses)}`);
      else if (stop.kind === 'breakpoint' || (this.stepping && stop.kind === 'budget' && left > 0)) this.breakpointHere();
      else return stop;
      if (left === 0) return { kind: 'budget' };
    }
  }

  private breakpointHere(): void {
    const { engine } = this.guest;
    if (this.wanted.breakpoints.has(engine.cpu.rip)) this.stops.push(`${engine.instructions} ${engine.cpu.rip}`);
  }

  private watchedBytes(): (Uint8Array | null)[] {
    return this.wanted.ranges.map(({ start, end, kind }) => (kind === 'read' ? null : this.guest.space.peek(start, end - start)));
  }

  private compare(before: readonly (Uint8Array | null)[], stop: Stop): void {
    const writes = stop.kind === 'watched' ? stop.accesses.filter(({ write }) => write) : [];
    this.watchedBytes().forEach((after, i) => {
      const start = this.wanted.ranges[i]?.start ?? 0;
      after?.forEach((byte, offset) => {
        const address = start + offset;
        if (byte === (before[i]?.[offset] ?? 0) || writes.some((write) => address >= write.address && address < write.address + write.bytes)) return;
        this.unnoticed.push(`${address.toString(16)} before ${this.guest.engine.instructions}`);
      });
    });
  }
}
