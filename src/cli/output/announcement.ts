/**
 * A culprit that another program starts for us (an editor, in its terminal) tells us that it runs: it connects to a
 * socket of ours, says its process number and keeps the line until it ends, however it ends.
 */
import { once } from 'node:events';
import net from 'node:net';
import { UserError } from '../../base/errors.js';

/** For as long as this process lives. */
export async function announceTo(socketPath: string): Promise<void> {
  const socket = net.connect(socketPath);
  try {
    await once(socket, 'connect');
  } catch {
    throw new UserError(`nobody waits for this at ${socketPath}`);
  }
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.write(`${process.pid}\n`, resolve));
  socket.unref();
}

interface AnnouncedProcess {
  readonly pid: number;
  readonly ended: Promise<void>;
}

export interface Announcements {
  /** The first that comes. */
  readonly first: Promise<AnnouncedProcess>;
  close(): void;
}

export async function awaitAnnouncement(socketPath: string): Promise<Announcements> {
  const server = net.createServer();
  const first = new Promise<AnnouncedProcess>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => undefined);
      const ended = new Promise<void>((end) => socket.on('close', () => end()));
      let said = '';
      socket.on('data', (data) => {
        said += data.toString();
        const pid = Number(/^(\d+)\n/.exec(said)?.[1]);
        if (pid > 0) resolve({ pid, ended });
      });
    });
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return { first, close: () => void server.close() };
}
