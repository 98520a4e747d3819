/** What a run took: collected once at its end, shown for people or as JSON. */
import type { Host } from '../../host/host.js';
import type { Guest } from '../../linux/guest.js';
import type { ExitStatus } from '../../linux/kernel.js';
import { count, kib } from '../output/numbers.js';

interface RunStats {
  /** Guest instructions retired. */
  readonly instructions: number;
  /** Blocks of guest code translated. */
  readonly blocks: number;
  /** Regions of hot code compiled, and the WebAssembly modules they are in. */
  readonly regions: number;
  readonly modules: number;
  readonly wasmBytes: number;
  /** Putting the guest together: before its first instruction. */
  readonly startMilliseconds: number;
  /** From its first instruction to its last. */
  readonly runMilliseconds: number;
  /** The part of runMilliseconds that went into translating and compiling. */
  readonly translationMilliseconds: number;
  /** The most memory the guest had at once: pages it touched, and address space it had mapped. */
  readonly guestPeakBytes: number;
  readonly guestPeakMappedBytes: number;
  /** All our process ever held beyond that: Node, the engine, generated code. */
  readonly engineBytes: number;
}

export function collectStats(guest: Guest, host: Host, startMilliseconds: number, runMilliseconds: number): RunStats {
  const { engine, space, world } = guest;
  const everything = host.system.resourceUsage().maxResidentKilobytes * 1024;
  return {
    instructions: world.instructions,
    ...engine.stats,
    startMilliseconds: tenths(startMilliseconds),
    runMilliseconds: tenths(runMilliseconds),
    translationMilliseconds: tenths(engine.translationTime),
    guestPeakBytes: space.peakResidentBytes,
    guestPeakMappedBytes: space.peakMappedBytes,
    engineBytes: Math.max(0, everything - space.peakResidentBytes),
  };
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/** One line. */
export function statsJson(stats: RunStats, status: ExitStatus): string {
  return JSON.stringify({ ...stats, exit: status.kind === 'exited' ? { code: status.code } : { signal: status.signal } });
}

export function statsText(stats: RunStats): string {
  const rate = stats.runMilliseconds > 0 ? stats.instructions / stats.runMilliseconds / 1000 : 0;
  const rows: [string, string][] = [
    ['instructions', `${count(stats.instructions)} (${rate.toFixed(1)} million a second)`],
    ['blocks', `${count(stats.blocks)} translated`],
    ['compiled', `${count(stats.regions)} regions in ${count(stats.modules)} modules, ${kib(stats.wasmBytes)} of WebAssembly`],
    ['start', seconds(stats.startMilliseconds)],
    ['run time', `${seconds(stats.runMilliseconds)}, of which translation ${seconds(stats.translationMilliseconds)}`],
    ['guest memory', `${kib(stats.guestPeakBytes)} at its peak, ${kib(stats.guestPeakMappedBytes)} mapped`],
    ['engine memory', kib(stats.engineBytes)],
  ];
  return rows.map(([label, value]) => `culprit: ${label.padEnd(13)} ${value}`).join('\n');
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}
