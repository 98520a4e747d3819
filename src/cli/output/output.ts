/** Bytes to our own streams, at once and all of them, also into a pipe that takes them in pieces. */
import fs from 'node:fs';
import { UserError } from '../../base/errors.js';

/** The reader has seen enough: no error, but there is no point in going on. */
export class ReaderGone extends Error {}

const PAUSE_MILLISECONDS = 1;

/** Throws ReaderGone if no process reads any more. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSome(fd, bytes, done);
}

function writeSome(fd: number, bytes: Uint8Array, from: number): number {
  try {
    return fs.writeSync(fd, bytes, from);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPIPE') throw new ReaderGone();
    if (code !== 'EAGAIN') throw new UserError(`cannot write the output: ${code}`, 1);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MILLISECONDS);
    return 0;
  }
}

/** Lines to stdout, collected into larger writes. */
export class LineWriter {
  private text = '';

  line(line: string): void {
    this.text += `${line}\n`;
    if (this.text.length >= 65536) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.text);
    this.text = '';
    writeFully(1, bytes);
  }
}

/** Does something that writes to stdout; a reader who has seen enough is no error. */
export function untilReaderGone(action: () => number): number {
  try {
    return action();
  } catch (error) {
    if (error instanceof ReaderGone) return 0;
    throw error;
  }
}
