/**
 * Files that go when we go, however that happens: they lose their name at once, and live as long as a process has them
 * open. Others reach them by our descriptor. What needs a name (sockets, scripts that Node is to load) lies in a folder
 * that is removed when we exit.
 */
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';

interface TemporaryFile {
  /** Leads to it as long as we have it open, also for processes that we start. */
  readonly path: string;
  readonly size: number;
  close(): void;
}

/** Readable and writable by the user alone. */
export function temporaryFile(content: string | Uint8Array = ''): TemporaryFile {
  const folder = fs.mkdtempSync(join(os.tmpdir(), 'culprit-'));
  const name = join(folder, 'file');
  try {
    const fd = fs.openSync(name, 'wx+', 0o600);
    fs.writeFileSync(fd, content);
    return {
      path: `/proc/${process.pid}/fd/${fd}`,
      get size() {
        return fs.fstatSync(fd).size;
      },
      close: () => fs.closeSync(fd),
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** It goes when we exit, if it is not removed before. */
export function temporaryFolder(): TemporaryFolder {
  const path = fs.mkdtempSync(join(os.tmpdir(), 'culprit-'));
  const remove = (): void => {
    fs.rmSync(path, { recursive: true, force: true });
    process.off('exit', remove);
  };
  process.on('exit', remove);
  return { path, remove };
}
