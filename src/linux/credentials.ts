/**
 * Who the process is. If we are privileged ourselves, its access to files goes by that, too.
 */
import { E } from '../base/errno.js';
import type { Actor, HostIdentity } from '../host/host.js';

export interface IdSet {
  real: number;
  effective: number;
  saved: number;
  fileSystem: number;
}

/** The rule of kill(2): who sends by real or effective id, who is meant by real or saved id. */
export function maySignal(mine: Pick<IdSet, 'real' | 'effective'>, theirs: Pick<IdSet, 'real' | 'saved'>): boolean {
  return [mine.real, mine.effective].some((id) => id === theirs.real || id === theirs.saved);
}

export class Credentials {
  readonly user: IdSet;
  readonly group: IdSet;
  groups: readonly number[];
  processGroup: number;
  session: number;
  /** PR_SET_KEEPCAPS. */
  keepsCapabilities = 0;

  constructor(identity: HostIdentity) {
    const { uid, effectiveUid, gid, effectiveGid } = identity;
    this.user = { real: uid, effective: effectiveUid, saved: effectiveUid, fileSystem: effectiveUid };
    this.group = { real: gid, effective: effectiveGid, saved: effectiveGid, fileSystem: effectiveGid };
    this.groups = identity.groups;
    this.processGroup = identity.processGroup;
    this.session = identity.session;
  }

  copy(): Credentials {
    const copy = Object.create(Credentials.prototype) as Credentials;
    return Object.assign(copy, this, { user: { ...this.user }, group: { ...this.group } });
  }

  /** A new program starts with saved ids that are the effective ones. */
  settleForExec(): void {
    for (const ids of [this.user, this.group]) {
      ids.saved = ids.effective;
      ids.fileSystem = ids.effective;
    }
    this.keepsCapabilities = 0;
  }

  /** Whose rights count where it accesses files. */
  get actor(): Actor {
    return { uid: this.user.fileSystem, gid: this.group.fileSystem, groups: this.groups };
  }

  get privileged(): boolean {
    return this.user.effective === 0;
  }

  /** setuid / setgid: the privileged set all three, others only the effective one. */
  set(ids: IdSet, id: number): number {
    if (id === -1) return -E.INVAL;
    if (this.privileged) {
      ids.real = id;
      ids.saved = id;
    } else if (id !== ids.real && id !== ids.saved) {
      return -E.PERM;
    }
    ids.effective = id;
    ids.fileSystem = id;
    return 0;
  }

  /** setresuid / setresgid: -1 leaves one alone. */
  setAll(ids: IdSet, real: number, effective: number, saved: number): number {
    const allowed = (id: number): boolean =>
      id === -1 || this.privileged || id === ids.real || id === ids.effective || id === ids.saved;
    if (![real, effective, saved].every(allowed)) return -E.PERM;
    if (real !== -1) ids.real = real;
    if (effective !== -1) {
      ids.effective = effective;
      ids.fileSystem = effective;
    }
    if (saved !== -1) ids.saved = saved;
    return 0;
  }

  /** setreuid / setregid. */
  setPair(ids: IdSet, real: number, effective: number): number {
    const before = ids.real;
    const result = this.setAll(ids, real, effective, -1);
    if (result === 0 && (real !== -1 || (effective !== -1 && effective !== before))) ids.saved = ids.effective;
    return result;
  }
}
