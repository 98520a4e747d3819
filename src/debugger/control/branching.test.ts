import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.js';
import type { BranchExecution } from '../../replay/branch/branchExecution.js';
import { at, type Position } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import { Branching, type LaterDeed } from './branching.js';
import { scriptedExecution } from './testing/scriptedExecution.js';

/** Branches by name: `1`, and `1.1` for what was made of it. Writes down what is done to them. */
class Branches {
  readonly done: string[] = [];
  private count = 0;

  make(name: string, start: Position): BranchExecution {
    let forks = 0;
    const note = (what: string): void => void this.done.push(`${name}: ${what}`);
    return {
      start, position: start, name,
      seek: async ({ time }: Position) => note(`seek ${time}`),
      setRegister: async (_thread: number, register: string) => note(`set ${register}`),
      writeMemory: async (_thread: number, address: number) => note(`write ${address}`),
      fork: async () => (note('fork'), this.make(`${name}.${++forks}`, start)),
      drop: () => note('drop'),
    } as unknown as BranchExecution;
  }

  async branchAt(position: Position): Promise<BranchExecution> {
    return this.make(String(++this.count), position);
  }
}

function nameOf({ execution }: Branching): string {
  return (execution as Execution & { readonly name?: string }).name ?? 'recording';
}

describe('branches', () => {
  it('begin with the first change, where the recording stands', async () => {
    const branches = new Branches();
    const branching = new Branching(scriptedExecution({ endTime: 10, happenings: [], since: [] }, at(5)), branches);
    await branching.write(1, []);
    expect(nameOf(branching)).toBe('recording');
    await branching.write(1, [{ kind: 'register', name: 'rax', value: 1n }, { kind: 'memory', address: 16n, bytes: Uint8Array.of(1) }]);
    await branching.write(1, [{ kind: 'register', name: 'rbx', value: 1n }]);
    expect(nameOf(branching)).toBe('1');
    expect(branching.branch?.start).toEqual(at(5));
    expect(branches.done).toEqual(['1: set rax', '1: write 16', '1: set rbx']);
  });

  it('end with a time before them, or when they are dropped', async () => {
    const branches = new Branches();
    const branching = new Branching(scriptedExecution({ endTime: 10, happenings: [], since: [] }, at(5)), branches);
    await branching.enter();
    await branching.seek(at(7));
    expect(nameOf(branching)).toBe('1');
    await branching.seek(at(4));
    expect([nameOf(branching), branching.recording.position]).toEqual(['recording', at(4)]);
    await branching.enter();
    branching.drop();
    expect(nameOf(branching)).toBe('recording');
    expect(branches.done).toEqual(['1: seek 7', '1: drop', '2: drop']);
    expect(() => branching.drop()).toThrow(UserError);
  });

  it('can be marked: what comes then is done in a copy, and undone', async () => {
    const branches = new Branches();
    const branching = new Branching(scriptedExecution({ endTime: 10, happenings: [], since: [] }, at(5)), branches);
    const inRecording = await branching.mark();
    await branching.enter();
    branching.undo(inRecording);
    expect(nameOf(branching)).toBe('recording');
    await branching.enter();
    const inBranch = await branching.mark();
    expect(nameOf(branching)).toBe('2.1');
    branching.undo(inBranch);
    expect(nameOf(branching)).toBe('2');
    branching.forget(await branching.mark());
    expect(nameOf(branching)).toBe('2.2');
    expect(branches.done).toEqual(['1: drop', '2: fork', '2.1: drop', '2: fork', '2: drop']);
  });

  it('cannot be made without who makes them', async () => {
    const branching = new Branching(scriptedExecution({ endTime: 10, happenings: [], since: [] }), undefined);
    await expect(branching.enter()).rejects.toThrow(UserError);
  });

  it('stay as they are while they are held', async () => {
    const branches = new Branches();
    const recording = Object.assign(scriptedExecution({ endTime: 10, happenings: [], since: [] }, at(5)), { driver: { keep: () => () => branches.done.push('released') } });
    const branching = new Branching(recording as unknown as Execution, branches);
    await branching.enter();
    const held = branching.branch;
    const release = branching.hold();
    await branching.write(1, [{ kind: 'register', name: 'rax', value: 1n }]);
    expect(nameOf(branching)).toBe('1.1');
    await branching.seek(at(3));
    expect(nameOf(branching)).toBe('recording');
    await branching.restore(held, at(7));
    expect([nameOf(branching), branching.recording.position]).toEqual(['1', at(5)]);
    branching.drop();
    release();
    release();
    expect(branches.done).toEqual(['1: fork', '1.1: set rax', '1.1: drop', '1: seek 7', 'released', '1: drop']);
  });

  it('know what was done to them: a change undoes what was done later, which is done again', async () => {
    const branches = new Branches();
    const branching = new Branching(scriptedExecution({ endTime: 10, happenings: [], since: [] }, at(5)), branches);
    const deed = (time: number): LaterDeed => ({
      position: at(time),
      again: async (branch, since) => {
        if (time === 9) throw new UserError('control does not come there');
        await branch.seek(at(time));
        return deed(time + since.time);
      },
    });
    await branching.adopt(await branches.branchAt(at(2)), { own: [], deeds: [deed(1), deed(7), deed(9)], about: 'a list' });
    expect(branching.recording.position).toEqual(at(2));
    await branching.write(1, [{ kind: 'register', name: 'rax', value: 1n }]);
    expect(branches.done).toEqual(['1: set rax', '1: seek 7', '1: seek 2']);
    const { own, deeds, about } = branching.history;
    expect([own.map(({ position }) => position), deeds.map(({ position }) => position), about]).toEqual([[at(2)], [at(1), at(9)], 'a list']);
    // A branch that is held is not dropped for another one, and has its history when one is back.
    const held = branching.branch;
    await branching.recording.seek(at(8));
    branching.hold();
    await branching.adopt(await branches.branchAt(at(3)));
    expect([branches.done.includes('1: drop'), branching.history.own]).toEqual([false, []]);
    await branching.restore(held, at(4));
    expect(branching.history.own).toEqual(own);
  });
});
