/**
 * The recording, and at most one what-if branch of it that is debugged in its place. A branch begins when something is
 * changed, and ends when the user drops it or goes to a time before it.
 */
import { UserError } from '../../base/errors.js';
import type { BranchExecution, BranchMaker } from '../../replay/branch/branchExecution.js';
import { comparePositions, type Position } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Work } from '../../replay/timeline/work.js';

export type PendingWrite =
  | { readonly kind: 'memory'; readonly address: bigint; readonly bytes: Uint8Array }
  | { readonly kind: 'register'; readonly name: string; readonly value: bigint };

/** A change that the user made in a branch, and where in it. */
export interface OwnWrite {
  readonly position: Position;
  readonly thread: number;
  readonly write: PendingWrite;
}

/** Something that was done to a branch at a time of it. A change before that undoes it: then it is done again. */
export interface LaterDeed {
  /** Of the last that was done for it. */
  readonly position: Position;
  /**
   * Does it again in a branch where it is done up to `since` only, and all that was before it. It throws a UserError
   * if control does not come there.
   */
  again(branch: BranchExecution, since: Position, work?: Work): Promise<LaterDeed>;
}

/** What has been done to a branch. */
export interface BranchHistory {
  /** By the user, in the order of time. */
  readonly own: readonly OwnWrite[];
  /** By who made the branch, in the order of time. */
  readonly deeds: readonly LaterDeed[];
  /** What its maker wants to know of it. */
  readonly about?: unknown;
}

const NO_HISTORY: BranchHistory = { own: [], deeds: [] };

/** What was debugged at some time; undefined: the recording. */
export interface BranchMark {
  readonly branch: BranchExecution | undefined;
}

/** Branches that are wanted though they are not debugged now, and by how many: they are neither dropped nor altered. */
const held = new WeakMap<BranchExecution, number>();

export class Branching {
  private current: BranchExecution | undefined;
  private readonly histories = new WeakMap<BranchExecution, BranchHistory>();

  constructor(
    readonly recording: Execution,
    readonly maker: BranchMaker | undefined,
  ) {}

  /** What is debugged now. */
  get execution(): Execution {
    return this.current ?? this.recording;
  }

  /** Undefined while that is the recording. */
  get branch(): BranchExecution | undefined {
    return this.current;
  }

  /** What has been done to the branch that is debugged; nothing to the recording. */
  get history(): BranchHistory {
    return (this.current === undefined ? undefined : this.histories.get(this.current)) ?? NO_HISTORY;
  }

  /** Goes on with a branch that was made elsewhere. The recording stands where it begins: that is what it leaves. */
  async adopt(branch: BranchExecution, history: BranchHistory = NO_HISTORY, work?: Work): Promise<void> {
    await this.recording.seek(branch.start, work);
    this.histories.set(branch, history);
    this.leave(branch);
  }

  /** The branch, which begins here if there is none. */
  async enter(work?: Work): Promise<BranchExecution> {
    if (this.current !== undefined) return this.current;
    if (this.maker === undefined) throw new UserError('this recording cannot be changed: there are no branches here');
    this.current = await this.maker.branchAt(this.recording.position, work);
    return this.current;
  }

  /**
   * A branch of its own from here, beside what is debugged: the caller drops it. Undefined where there are no branches.
   */
  async aside(): Promise<BranchExecution | undefined> {
    return this.current === undefined ? this.maker?.branchAt(this.recording.position) : this.current.fork();
  }

  /** Back to the recording, where the branch began. */
  drop(): void {
    if (this.current === undefined) throw new UserError('there is no branch: this is the recording');
    this.leave(undefined);
  }

