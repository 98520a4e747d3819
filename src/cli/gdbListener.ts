/** A TCP port on which one gdb at a time is served. A client that vanishes makes room for the next. */
import net from 'node:net';
import { UserError } from '../base/errors.js';
import { Client, type Served } from '../gdbserver/client.js';
import { Connection, type Line } from '../gdbserver/connection.js';
import { Session } from '../gdbserver/session.js';

export const LOOPBACK = '127.0.0.1';

export interface GdbListenerOptions {
  readonly host?: string | undefined;
  /** Default: one that is free. */
  readonly port?: number | undefined;
  /** Told of what is our own fault. */
  report(error: unknown): void;
  /** A client has gone. */
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
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    if (sockets.size > 0) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.setNoDelay(true);
    void attend(served, { send: (bytes) => void socket.write(bytes), close: () => void socket.end() }, socket, report).then(() => {
      sockets.delete(socket);
      options.gone?.();
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

/** Answers a client until it is gone. */
export async function attend(served: Served, line: Line, input: NodeJS.ReadableStream, report: (error: unknown) => void): Promise<void> {
  let connection: Connection | undefined;
  let session: Session | undefined;
  let isGone = false;
  const early: Uint8Array[] = [];
  input.on('data', (bytes: Buffer) => (connection === undefined ? void early.push(bytes) : connection.receive(bytes)));
  const gone = new Promise<void>((resolve) => {
    input.on('close', () => {
      isGone = true;
      connection?.lost();
      resolve();
    });
    input.on('end', () => {
      connection?.lost();
      line.close();
    });
  });
  try {
    session = new Session(await Client.open(served), report);
    connection = new Connection(line, session);
    if (isGone) connection.lost();
    for (const bytes of early) connection.receive(bytes);
  } catch (error) {
    report(error);
    line.close();
  }
  await gone;
  await connection?.idle();
  await session?.client.debuggee.dropBranch();
}
