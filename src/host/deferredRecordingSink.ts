/**
 * Where a recording goes that is not kept: most are small, and hardly any is read. So chunks stay in memory until they
 * are many; only then is there a thread that writes them. When the recording is closed it is in its file, like every
 * other.
 */
import type { ChunkToWrite } from '../replay/format/encoding.js';
import type { ChunkSink } from '../replay/format/recordingWriter.js';

const MOST_KEPT = 32 * 1024 * 1024;

export class DeferredRecordingSink implements ChunkSink {
  private kept: ChunkToWrite[] = [];
  private bytes = 0;
  private sink: ChunkSink | undefined;

  /** `isLarge`: there is much to write. */
  constructor(
    private readonly start: (isLarge: boolean) => ChunkSink,
    private readonly mostKept = MOST_KEPT,
  ) {}

  get failure(): string | undefined {
    return this.sink?.failure;
  }

  write(chunk: ChunkToWrite): void {
    if (this.sink !== undefined) return this.sink.write(chunk);
    this.kept.push(chunk);
    this.bytes += chunk.payload.length;
    if (this.bytes > this.mostKept) this.startWriting(true);
  }

  flush(): Promise<void> {
    return this.startWriting(true).flush();
  }

  close(): Promise<void> {
    return this.startWriting(false).close();
  }

  private startWriting(isLarge: boolean): ChunkSink {
    if (this.sink !== undefined) return this.sink;
    const sink = this.start(isLarge);
    for (const chunk of this.kept) sink.write(chunk);
    this.kept = [];
    this.sink = sink;
    return sink;
  }
}
