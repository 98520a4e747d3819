/**
 * Puts a guest together: memory, CPU, engine, kernel and the program's image. The one place where
 * these parts meet.
 */
import type { BytePath } from '../base/bytePath.js';
import { bytePath, bytePathFromBytes, bytesOfBytePath } from '../base/bytePath.js';
import type { Host } from '../host/host.js';
import { AddressSpace } from '../machine/addressSpace.js';
import { Cpu } from '../machine/cpu.js';
import { FEATURES_EDX } from '../machine/cpuid.js';
import { Engine } from '../machine/engine.js';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../machine/engineOptions.js';
import type { Instrumentation } from '../machine/instrumentation.js';
import { LinearMemory } from '../machine/linearMemory.js';
import { RLIMIT } from './limits.js';
import { findProgram } from './loader/findProgram.js';
import { readHostLayout } from './loader/hostLayout.js';
import { hostLoaderFiles } from './loader/hostLoaderFiles.js';
import { type LoadedImage, loadProgram } from './loader/loadProgram.js';
import { ProcessMemory } from './memory/processMemory.js';
import { Process } from './process.js';
import { continueProcess, stopProcess } from './processes/stopping.js';
import { processClock } from './signals/processClock.js';
import { SIG_IGN } from './signals/signalActions.js';
import { SignalState } from './signals/signalState.js';
import { GuestMachine } from './tasks/machine.js';
import type { VirtualClock } from './tasks/virtualClock.js';
import { steadyHost } from './steadyHost.js';
import { World, type WorldOptions } from './world.js';

export interface GuestRequest {
  /** As the user typed it: a path, or a name to look up in PATH. */
  readonly program: BytePath;
  /** argv[1] and on. */
  readonly args: readonly BytePath[];
  /** NAME=value. */
  readonly environment: readonly BytePath[];
  readonly verbose?: boolean;
  readonly aslrSeed?: number | undefined;
  /** What the first process is called; others follow. */
  readonly pidBase?: number | undefined;
  readonly engine?: Partial<EngineOptions>;
  /** What an analysis wants of the engine, and of those of processes and programs that come from it. */
  readonly instrumentation?: Instrumentation;
  readonly world?: WorldOptions;
  /** Told of the process before it is part of the world, to change what the host would have given it. */
  readonly onMade?: (process: Process) => void;
}

export interface Guest {
  readonly world: World;
  readonly engine: Engine;
  readonly process: Process;
  readonly image: LoadedImage;
  readonly space: AddressSpace;
}

export function createGuest(given: Host, request: GuestRequest): Guest {
  /** Runs when there is a world. */
  const time: { clock?: VirtualClock } = {};
  const host = steadyHost(given, () => time.clock?.realtime(), request.pidBase);
  const files = hostLoaderFiles(host.files);
  const searchPath = request.environment.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length);
  const path = findProgram(files, request.program, searchPath);
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  const witness = request.world?.witness;
  witness?.spaceMade(space);
  const cpu = new Cpu(linear);
  const random16 = new Uint8Array(16);
  host.random(random16);
  const { identity } = host;
  const { vdsoPages, hugePages } = readHostLayout(host);
  const stackLimit = host.system.limits()[RLIMIT.STACK]?.soft ?? Infinity;
  const image = loadProgram(space, cpu, files, {
    path, random16, vdsoPages, stackLimit, hwcap: FEATURES_EDX,
    argv: [request.program, ...request.args].map(bytesOfBytePath),
    envp: request.environment.map(bytesOfBytePath),
    uid: identity.uid, euid: identity.effectiveUid, gid: identity.gid, egid: identity.effectiveGid,
    ...(request.aslrSeed === undefined ? {} : { aslrSeed: request.aslrSeed }),
  });
  const world = new World(host, request.world);
  time.clock = world.clock;
  const options = { ...DEFAULT_ENGINE_OPTIONS, timeStamp: () => world.clock.timeStamp(), ...request.engine };
  const engine = new Engine(linear, cpu, space, options, () => host.clock.milliseconds());
  if (request.instrumentation !== undefined) engine.instrument(request.instrumentation);
  const process: Process = new Process({
    world,
    machine: new GuestMachine(cpu, space, engine),
    memory: new ProcessMemory(space, {
      brkStart: image.brkStart, mmapBase: image.layout.mmapBase, hugePages, sharedObjects: world.sharedObjects,
      dataLimit: () => process.limits.soft(RLIMIT.DATA), spaceLimit: () => process.limits.soft(RLIMIT.AS),
    }),
    signals: new SignalState(cpu, space, processClock(() => process), {
      sender: { pid: identity.pid, uid: identity.uid },
      onStop: (signal) => stopProcess(process, signal),
      onContinue: (signal) => continueProcess(process, signal),
      onDelivered: (info, handled) => witness?.signalDelivered(process, info, handled),
    }),
    exe: bytePath(image.exePath),
    startedAs: bytePath(path),
    argv: image.argv.map(bytePathFromBytes),
    environment: request.environment,
    auxv: image.stack.auxv,
    places: image.places,
    verbose: request.verbose ?? false,
  });
  for (const signal of host.job?.ignored ?? []) process.signals.process.actions.setHandler(signal, SIG_IGN);
  request.onMade?.(process);
  world.add(process);
  world.interceptor?.programStarted(process);
  return { world, engine, process, image, space };
}
