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

/** What was debugged at some time; undefined: the recording. */
export interface BranchMark {
  readonly branch: BranchExecution | undefined;
}

/** Branches that are wanted though they are not debugged now, and by how many: they are neither dropped nor altered. */
const held = new WeakMap<BranchExecution, number>();

export class Branching {
  private current: BranchExecution | undefined;
  /** The one that was made for a list of alterations, as long as nothing else has been changed in it. */
  private made: BranchExecution | undefined;

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

  /** Whether what is debugged has changes of its own that no list of alterations would make again. */
  get hasOwnChanges(): boolean {
    return this.current !== undefined && this.current !== this.made;
  }

  /** Goes on with a branch that was made elsewhere. */
  adopt(branch: BranchExecution): void {
    this.current?.drop();
    this.current = this.made = branch;
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
    if (branch !== undefined) this.current = await branch.fork(work);
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
    if (held.has(branch)) this.current = await branch.fork(work);
    return this.current ?? branch;
  }

  /** Makes the changes, in the order given. */
  async write(thread: number, writes: readonly PendingWrite[], work?: Work): Promise<void> {
    if (writes.length === 0) return;
    const branch = await this.alterable(work);
    this.made = undefined;
    for (const write of writes) {
      if (write.kind === 'memory') await branch.writeMemory(thread, Number(write.address), write.bytes);
      else await branch.setRegister(thread, write.name, write.value);
    }
  }
}
