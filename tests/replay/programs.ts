/** What is recorded and replayed: our own programs (their sources say what they are about), and those of others. */
import { readFileSync } from 'node:fs';
import { gzip } from '../table/compressed.js';
import { prose } from '../table/inputs.js';
import type { FileContent } from '../table/invocation.js';

export interface RecordedProgram {
  /** A source in tests/programs, or a command. */
  readonly argv: readonly [string, ...string[]];
  readonly stdin?: string;
  readonly files?: Readonly<Record<string, FileContent>>;
  readonly seed?: number;
  /** Only with CULPRIT_LONG=1. */
  readonly long?: boolean;
}

const PYTHON = ['/usr/bin/python3', '-S', '-B'] as const;

function script(path: string): Record<string, string> {
  return { [path.slice(path.lastIndexOf('/') + 1)]: readFileSync(new URL(`../${path}`, import.meta.url), 'utf8') };
}

/** Threads: all kinds of locks, ends, signals and schedules. */
const THREADS: readonly RecordedProgram[] = [
  { argv: ['threadLocks.c'] },
  { argv: ['threadLocks.c'], seed: 3, long: true },
  { argv: ['threadCancel.c'] },
  { argv: ['threadKeys.c'], long: true },
  { argv: ['robustMutexes.c'] },
  { argv: ['threadSignals.c'] },
  { argv: ['threadEnds.c', 'crash'] },
  { argv: ['threadEnds.c', 'exec'] },
  { argv: ['threadEnds.c', 'detached'], long: true },
  { argv: ['racyCounter.c'], seed: 7 },
  { argv: ['determinism/pool.c'], seed: 1 },
  { argv: ['determinism/philosophers.c'], seed: 2, long: true },
  { argv: ['determinism/producers.c'], long: true },
  { argv: ['determinism/interleaving.c'], seed: 4 },
  { argv: ['determinism/spinners.c'], seed: 5, long: true },
  { argv: ['determinism/ticks.c'], long: true },
  { argv: ['standardThreads.cc'], long: true },
];

const PROCESSES: readonly RecordedProgram[] = [
  { argv: ['forks.c'], long: true },
  { argv: ['waits.c'] },
  { argv: ['spawns.c'], long: true },
  { argv: ['orphans.c'] },
  { argv: ['executes.c'] },
  { argv: ['processGroups.c'], long: true },
  { argv: ['forkedThreads.c'], seed: 2, long: true },
  { argv: ['determinism/forkTree.c'], long: true },
  { argv: ['determinism/pingPong.c'], seed: 6, long: true },
  { argv: ['fifos.c'] },
  { argv: ['pidFds.c'], long: true },
];

const SIGNALS: readonly RecordedProgram[] = [
  { argv: ['segfaults.c'] },
  { argv: ['floatTraps.c'] },
  { argv: ['stackOverflow.c'] },
  { argv: ['badJumps.c'] },
  { argv: ['timersAndSignals.c'], long: true },
  { argv: ['signalsBetween.c'] },
  { argv: ['determinism/signalStorm.c'], seed: 3, long: true },
  { argv: ['posixTimers.c'], long: true },
  { argv: ['ioSignals.c'], long: true },
  // Of every signal there is.
  { argv: ['deaths.c'], long: true },
  ...['4', '5', '6', '7', '8', '11', '31'].map((signal): RecordedProgram => ({ argv: ['deaths.c', signal], ...(['4', '5', '31'].includes(signal) ? { long: true } : {}) })),
  { argv: ['deaths.c', '4', '5', '9', '13', '14', '15', '24', '31', '34'] },
  { argv: ['unsupportedInstruction.c'] },
  { argv: ['kernelState.c', 'timers'], long: true },
];

