/**
 * A set of System V semaphores. The operations of one semop happen all together or not at all; who cannot go
 * on waits in line, and whenever a value changes the line is gone through: first those who wait for
 * zero, then the others in the order of their coming.
 */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { IPC, IpcObject } from './ipcObjects.js';
import { WaitingLine } from './waitingLine.js';

export const LARGEST_VALUE = 32767;
const SEM_UNDO = 0x1000;

export interface SemaphoreOperation {
  readonly index: number;
  /** Added to the value; 0 waits for zero. */
  readonly change: number;
  readonly flags: number;
}

export interface SemaphoreRequest {
  readonly operations: readonly SemaphoreOperation[];
  readonly pid: number;
  readonly undo: UndoList;
}

/** What to give back when the process ends, by set. */
export type UndoList = Map<SemaphoreSet, number[]>;

/** The operation that cannot be done now. */
interface Obstacle {
  readonly blocking: SemaphoreOperation;
}

export class SemaphoreSet extends IpcObject {
  readonly values: number[];
  /** Who changed each last. */
  readonly pids: number[];
  /** Undo lists that mention this set. */
  private readonly undoLists = new Set<UndoList>();
  readonly line = new WaitingLine<SemaphoreRequest>();
  operated = 0;
  changed = 0;

  constructor(creator: Process, key: number, mode: number, size: number) {
    super(creator, key, mode);
    this.values = Array.from({ length: size }, () => 0);
    this.pids = Array.from({ length: size }, () => 0);
  }

  /** Does all operations, or tells which one is in the way, or why it is impossible. */
  perform(request: SemaphoreRequest): 0 | number | Obstacle {
    const values = [...this.values];
    const adjustments = this.adjustmentsOf(request);
    for (const operation of request.operations) {
      const { index, change, flags } = operation;
      const value = (values[index] as number) + change;
      if (change === 0 ? value !== 0 : value < 0) {
        return (flags & IPC.NOWAIT) !== 0 ? -E.AGAIN : { blocking: operation };
      }
      if (value > LARGEST_VALUE) return -E.RANGE;
      values[index] = value;
      if ((flags & SEM_UNDO) === 0) continue;
      const adjustment = (adjustments[index] as number) - change;
      if (Math.abs(adjustment) > LARGEST_VALUE + (adjustment < 0 ? 1 : 0)) return -E.RANGE;
      adjustments[index] = adjustment;
    }
    this.accept(request, values, adjustments);
    return 0;
  }

  /** Goes through the line until no request can go on; to be called whenever values have changed. */
  serve(): void {
    const tryTo = (request: SemaphoreRequest): number | undefined => {
      const result = this.perform(request);
      return typeof result === 'number' ? result : undefined;
    };
    const onlyWaits = ({ operations }: SemaphoreRequest): boolean => operations.every(({ change }) => change === 0);
    const serveFirst = (): number | undefined =>
      this.line.completeFirst((request) => (onlyWaits(request) ? tryTo(request) : undefined)) ??
      this.line.completeFirst((request) => (onlyWaits(request) ? undefined : tryTo(request)));
    while (serveFirst() !== undefined);
  }

  /** How many wait for a semaphore to grow, or to become zero. */
  waitersFor(index: number, kind: 'growth' | 'zero'): number {
    return this.line.requests.filter((request) => {
      const obstacle = this.obstacle(request);
      return obstacle?.index === index && (obstacle.change === 0) === (kind === 'zero');
    }).length;
  }

  /** SETVAL, SETALL: what processes would have undone is forgotten. */
  setValues(first: number, values: readonly number[], pid: number): void {
    values.forEach((value, i) => {
      this.values[first + i] = value;
      this.pids[first + i] = pid;
      for (const list of this.undoLists) {
        const adjustments = list.get(this);
        if (adjustments !== undefined) adjustments[first + i] = 0;
      }
    });
    this.serve();
  }

  /** A process ends: gives back what it asked to be given back. */
  undo(list: UndoList, pid: number): void {
    this.undoLists.delete(list);
    list.get(this)?.forEach((adjustment, i) => {
      if (adjustment === 0) return;
      this.values[i] = Math.min(LARGEST_VALUE, Math.max(0, (this.values[i] as number) + adjustment));
      this.pids[i] = pid;
    });
    this.serve();
  }

  remove(): void {
    for (const list of this.undoLists) list.delete(this);
    this.line.completeAll(-E.IDRM);
  }

  private obstacle(request: SemaphoreRequest): SemaphoreOperation | undefined {
    const values = [...this.values];
    return request.operations.find(({ index, change }) => {
      const value = (values[index] as number) + change;
      values[index] = value;
      return change === 0 ? value !== 0 : value < 0;
    });
  }

  private adjustmentsOf({ operations, undo }: SemaphoreRequest): number[] {
    if (!operations.some(({ flags }) => (flags & SEM_UNDO) !== 0)) return [];
    return [...(undo.get(this) ?? this.values.map(() => 0))];
  }

  private accept({ operations, pid, undo }: SemaphoreRequest, values: readonly number[], adjustments: number[]): void {
    for (const { index } of operations) {
      this.values[index] = values[index] as number;
      this.pids[index] = pid;
    }
    if (adjustments.length === 0) return;
    undo.set(this, adjustments);
    this.undoLists.add(undo);
  }
}
