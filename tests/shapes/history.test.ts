/**
 * The history is what happened: done up to any time, it makes the fields of all nodes what the memory of the program
 * has then; and undone, what it had before.
 */
import { describe, expect, it } from 'vitest';
import { MemoryMirror } from '../../src/shapes/history/memoryMirror.js';
import type { FieldValue, NodeId } from '../../src/shapes/model.js';
import { at } from '../../src/replay/log/position.js';
import { compiled } from './compiled.js';
import { type Gathered, gathered } from './gathered.js';

/** The fields of all nodes that are there, by doing operations in order. */
function graphAt({ operations }: Gathered, time: number): Map<NodeId, FieldValue[]> {
  const graph = new Map<NodeId, FieldValue[]>();
  for (let i = 0; i < operations.length; i++) {
    const operation = operations.at(i);
    if (operation.time >= time) break;
    if (operation.kind === 'made') graph.set(operation.node, [...operation.values]);
    else if (operation.kind === 'gone') graph.delete(operation.node);
    else {
      const values = graph.get(operation.node) as FieldValue[];
      expect(values[operation.field - 1]).toEqual(operation.before);
      values[operation.field - 1] = operation.after;
    }
  }
  return graph;
}

async function expectMemory(found: Gathered, time: number): Promise<void> {
  const { run: { execution }, lives, process } = found;
  await execution.seek(at(time));
  const thread = execution.state.threads.find(({ pid }) => pid === process.pid);
  if (thread === undefined) return;
  for (const [node, values] of graphAt(found, time)) {
    const life = lives[node] as Gathered['lives'][number];
    const bytes = execution.state.read(thread.id, life.address as never, life.bytes);
    const mirror = new MemoryMirror();
    mirror.write(life.address, life.bytes, new DataView((bytes as Uint8Array).buffer, (bytes as Uint8Array).byteOffset), 0);
    expect({ node, time, values }).toEqual({ node, time, values: life.type.fields.map((field) => mirror.read(life.address, field)) });
  }
}

describe.each([['-O0'], ['-O2']])('a program compiled with %s', (flag) => {
  it('has the nodes of all kinds of memory, and their fields at any time', async () => {
    const found = await gathered([compiled('memories.c', [flag])], { types: ['node', 'owner'], roots: ['head'] });
    const { operations, lives } = found;
    const count = (name: string): number => lives.filter(({ type }) => type.name === name).length;
    expect(found.remarks).toEqual([]);
    // Three of the table, six by fresh, four, forty instead of them, one.
    expect(count('node')).toBe(3 + 6 + 4 + 40 + 1);
    expect([count('owner'), count('head')]).toEqual([1, 1]);
    expect(found.types.type('node')?.fields.map(({ name }) => name)).toEqual(['key', 'flag', 'colour', 'name', 'weight', 'at.x', 'at.y', 'next[0]', 'next[1]']);
    expect(found.types.type('node')?.fields[7]).toMatchObject({ kind: 'pointer', pointee: 'node', bytes: 8 });
    const end = found.process.end?.time ?? 0;
    for (const time of [0.5, 0.9, 0.99].map((part) => Math.floor(end * part))) await expectMemory(found, time);
    const times = Array.from({ length: operations.length }, (_, i) => operations.at(i).time);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (let i = Math.floor(times.length / 4); i < times.length; i += 17) await expectMemory(found, (times[i] as number) + 1);
  }, 60_000);
});
