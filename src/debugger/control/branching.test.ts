import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.js';
import type { BranchExecution } from '../../replay/branch/branchExecution.js';
import { at, type Position } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import { Branching } from './branching.js';
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
});
