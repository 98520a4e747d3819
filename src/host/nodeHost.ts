/** The host that is this machine, through Node. */
import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import { E } from '../base/errno.js';
import { bytePath, bytePathFromText, type BytePath } from '../base/bytePath.js';
import type { Actor, Host, HostIdentity, HostResourceUsage, HostSignals, HostSystem } from './host.js';
import { GroupSentinel } from './groupSentinel.js';
import { NodeClock } from './nodeClock.js';
import { NodeFiles } from './nodeFiles.js';
import { NodeJob } from './nodeJob.js';
import { NodeNetwork } from './nodeNetwork.js';
import { domainName, inheritedLimits, isOurProcess, ownMappings, processOwner, processStat, rawEnvironment, supplementaryGroups } from './nodeProc.js';
import { NodeTerminal } from './nodeTerminal.js';

const ROOT = 0;

/** Switching is slow (every thread takes part), so it is done only when another user's turn comes. */
function createActing(own: Actor): (user: Actor) => void {
  let current = own;
  return (user) => {
    if (own.uid !== ROOT || (user.uid === current.uid && user.gid === current.gid && user.groups === current.groups)) return;
    if (current.uid !== ROOT) process.seteuid?.(ROOT);
    process.setgroups?.([...user.groups]);
    process.setegid?.(user.gid);
    process.seteuid?.(user.uid);
    current = user;
  };
}

function nodeIdentity(): HostIdentity {
  const stat = processStat('self');
  const groups = supplementaryGroups() ?? process.getgroups?.() ?? [];
  return {
    actAs: createActing({ uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, groups }),
    isOurs: isOurProcess,
    pid: process.pid,
    parentPid: process.ppid,
    processGroup: stat.processGroup,
    session: stat.session,
    uid: process.getuid?.() ?? 0,
    effectiveUid: process.geteuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    effectiveGid: process.getegid?.() ?? 0,
    groups,
  };
}

class NodeSystem implements HostSystem {
  readonly kernel = {
    name: os.type(),
    node: os.hostname(),
    release: os.release(),
    version: os.version(),
    machine: 'x86_64',
    domain: domainName(),
  };

  processors(): number {
    return os.availableParallelism();
  }

  memory(): { total: number; free: number } {
    return { total: os.totalmem(), free: os.freemem() };
  }

  loadAverages(): readonly number[] {
    return os.loadavg();
  }

  limits(): readonly { soft: number; hard: number }[] {
    return inheritedLimits(process.ppid);
  }

  ownMappings(): string {
    return ownMappings() ?? '';
  }

  resourceUsage(): HostResourceUsage {
    const usage = process.resourceUsage();
    return {
      userMicroseconds: usage.userCPUTime,
      systemMicroseconds: usage.systemCPUTime,
      maxResidentKilobytes: usage.maxRSS,
      minorFaults: usage.minorPageFault,
      majorFaults: usage.majorPageFault,
      blocksIn: usage.fsRead,
      blocksOut: usage.fsWrite,
      voluntarySwitches: usage.voluntaryContextSwitches,
      involuntarySwitches: usage.involuntaryContextSwitches,
    };
  }
}

const SIGNAL_NAMES = new Map<number, NodeJS.Signals>(
  Object.entries(os.constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

class NodeSignals implements HostSignals {
  readonly ownerOf = processOwner;
  /** Signals are passed on in the order in which they came. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly sentinel: GroupSentinel) {}

  listen(signal: number, handler: (isForGroup?: boolean) => void): () => void {
    const name = SIGNAL_NAMES.get(signal);
    if (name === undefined || name === 'SIGKILL' || name === 'SIGSTOP') return () => undefined;
    const arrived = (): void => {
      this.last = this.last.then(() => this.sentinel.hasHeard(signal)).then(handler);
    };
    // The command has a listener of its own, so that Node has none.
    if (name === 'SIGUSR1') process.removeAllListeners(name);
    process.on(name, arrived);
    return () => process.off(name, arrived);
  }

  send(pid: number, signal: number): number {
    try {
      process.kill(pid, signal);
      return 0;
    } catch (error) {
      return (error as NodeJS.ErrnoException).errno ?? -E.SRCH;
    }
  }
}

export class NodeHost implements Host {
  readonly files = new NodeFiles();
  readonly clock = new NodeClock();
  readonly terminal = new NodeTerminal();
  readonly identity = nodeIdentity();
  readonly system = new NodeSystem();
  private readonly sentinel = new GroupSentinel();
  readonly signals = new NodeSignals(this.sentinel);
  readonly job = new NodeJob(this.sentinel);
  readonly network = new NodeNetwork();

  random(target: Uint8Array): void {
    randomFillSync(target);
  }

  environment(): readonly BytePath[] {
    const raw = rawEnvironment();
    if (raw !== undefined) return raw.map(bytePath);
    return Object.entries(process.env).map(([name, value]) => bytePathFromText(`${name}=${value ?? ''}`));
  }

  notify(line: string): void {
    fs.writeSync(2, `${line}\n`);
  }
}
