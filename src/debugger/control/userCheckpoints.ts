/**
 * Checkpoints for people: places in the recording, or in a branch of it, that the user wants to come back to at once. A
 * checkpoint is a plain value. Behind it, a state of the machine is kept (replay/timeline/checkpoints.ts), and a branch
 * stays as it was, though it is left or altered meanwhile.
 */
import { UserError } from '../../base/errors.js';
import type { BranchExecution } from '../../replay/branch/branchExecution.js';
import type { Position } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Branching } from './branching.js';

export interface UserCheckpoint {
  readonly id: number;
  /** Undefined if the user gave none. */
  readonly name: string | undefined;
  readonly position: Position;
  /** Undefined: in the recording. */
  readonly branch: BranchExecution | undefined;
  /** Where that is, in words. */
  readonly place: string;
}

/** What others may want to know: what belongs to an execution and a position can be kept and brought back with it. */
export interface CheckpointEvent {
  readonly what: 'made' | 'restored' | 'deleted';
  readonly checkpoint: UserCheckpoint;
}

/** Who has them. */
interface CheckpointOwner {
  readonly execution: Execution;
  readonly branching: Branching;
}

export class UserCheckpoints {
  /** Told of everything that happens to checkpoints. */
  readonly listeners = new Set<(event: CheckpointEvent) => void>();
  private readonly known = new Map<number, { readonly checkpoint: UserCheckpoint; release(): void }>();
  private next = 1;

  constructor(private readonly owner: CheckpointOwner) {}

  /** In the order in which they were made. */
  get all(): readonly UserCheckpoint[] {
    return [...this.known.values()].map(({ checkpoint }) => checkpoint);
  }

  /** By id, or by name. Throws a UserError if there is none. */
  get(which: string | number): UserCheckpoint {
    const wanted = String(which).trim();
    const found = this.known.get(Number(wanted))?.checkpoint ?? this.all.find(({ name }) => name === wanted);
    if (wanted !== '' && found !== undefined) return found;
    const list = this.all.map(({ id, name }) => (name === undefined ? String(id) : `${id} (${name})`)).join(', ');
    throw new UserError(`${wanted === '' ? 'say which checkpoint' : `no checkpoint ${wanted}`}; ${list === '' ? 'there are none' : `there ${this.known.size === 1 ? 'is' : 'are'} ${list}`}`);
  }

  /** Where it stands. */
  make(name: string | undefined, place: string): UserCheckpoint {
    const { execution, branching } = this.owner;
    if (name !== undefined && /^\d+$/.test(name)) throw new UserError(`a number is no name: checkpoints have numbers already; choose another name than ${name}`);
    if (name !== undefined && this.all.some((other) => other.name === name)) throw new UserError(`there is a checkpoint ${name} already; choose another name, or delete it: cdelete ${name}`);
    const checkpoint = { id: this.next++, name, position: execution.position, branch: branching.branch, place };
    const [releaseState, releaseBranch] = [execution.driver.keep(), branching.hold()];
    this.known.set(checkpoint.id, { checkpoint, release: () => (releaseState(), releaseBranch()) });
    this.tell({ what: 'made', checkpoint });
    return checkpoint;
  }

  /** To where it was made, in what was debugged then. */
  async restore(checkpoint: UserCheckpoint, work?: Work): Promise<void> {
    await this.owner.branching.restore(checkpoint.branch, checkpoint.position, work);
    this.tell({ what: 'restored', checkpoint });
  }

  delete(checkpoint: UserCheckpoint): void {
    this.known.get(checkpoint.id)?.release();
    this.known.delete(checkpoint.id);
    this.tell({ what: 'deleted', checkpoint });
  }

  private tell(event: CheckpointEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
