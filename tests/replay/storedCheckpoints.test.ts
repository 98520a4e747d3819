/** Checkpoints that are stored in a recording, or sent to another thread, are the state that they were made of. */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { beforeAll, describe, expect, it } from 'vitest';
import { PageStore } from '../../src/machine/snapshots/pageStore.js';
import { CheckpointWriter } from '../../src/replay/checkpointStore/storeCheckpoints.js';
import { StoredCheckpoints } from '../../src/replay/checkpointStore/storedCheckpoints.js';
import { CHUNK } from '../../src/replay/format/chunks.js';
import { MemorySink } from '../../src/replay/format/testing/memorySink.js';
import type { RecordingReader } from '../../src/replay/format/recordingReader.js';
import { RecordingWriter } from '../../src/replay/format/recordingWriter.js';
import { deflate, openBytes } from '../../src/replay/format/testing/sampleRecordings.js';
import { Player } from '../../src/replay/play/player.js';
import { at } from '../../src/replay/log/position.js';
import { exportState, importState } from '../../src/replay/play/portableState.js';
import { StateHasher } from '../../src/replay/timeline/stateHash.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { buildProgram } from '../programs/build.js';
import { type Recorded, record } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const INTERVAL = 9001;

/** A file with nothing but the checkpoints of a timeline. */
function stored({ checkpoints, store }: Timeline): Uint8Array {
  const sink = new MemorySink({ deflate });
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, {});
  const added = new CheckpointWriter(writer, store);
  for (const { position, state } of checkpoints.all) if (position.time > 0) added.add(state);
  return sink.bytes();
}

async function played(run: Recorded, checkpointInterval = INTERVAL): Promise<Timeline> {
  const timeline = new Timeline({ ...run.options, checkpointInterval });
  await timeline.seekEnd();
  return timeline;
}

function withStored(run: Recorded, reader: RecordingReader): Timeline {
  return new Timeline({ ...run.options, checkpointInterval: INTERVAL, stored: new StoredCheckpoints(reader, run.options.log) });
}

/** As if it came from another thread. */
function sent<T>(value: T): T {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const received = receiveMessageOnPort(port2) as { message: T };
  port1.close();
  return received.message;
}

describe.each([['sharedLocks.c', 60_013], ['timeTravel.c', 9001]] as const)('checkpoints of %s', (source, interval) => {
  let run: Recorded;
  const hasher = new StateHasher();

  beforeAll(async () => {
    run = await record([await buildProgram(source, VARIANT)], { scheduleSeed: 2 });
  });

  it('come back from a file, one by one and in any order', async () => {
    const original = await played(run, interval);
    const bytes = stored(original);
    const reader = openBytes(bytes);
    const times = original.checkpoints.all.map(({ position }) => position.time).filter((time) => time > 0);
    expect(new StoredCheckpoints(reader, run.options.log).times).toEqual(times);
    expect(new StoredCheckpoints(reader, run.options.log).check()).toBe(0);
    const timeline = withStored(run, reader);
    for (const time of [times.at(-1) as number, ...times.slice(0, 3), ...times.slice(0, -1).reverse()].slice(0, 6)) {
      await Promise.all([timeline, original].map((one) => one.seek(at(time + 1))));
      expect(timeline.checkpoints.all.map(({ position }) => position.time)).toContain(time);
      expect(hasher.hash(timeline.player.world), `time ${time}`).toBe(hasher.hash(original.player.world));
      expect(timeline.state.threads).toEqual(original.state.threads);
    }
    await Promise.all([timeline, original].map((one) => one.seekEnd()));
    expect(hasher.hash(timeline.player.world)).toBe(hasher.hash(original.player.world));
  });

  it('go on in another thread as here', async () => {
    const original = await played(run, interval);
    const store = new PageStore(sent(original.store.share()));
    const player = new Player(run.options);
    const { all } = original.checkpoints;
    for (const { state } of [all[Math.floor(all.length / 2)], all[Math.floor(all.length / 4)]].filter((one) => one !== undefined)) {
      player.restore(importState(sent(exportState(state)), player.world, store), store);
      expect(player.time).toBe(state.time);
      for (const later of [0, 5000]) {
        await original.seek(at(state.time + later));
        player.advance(state.time + later);
        expect(hasher.hash(player.world)).toBe(hasher.hash(original.player.world));
      }
    }
    expect(store.bytes).toBe(0);
  });
});

describe('stored checkpoints', () => {
  it('that are damaged are not used', async () => {
    const run = await record([await buildProgram('timeTravel.c', VARIANT)]);
    const original = await played(run);
    const bytes = stored(original);
    const { chunks } = openBytes(bytes);
    const hasher = new StateHasher();
    await original.seek(at(run.instructions - 10));
    const wanted = hasher.hash(original.player.world);
    const victims = [...chunks.filter(({ kind }) => kind === CHUNK.PAGES).slice(0, 2), ...chunks.filter(({ kind }) => kind === CHUNK.CHECKPOINT).slice(-2)];
    for (const { where } of victims) {
      const damaged = bytes.slice();
      damaged.fill(0x55, where.offset + 64, where.offset + 64 + where.storedLength);
      const reader = openBytes(damaged);
      expect(new StoredCheckpoints(reader, run.options.log).check()).toBeGreaterThan(0);
      const timeline = withStored(run, reader);
      await timeline.seek(at(run.instructions - 10));
      expect(hasher.hash(timeline.player.world)).toBe(wanted);
    }
  });

  it('of another version, or of nonsense, are not used', async () => {
    const run = await record([await buildProgram('timeTravel.c', VARIANT)]);
    const original = await played(run);
    const reader = openBytes(stored(original));
    const chunk = reader.chunks.find(({ kind }) => kind === CHUNK.CHECKPOINT);
    if (chunk === undefined) throw new Error('none');
    const payload = reader.read(chunk);
    for (let i = 0; i < 200; i++) {
      const changed = payload.slice();
      // The first bytes are the fingerprint.
      changed[i < 5 ? i : (i * 7919) % changed.length] = i & 0xff;
      if (changed.every((byte, at) => byte === payload[at])) continue;
      const read = (one: typeof chunk): Uint8Array => (one === chunk ? changed : reader.read(one));
      const checkpoints = new StoredCheckpoints({ chunks: reader.chunks, read } as unknown as RecordingReader, run.options.log);
      const store = new PageStore();
      // Whatever is in it, it is a state or is refused.
      const state = checkpoints.into(store).load(0, new Player(run.options).world);
      if (i < 5) expect(state).toBeUndefined();
    }
  });
});
