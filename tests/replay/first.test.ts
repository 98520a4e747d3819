import { expect, it } from 'vitest';
import { bytePathFromText } from '../../src/host/bytePath.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { createGuest } from '../../src/linux/guest.js';
import { DEFAULT_ENGINE_OPTIONS } from '../../src/machine/engine.js';
import { Player } from '../../src/replay/play/player.js';
import { MemoryRecording } from '../../src/replay/record/memoryRecording.js';
import { Recorder } from '../../src/replay/record/recorder.js';

it('echo', async () => {
  const host = new NodeHost();
  const recording = new MemoryRecording();
  const recorder = new Recorder(recording, () => performance.now());
  const words = (process.env['REC'] ?? '/bin/echo hello').split(' ').map(bytePathFromText);
  const guest = createGuest(host, { program: words[0]!, args: words.slice(1), environment: host.environment(), world: { witness: recorder } });
  const status = await guest.world.run();
  recorder.finish();
  console.log(status, guest.world.instructions, recorder.count, recording.bytes);
  const player = new Player({ log: recording.log(), blobs: recording, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: guest.world.clock.startSeconds });
  let out = '';
  player.onNote = (note) => {
    if (note.op === 'output') out += new TextDecoder().decode(note.bytes);
  };
  console.log(player.advance(Infinity));
  console.log(player.time, JSON.stringify(out.slice(0, 300)));
  expect(player.time).toBe(guest.world.instructions);
}, 60000);
