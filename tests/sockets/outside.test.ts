/** Guests that talk to programs outside: the test is the outside. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../table/built.js';
import { CULPRIT } from '../table/run.js';

const TIMEOUT = 120_000;
beforeAll(ensureBuilt, 300_000);

const guests: ChildProcess[] = [];
afterEach(() => {
  for (const guest of guests.splice(0)) guest.kill('SIGKILL');
});

/** Runs python code in a guest. Lines of its output come one by one. */
class Guest {
  private readonly process: ChildProcess;
  private output = '';
  readonly ended: Promise<number | null>;

  constructor(code: string, args: readonly string[], options: readonly string[] = []) {
    this.process = spawn(CULPRIT, ['run', ...options, '/usr/bin/python3', '-S', '-B', '-c', code, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    guests.push(this.process);
    this.process.stdout?.on('data', (bytes: Buffer) => (this.output += bytes.toString()));
    this.ended = new Promise((resolve) => this.process.on('exit', resolve));
  }

  async line(): Promise<string> {
    while (!this.output.includes('\n')) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (this.process.exitCode !== null && !this.output.includes('\n')) return 'ended';
    }
    const end = this.output.indexOf('\n');
    const line = this.output.slice(0, end);
    this.output = this.output.slice(end + 1);
    return line;
  }
}

function listen(handler: (socket: net.Socket) => void, host = '127.0.0.1'): Promise<{ server: net.Server; port: number }> {
  const server = net.createServer({ allowHalfOpen: true }, handler);
  return new Promise((resolve) => server.listen(0, host, () => resolve({ server, port: (server.address() as AddressInfo).port })));
}

const CLIENT = `
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
there = s.getpeername()[1] == int(sys.argv[2])
s.sendall(b"x" * 1000000)
s.shutdown(socket.SHUT_WR)
got = b""
while data := s.recv(65536): got += data
print(len(got), there, flush=True)
`;

const SERVER = `
import socket, sys
s = socket.create_server((sys.argv[1], 0))
print(s.getsockname()[1], flush=True)
c, address = s.accept()
data = b""
while more := c.recv(65536): data += more
c.sendall(data[::-1])
c.close()
print(len(data), address[0], flush=True)
`;

describe('a guest and the host', () => {
  it('the guest connects', async () => {
    const { server, port } = await listen((socket) => socket.pipe(socket));
    const guest = new Guest(CLIENT, ['127.0.0.1', String(port)]);
    expect(await guest.line()).toBe('1000000 True');
    expect(await guest.ended).toBe(0);
    server.close();
  }, TIMEOUT);

  it('the guest listens', async () => {
    const guest = new Guest(SERVER, ['127.0.0.1']);
    const port = Number(await guest.line());
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(`start${'.'.repeat(500_000)}end`);
    let answer = '';
    for await (const bytes of socket) answer += String(bytes);
    expect(answer).toBe(`dne${'.'.repeat(500_000)}trats`);
    expect(await guest.line()).toBe('500008 127.0.0.1');
    expect(await guest.ended).toBe(0);
  }, TIMEOUT);

  it('a port without a listener, and a reset connection', async () => {
    const { server, port } = await listen((socket) => socket.on('data', () => socket.resetAndDestroy()));
    const guest = new Guest(
      `
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.send(b"x")
try: print(s.recv(1), flush=True)
except OSError as e: print(e.errno, flush=True)
s = socket.socket(); s.setblocking(False)
print(s.connect_ex(("127.0.0.1", int(sys.argv[2]))), s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), flush=True)
s = socket.socket()
try: s.bind(("127.0.0.1", int(sys.argv[1])))
except OSError as e: print(e.errno, flush=True)
`,
      [String(port), '1'],
    );
    expect([await guest.line(), await guest.line(), await guest.line()]).toEqual(['104', '115 111', '98']);
    server.close();
  }, TIMEOUT);

  it('datagrams go out and come back', async () => {
    const echo = dgram.createSocket('udp4');
    echo.on('message', (bytes, from) => echo.send(`<${bytes.toString()}>`, from.port, from.address));
    await new Promise<void>((resolve) => echo.bind(0, '127.0.0.1', resolve));
    const code = `
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(20)
s.connect(("127.0.0.1", int(sys.argv[1])))
for i in range(3):
    s.send(b"message %d" % i); print(s.recv(100).decode(), flush=True)
`;
    const guest = new Guest(code, [String(echo.address().port)]);
    expect([await guest.line(), await guest.line(), await guest.line()]).toEqual(['<message 0>', '<message 1>', '<message 2>']);
    echo.close();
  }, TIMEOUT);

  it('Unix sockets, in both directions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outside-'));
    const server = net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => server.listen(join(folder, 'host'), resolve));
    const code = `
import os, socket, sys
os.chdir(sys.argv[1])
c = socket.socket(socket.AF_UNIX); c.connect("host"); c.sendall(b"x" * 700000); c.shutdown(socket.SHUT_WR)
got = 0
while data := c.recv(65536): got += len(data)
print(got, flush=True)
s = socket.socket(socket.AF_UNIX); s.bind("guest"); s.listen()
print("ready", flush=True)
c, _ = s.accept()
c.sendall(c.recv(100).upper()); c.close()
try: socket.socket(socket.AF_UNIX).connect("dead")
except OSError as e: print(e.errno, flush=True)
`;
    execFileSync('/usr/bin/python3', ['-c', 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])', join(folder, 'dead')]);
    const guest = new Guest(code, [folder]);
    expect(await guest.line()).toBe('700000');
    expect(await guest.line()).toBe('ready');
    const socket = net.connect(join(folder, 'guest'));
    socket.write('hello');
    let answer = '';
    for await (const bytes of socket) answer += String(bytes);
    expect(answer).toBe('HELLO');
    expect(await guest.line()).toBe('111');
    expect(await guest.ended).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['dead', 'guest', 'host']);
    server.close();
    rmSync(folder, { recursive: true });
  }, TIMEOUT);

  it('a guest server that waits for ever ends when it is told to', async () => {
    const guest = new Guest(`import socket\ns = socket.create_server(("127.0.0.1", 0))\nprint("ready", flush=True)\ns.accept()`, []);
    expect(await guest.line()).toBe('ready');
    guests[0]?.kill('SIGTERM');
    expect(await guest.ended).not.toBe(0);
  }, TIMEOUT);
});
