/**
 * A process that records as fast as it can, for tests that end it: its arguments are FILE THREAD CHUNKS.
 * Chunk n holds what `payloadOf` says. At the end it prints what went wrong, or "done".
 */
import { time } from '../../base/types.js';
import { CHUNK } from '../../replay/format/chunks.js';
import { RecordingWriter } from '../../replay/format/recordingWriter.js';
import { createRecordingFile } from '../nodeRecordingSink.js';
import { payloadOf } from './recordingPayload.js';

async function record(path: string, script: string, chunks: number): Promise<void> {
  const sink = createRecordingFile(path, script);
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, { made: 'by a test' });
  await sink.flush();
  process.stdout.write('started\n');
  for (let n = 0; n < chunks; n++) writer.append(CHUNK.EVENTS, { firstTime: time(n), lastTime: time(n + 1), count: 1 }, payloadOf(n));
  writer.appendJson(CHUNK.END, { chunks });
  await sink.close();
  process.stdout.write(`${sink.failure ?? 'done'}\n`);
}

const [path, script, chunks] = process.argv.slice(2);
await record(path!, script!, Number(chunks));