const MEMORY: readonly RecordedProgram[] = [
  { argv: ['selfModifying.c'] },
  { argv: ['mappings.c'] },
  { argv: ['sharedMemory.c'] },
  { argv: ['sharedSegments.c'] },
  { argv: ['sharedLocks.c'], long: true },
  { argv: ['determinism/sharedRing.c'], seed: 1, long: true },
  { argv: ['determinism/heaps.c'], long: true },
  { argv: ['syscalls/memory_mmap.c'] },
  { argv: ['syscalls/memory_memfd.c'] },
  { argv: ['syscalls/memory_protect.c'], long: true },
  { argv: ['syscalls/random_memory.c'], long: true },
  { argv: ['changingFiles.c'] },
  { argv: ['allocation.c'], long: true },
  { argv: ['kernelState.c', 'memory'], long: true },
];

const FILES: readonly RecordedProgram[] = [
  { argv: ['files.c'] },
  { argv: ['pipes.c'] },
  { argv: ['procSelf.c', 'one', 'two words'] },
  { argv: ['procDoors.c'] },
  { argv: ['procFiles.c'], long: true },
  { argv: ['directories.c'], long: true },
  { argv: ['inotifies.c'], long: true },
  { argv: ['fileLocks.c'], long: true },
  { argv: ['systemV.c'] },
  { argv: ['posixQueues.c'], long: true },
  { argv: ['epolls.c'] },
  { argv: ['eventFds.c'], long: true },
  { argv: ['waitingTogether.c'], long: true },
];

const SOCKETS: readonly RecordedProgram[] = [
  { argv: ['unixSockets.c'] },
  { argv: ['tcpSockets.c'] },
  { argv: ['udpSockets.c'] },
  { argv: ['socketMessages.c'] },
  { argv: ['echoServer.c'], long: true },
  { argv: ['socketWaits.c'], long: true },
  { argv: ['kernelState.c', 'unix sockets'], long: true },
  { argv: ['kernelState.c', 'tcp sockets'], long: true },
];

const COMPUTATIONS: readonly RecordedProgram[] = [
  { argv: ['atomics.c'] },
  { argv: ['longDouble.c'], long: true },
  { argv: ['vectors.c'], long: true },
  { argv: ['jumps.c'] },
  { argv: ['times.c'] },
  { argv: ['determinism/stamps.c'] },
  { argv: ['exceptions.cc'], long: true },
  { argv: ['randomness.c'] },
];

const TOOLS: readonly RecordedProgram[] = [
  { argv: ['sort', '-r'], stdin: prose(300) },
  { argv: ['gzip', '-d', '-c', 'f.gz'], files: { 'f.gz': gzip(prose(500)) } },
  { argv: ['bash', '-c', 'x=$(seq 20 | sort -r | head -1); (exit 3) & wait $!; echo $x $? $$'] },
  { argv: ['dash', 'pipelines.sh'], files: script('processes/scripts/pipelines.sh'), long: true },
  { argv: ['perl', 'forks.pl'], files: script('processes/scripts/forks.pl'), long: true },
  { argv: [...PYTHON, '-I', '-c', 'import _thread\nlock = _thread.allocate_lock(); lock.acquire()\n_thread.start_new_thread(lambda: (print(sum(range(1000))), lock.release()), ())\nlock.acquire(); print({"a", "b", "c"})'] },
  { argv: [...PYTHON, 'threads.py'], files: script('threads/threads.py'), long: true },
  { argv: [...PYTHON, 'collections.py'], files: script('table/scripts/collections.py'), long: true },
  { argv: [...PYTHON, 'subprocesses.py'], files: script('processes/scripts/subprocesses.py'), long: true },
  { argv: ['sqlite3', 'x.db', 'CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES(1, hex(99)), (2, NULL); SELECT * FROM t;'], long: true },
  { argv: ['make', '-s', '-k', 'a', 'b'], files: { Makefile: 'a:\n\tfalse\nb:\n\techo b; exit 3\n' }, long: true },
];

export const RECORDED: readonly RecordedProgram[] = [...THREADS, ...PROCESSES, ...SIGNALS, ...MEMORY, ...FILES, ...SOCKETS, ...COMPUTATIONS, ...TOOLS];

export function nameOf({ argv, seed }: RecordedProgram): string {
  return `${argv.join(' ').replaceAll('\n', ' ')}${seed === undefined ? '' : `, seed ${seed}`}`;
}
