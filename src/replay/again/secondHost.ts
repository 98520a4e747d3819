/**
 * What a recorded program began with, and a host that is for it what this machine was then: its user, limits, clocks
 * and files. The host's files are a sandbox over those that are here.
 */
import { type BytePath, bytePath } from '../../base/bytePath.js';
import { UserError } from '../../base/errors.js';
import { O } from '../../base/fileConstants.js';
import type { Actor, Host, HostFd, HostFiles } from '../../host/host.js';
import type { Process } from '../../linux/process.js';
import { SIG_IGN } from '../../linux/signals/signalActions.js';
import { type BranchHost, createBranchHost } from '../branch/branchHost.js';
import { FileMaker, type FileMakerOptions } from '../branch/fileMaker.js';
import { laterReads } from '../branch/laterReads.js';
import { type EventLog, LOG_START } from '../log/eventLog.js';
import type { ProcessFacts, ProgramFacts, WorldFacts } from '../log/kernelFacts.js';
import { Ledger } from '../log/ledger.js';
import { makeDirectories } from './restoredFiles.js';

export interface Beginning {
  readonly ledger: Ledger;
  readonly world: WorldFacts;
  readonly program: ProgramFacts;
  readonly process: ProcessFacts;
  /** As /proc/PID/maps has them. */
  readonly mappings: string;
}

const ROOT = 0;

/** Throws a UserError if the recording does not say. */
export function beginningOf(log: EventLog): Beginning {
  const ledger = new Ledger();
  const cursor = log.cursor();
  const mappings: string[] = [];
  for (let event = cursor.next(); event !== undefined && event.time === 0; event = cursor.next()) {
    ledger.add(event);
    for (const effect of event.effects) {
      if (effect.op === 'map') mappings.push(`${effect.mapping.start.toString(16)}-${effect.mapping.end.toString(16)} ${effect.mapping.name}`);
    }
  }
  const { world } = ledger;
  const [first] = [...ledger.processes.values()];
  if (world === undefined || first === undefined) throw new UserError('the recording does not say what its program began with');
  return { ledger, world, program: first.program, process: first.facts, mappings: mappings.join('\n') };
}

/** As the recorded run saw this machine. Its user may write everywhere until the files are as they were. */
export function hostOf(real: Host, { world, process, mappings }: Beginning, remark: (line: string) => void): { readonly environment: BranchHost; readonly host: Host } {
  // Root must not read for another user what that one may not read; who is not root cannot be another one.
  const actAs = real.identity.effectiveUid === ROOT ? (user: Actor): void => real.identity.actAs(user) : (): void => {};
  const privileged: Host = Object.assign(Object.create(real) as Host, { identity: { ...real.identity, effectiveUid: ROOT, actAs } });
  const environment = createBranchHost(privileged, world, remark);
  const { files } = environment.host;
  makeDirectories(files, world.workingDirectory);
  const at = (path: BytePath): BytePath => (path.startsWith('/') ? path : bytePath(`${world.workingDirectory}/${path}`));
  const placed: Partial<HostFiles> = {
    open: (path, flags, mode) => files.open(at(path), flags, mode),
    stat: (path, follow) => files.stat(at(path), follow),
    access: (path, mode) => files.access(at(path), mode),
    readLink: (path) => files.readLink(at(path)),
  };
  const host: Host = Object.assign(Object.create(environment.host) as Host, {
    files: Object.assign(Object.create(files) as HostFiles, placed),
    system: Object.assign(Object.create(environment.host.system) as Host['system'], {
      limits: () => process.limits.map(({ soft, hard }) => ({ soft: soft ?? Infinity, hard: hard ?? Infinity })),
      ownMappings: () => mappings,
    }),
  });
  return { environment, host };
}

/** What the shell gave the program. */
export function prepare(process: Process, { ledger, process: facts }: Beginning, log: EventLog, streams: Pick<FileMakerOptions, 'output' | 'warn'>): void {
  const { host } = process;
  process.umask = facts.umask;
  process.workingDirectory = { fd: openDirectory(host.files, facts.workingDirectory), path: bytePath(facts.workingDirectory) };
  for (const { signal, handler } of facts.actions) if (BigInt(handler) === SIG_IGN) process.signals.process.actions.setHandler(signal, SIG_IGN);
  const maker = new FileMaker({ host, ledger, objects: new Map(), laterReads: (isIt, count) => laterReads(log, LOG_START, isIt, count), ...streams });
  for (const [fd, { file, closeOnExec }] of ledger.tables.get(facts.table) ?? []) process.files.replace(fd, maker.file(process, file), closeOnExec);
}

/** From now on files are those that the recorded user may see and change. */
export function actAsRecorded({ identity }: Host, { world: { identity: { effectiveUid, effectiveGid, groups } } }: Beginning): void {
  identity.actAs({ uid: effectiveUid, gid: effectiveGid, groups });
}

/** What root did for another user is over. */
export function actAsOurselves({ identity }: Host): void {
  if (identity.effectiveUid === ROOT) identity.actAs({ uid: identity.effectiveUid, gid: identity.effectiveGid, groups: identity.groups });
}

function openDirectory(files: HostFiles, path: string): HostFd | undefined {
  const fd = files.open(bytePath(path), O.PATH | O.DIRECTORY | O.CLOEXEC, 0);
  return fd < 0 ? undefined : (fd as HostFd);
}
