/**
 * A host that lets the guest read files and change nothing: they have a copy-on-write layer in
 * memory, and processes outside are not there (outside.ts). Clock, randomness, the user's terminal and the
 * streams that the user connected are the host's own. When the sandbox goes, so do all changes. docs/sandbox.md says
 * what it is good for.
 */
import { E } from '../../base/errno.js';
import type { Host, HostFd, HostSignals, HostTerminal, TimeSpec } from '../host.js';
import { NoNetwork } from '../hostNetwork.js';
import { connectedTerminals } from './outside.js';
import { LowerFiles } from './lowerFiles.js';
import { SandboxFiles } from './sandboxFiles.js';

interface SandboxOptions {
  /** Bytes that the guest may make us keep, in changed files and elsewhere, before writing fails with ENOSPC. */
  readonly limit?: number;
  /** What time it is for files that are changed. */
  readonly now?: () => TimeSpec;
}

export interface Sandbox extends Host {
  /** A second view that starts as this one is now; neither sees what the other does later. Takes constant time. */
  fork(): Sandbox;
  /** Lets go of everything that is open; the changes are gone then. */
  dispose(): void;
}

const DEFAULT_LIMIT = 2 ** 30;
const SIGSTOP = 19;

export function createSandbox(host: Host, options: SandboxOptions = {}): Sandbox {
  const files = SandboxFiles.over({
    lower: new LowerFiles(host.files),
    actor: { uid: host.identity.effectiveUid, gid: host.identity.effectiveGid, groups: host.identity.groups },
    now: options.now ?? (() => host.clock.realtime()),
    limit: options.limit ?? DEFAULT_LIMIT,
    terminals: connectedTerminals(host.files),
  });
  return sandboxWith(host, files);
}

function sandboxWith(host: Host, files: SandboxFiles): Sandbox {
  return {
    isolated: true,
    budget: files.budget,
    files,
    clock: host.clock,
    identity: { ...host.identity, actAs: (user) => files.actAs(user, host.identity) },
    system: host.system,
    terminal: terminalBehind(host.terminal, files),
    signals: signalsWithin(host),
    job: host.job,
    network: new NoNetwork(),
    random: (target) => host.random(target),
    environment: () => host.environment(),
    notify: (line) => host.notify(line),
    fork: () => sandboxWith(host, files.fork()),
    dispose: () => files.dispose(),
  };
}

function terminalBehind(terminal: HostTerminal, files: SandboxFiles): HostTerminal {
  const on = <T>(fd: HostFd, act: (real: HostFd) => T | number): T | number => {
    const real = files.realFd(fd);
    return real === undefined ? -E.NOTTY : act(real);
  };
  return {
    isTerminal: (fd) => on(fd, (real) => terminal.isTerminal(real)) === true,
    attributes: (fd) => on(fd, (real) => terminal.attributes(real)),
    setAttributes: (fd, attributes) => on(fd, (real) => terminal.setAttributes(real, attributes)),
    windowSize: (fd) => on(fd, (real) => terminal.windowSize(real)),
    foregroundGroup: () => terminal.foregroundGroup(),
  };
}

/** Signals reach the guest alone. */
function signalsWithin(host: Host): HostSignals {
  return {
    listen: (signal, handler) => host.signals.listen(signal, handler),
    send(pid, signal) {
      // That all have stopped is for the shell to see, who started us. Otherwise processes outside are not there.
      return pid === host.identity.pid && signal === SIGSTOP ? host.signals.send(pid, signal) : -E.SRCH;
    },
  };
}
