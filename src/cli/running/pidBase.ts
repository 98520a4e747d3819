/**
 * With which process number a run begins. Always the same one makes runs equal; but programs make names from it (of
 * temporary files, of sockets), and two runs at the same time would get into each other's way. So a run takes the first
 * number that no other run on this machine has.
 *
 * A run that is alive holds a Unix socket bound to a name in the abstract space, which has the number in it: that is
 * atomic, takes a tenth of a millisecond, leaves nothing in any directory, and the kernel takes it back however the run
 * ends. Should other processes have taken all the names, or this Node not let us have them, every run begins with the
 * first number.
 */
import net from 'node:net';
import { FIRST_PID } from '../../linux/steadyHost.js';
import { MOST_BASE, parsePidBase } from '../arguments/pidBaseNumber.js';

/** Runs seldom have so many processes that they reach the next one's numbers. */
const STEP = 10_000;

interface PidBase {
  readonly base: number;
  /** Others run with the numbers before it. */
  readonly isAnother: boolean;
}

interface PipeHandle {
  bind(name: string): number;
  unref(): void;
  close(): void;
}

interface PipeWrap {
  readonly Pipe: new (type: number) => PipeHandle;
  readonly constants: { readonly SERVER: number };
}

/** `wanted` is what the user says. Otherwise CULPRIT_PID_BASE, or what is free. */
export function takePidBase(wanted: number | undefined): PidBase {
  const chosen = wanted ?? parsePidBase(process.env['CULPRIT_PID_BASE'] ?? '');
  if (chosen !== undefined) {
    // So that others stay away; who insists gets it in any case.
    hold(chosen);
    return { base: chosen, isAnother: false };
  }
  for (let base = FIRST_PID; base <= MOST_BASE; base += STEP) {
    const isHeld = hold(base);
    if (isHeld === undefined) break;
    if (isHeld) return { base, isAnother: base !== FIRST_PID };
  }
  return { base: FIRST_PID, isAnother: false };
}

/** Whether the number is ours now, until we end; undefined if that cannot be known. */
function hold(base: number): boolean | undefined {
  const name = `\0culprit-pid-base-${base}`;
  try {
    return holdByHandle(name);
  } catch {
    return holdByServer(name);
  }
}

/** As net.Server does it inside, which would load what takes milliseconds. */
function holdByHandle(name: string): boolean {
  const { Pipe, constants } = (process as unknown as { binding(module: string): PipeWrap }).binding('pipe_wrap');
  const pipe = new Pipe(constants.SERVER);
  const isBound = pipe.bind(name) === 0;
  if (isBound) {
    pipe.unref();
    held.push(pipe);
  } else pipe.close();
  return isBound;
}

/** What is collected is closed. */
const held: unknown[] = [];

function holdByServer(name: string): boolean | undefined {
  try {
    const server = net.createServer((socket) => socket.destroy()).on('error', () => undefined).listen({ path: name });
    server.unref();
    held.push(server);
    return server.listening;
  } catch {
    return undefined;
  }
}