  /**
   * What is debugged now stays as it is, until what is returned is called: it can be returned to, and what is altered
   * is altered in a copy.
   */
  hold(): () => void {
    const { current: branch, recording } = this;
    if (branch === undefined) return () => undefined;
    // It is where one comes to from the branch.
    const releaseStart = comparePositions(recording.position, branch.start) === 0 ? recording.driver.keep() : undefined;
    held.set(branch, (held.get(branch) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      releaseStart?.();
      const left = (held.get(branch) ?? 0) - 1;
      if (left > 0) held.set(branch, left);
      else held.delete(branch);
      if (left === 0 && branch !== this.current) branch.drop();
    };
  }

  /** To what was debugged when it was held, as it was then. Undefined: the recording. */
  async restore(branch: BranchExecution | undefined, position: Position, work?: Work): Promise<void> {
    await branch?.seek(position, work);
    await this.recording.seek(branch?.start ?? position, work);
    this.leave(branch);
  }

  private leave(next: BranchExecution | undefined): void {
    const { current } = this;
    this.current = next;
    if (current !== undefined && current !== next && !held.has(current)) current.drop();
  }

  /** Times before a branch are the recording's. */
  async seek(position: Position, work?: Work): Promise<void> {
    if (this.current !== undefined && comparePositions(position, this.current.start) < 0) this.drop();
    await this.execution.seek(position, work);
  }

  /**
   * What is done from now on can be undone: `undo` brings back what is debugged now. To be told later that it is not
   * needed.
   */
  async mark(work?: Work): Promise<BranchMark> {
    const branch = this.current;
    if (branch !== undefined) this.current = await this.forkOf(branch, work);
    return { branch };
  }

  undo({ branch }: BranchMark): void {
    this.leave(branch);
  }

  forget({ branch }: BranchMark): void {
    if (branch !== undefined && branch !== this.current && !held.has(branch)) branch.drop();
  }

  /** The branch, which begins here if there is none; a copy of it if it is to stay as it is. */
  private async alterable(work: Work | undefined): Promise<BranchExecution> {
    const branch = await this.enter(work);
    if (held.has(branch)) this.current = await this.forkOf(branch, work);
    return this.current ?? branch;
  }

  private async forkOf(branch: BranchExecution, work: Work | undefined): Promise<BranchExecution> {
    const fork = await branch.fork(work);
    this.histories.set(fork, this.histories.get(branch) ?? NO_HISTORY);
    return fork;
  }

  /** Makes the changes, in the order given. What was done to the branch at later times is done again. */
  async write(thread: number, writes: readonly PendingWrite[], work?: Work): Promise<void> {
    if (writes.length === 0) return;
    const branch = await this.alterable(work);
    const { position } = branch;
    for (const write of writes) await writeTo(branch, thread, write);
    const { own, deeds, about } = this.histories.get(branch) ?? NO_HISTORY;
    const isBefore = (one: { readonly position: Position }): boolean => comparePositions(one.position, position) <= 0;
    const all = [...own.filter(isBefore), ...writes.map((write) => ({ position, thread, write }))];
    this.histories.set(branch, { own: all, deeds: deeds.filter(isBefore), about });
    const later = deeds.filter((deed) => !isBefore(deed));
    if (later.length === 0) return;
    const again = await doneAgain(branch, later, position, work);
    this.histories.set(branch, { own: all, deeds: [...deeds.filter(isBefore), ...again], about });
    await branch.seek(position, work);
  }
}

/** Makes a change where the branch stands. */
export async function writeTo(branch: BranchExecution, thread: number, write: PendingWrite): Promise<void> {
  if (write.kind === 'memory') await branch.writeMemory(thread, Number(write.address), write.bytes);
  else await branch.setRegister(thread, write.name, write.value);
}

/**
 * One after the other, in the order of time. What control does not come to any more is left out. The branch stands
 * somewhere else then.
 */
export async function doneAgain(branch: BranchExecution, deeds: readonly LaterDeed[], since: Position, work?: Work): Promise<LaterDeed[]> {
  const done: LaterDeed[] = [];
  for (const deed of deeds) {
    try {
      done.push(await deed.again(branch, since, work));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
  return done;
}
