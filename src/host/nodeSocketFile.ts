/**
 * Files of the kind that Unix sockets are bound to. Node can only bind and listen at once, and removes the name
 * when it closes; so it listens at another name in the same directory, and a second link to the file stays.
 */
import fs from 'node:fs';
import net from 'node:net';
import { E } from '../base/errno.js';

const DIRECTORY_ONLY = fs.constants.O_RDONLY | fs.constants.O_DIRECTORY;

/** A file with no socket behind it. */
export function makeSocketFile(path: Buffer, mode: number): number {
  const server = net.createServer();
  server.on('error', () => undefined);
  const result = listenAtPath(server, path, mode);
  if (result === 0) server.close();
  return result;
}

/** The server listens at `path` from now on; the file stays when it closes. */
export function listenAtPath(server: net.Server, path: Buffer, mode: number): number {
  const slash = path.lastIndexOf('/'.charCodeAt(0));
  const directory = slash < 0 ? Buffer.from('.') : path.subarray(0, Math.max(slash, 1));
  let fd: number | undefined;
  try {
    fd = fs.openSync(directory, DIRECTORY_ONLY);
    // Through the descriptor the name stays short, whatever the directory's is.
    return listenAndLink(server, `/proc/self/fd/${fd}/.socket-${process.pid}`, path, mode);
  } catch (error) {
    return (error as NodeJS.ErrnoException).errno ?? -E.IO;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

function listenAndLink(server: net.Server, temporary: string, path: Buffer, mode: number): number {
  server.listen(temporary);
  if (!server.listening) return -E.ACCES;
  server.unref();
  try {
    fs.chmodSync(temporary, mode);
    fs.linkSync(temporary, path);
    return 0;
  } catch (error) {
    server.close();
    throw error;
  } finally {
    // Node would do so, but by then the descriptor may mean something else.
    fs.rmSync(temporary, { force: true });
  }
}
