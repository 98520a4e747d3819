/**
 * A TCP port on which one gdb at a time is served. A client that vanishes, or never says anything, makes room for the
 * next.
 */
import net from 'node:net';
import { UserError } from '../../base/errors.js';
import { Client, type Served } from '../../gdbserver/client.js';
import { Connection, type Line } from '../../gdbserver/connection.js';
import { GdbSession } from '../../gdbserver/session.js';

export const LOOPBACK = '127.0.0.1';

/** Milliseconds that a client waits for another one to go: who has just vanished may not have been noticed yet. */
const PATIENCE = 1000;
/** Milliseconds after which one that has said nothing is left, if another one waits. */
const SILENCE = 500;
/**
 * Milliseconds without a word after which the other end is asked whether it is still there: machines sleep, and cables
 * are pulled.
 */
const KEEP_ALIVE = 10_000;
/** Milliseconds that a client has to read our last answer and go. */
const FAREWELL = 300;

/** Bytes that a client may leave unread: one that reads nothing is as good as gone. */
const MOST_UNREAD = 1 << 24;

interface GdbListenerOptions {
  readonly host?: string | undefined;
  /** Default: one that is free. */
  readonly port?: number | undefined;
  /** Told of what is our own fault. */
  report(error: unknown): void;
  /** A client has gone that has sent a packet: browsers, and who looks for open ports, do not count. */
  gone?(): void;
}

export interface GdbListener {
  readonly port: number;
  close(): Promise<void>;
}

export async function listenForGdb(served: Served, options: GdbListenerOptions): Promise<GdbListener> {
  const { host = LOOPBACK, port = 0, report } = options;
  const server = net.createServer();
  const sockets = new Set<net.Socket>();
  let free = Promise.resolve();
  let silent: net.Socket | undefined;
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    sockets.add(socket);
    const refusal = setTimeout(() => socket.destroy(), PATIENCE);
    const making = setTimeout(() => silent?.destroy(), SILENCE);
    socket.on('close', () => sockets.delete(socket));
    free = free.then(async () => {
      clearTimeout(refusal);
      clearTimeout(making);
      if (socket.destroyed) return;
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE);
      silent = socket;
      let hasSpoken = false;
      const heard = (): void => {
        silent = undefined;
        hasSpoken = true;
      };
      const send = (bytes: Uint8Array): void => {
        socket.write(bytes);
        if (socket.writableLength > MOST_UNREAD) socket.destroy();
      };
      // A client that has done with us may still forget to go.
      const close = (): void => {
        socket.end();
        setTimeout(() => socket.destroy(), FAREWELL).unref();
      };
      await attend(served, { send, close, drop: () => void socket.destroy(), heard }, socket, report);
      if (hasSpoken) options.gone?.();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error) => reject(new UserError(`cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/**
 * Answers a client until it is gone. Packets are acknowledged at once, for gdb has little patience, and answered when
 * all is there.
 */
export async function attend(served: Served, line: Line, input: NodeJS.ReadableStream, report: (error: unknown) => void): Promise<void> {
  const opening = Client.open(served).then((client) => new GdbSession(client, report));
  const connection = new Connection(line, { handle: async (payload, answering) => (await opening).handle(payload, answering) });
  input.on('data', (bytes: Buffer) => connection.receive(bytes));
  const gone = new Promise<void>((resolve) => {
    input.on('close', () => {
      connection.lost();
      resolve();
    });
    input.on('end', () => void connection.ended().then(() => line.close()));
  });
  try {
    const session = await opening;
    await gone;
    await connection.idle();
    await session.client.debuggee.dropBranch();
  } catch (error) {
    report(error);
    connection.lost();
    line.close();
    await gone;
  }
}
