/**
 * What is outside of the sandbox, to be left alone: files, a process with a secret, a terminal of another, listening
 * sockets, System V objects. All of it can tell afterwards whether something was done to it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import fs from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

/** Each is a file of that name in the directory of canaries; rows are named alike. */
const FILES = [
  'open', 'truncated', 'append', 'creat', 'openat', 'opath', 'openat2', 'relative', 'root', 'threadroot', 'cwd', 'reopened', 'devfd', 'threadfd', 'handle', 'linked',
  'target', 'hard', 'proclinked', 'rename', 'over', 'victim', 'exchange', 'exchanged', 'link', 'empty', 'unlink', 'mmap', 'mprotect', 'sendfile', 'copyrange', 'splice',
  'pwritev2', 'hole', 'truncate', 'ftruncate', 'clone', 'flags', 'chmod', 'fchmod', 'fdchmod', 'chown', 'utimes', 'xattr', 'fxattr', 'lease', 'log', 'input',
];
export const ORIGINAL = 'as it was\n';

/** Reads what is written to the terminal behind its back; the first line says its name and process. */
const PROCESS = `
import os, pty, sys
ours, theirs = pty.openpty()
os.set_blocking(ours, False)
print(os.getpid(), os.ttyname(theirs), flush=True)
sys.stdin.readline()
try: print(repr(os.read(ours, 100)))
except BlockingIOError: print('silent')
`;
const OBJECTS = 'my $k = shift; print join " ", shmget($k, 4096, 01600), msgget($k, 01600), semget($k, 1, 01600);';
const REMOVED = 'shmctl($ARGV[0], 0, 0); msgctl($ARGV[1], 0, 0); semctl($ARGV[2], 0, 0, 0);';

export interface Outside {
  readonly directory: string;
  /** The arguments of the program that tries. */
  readonly words: readonly string[];
  /** What happened to it, in words; empty if nothing did. */
  changes(): Promise<readonly string[]>;
  remove(): void;
}

export async function createOutside(): Promise<Outside> {
  const directory = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'culprit-outside-'));
  makeFiles(directory);
  const heard: string[] = [];
  const key = 0x0c01_0000 + (process.pid & 0xffff);
  const process_ = spawn('/usr/bin/python3', ['-c', PROCESS], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, CANARY_SECRET: 'a secret' } });
  const nextLine = linesOf(process_);
  const [pid = '', terminal = ''] = (await nextLine()).split(' ');
  const port = await listenAtPort(heard);
  const servers = [await listening(heard, join(directory, 'socket')), await listening(heard, `\0culprit-escape-${key}`), port.server];
  const objects = execFileSync('perl', ['-e', OBJECTS, String(key)], { encoding: 'utf8' }).split(' ');
  const fifo = fs.openSync(join(directory, 'fifo'), fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const before = snapshot(directory);
  return {
    directory,
    words: [directory, pid, terminal, String(port.number), String(key)],
    async changes() {
      process_.stdin.write('\n');
      const said = await nextLine();
      // What was sent may still be on its way.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return [
        ...differences(before, snapshot(directory)),
        ...(said === 'silent' ? [] : [`the process outside: ${said}`]),
        ...(isEmpty(fifo) ? [] : ['the FIFO was written to']),
        ...heard,
      ];
    },
    remove() {
      for (const server of servers) server.close();
      port.datagrams.close();
      process_.kill();
      fs.closeSync(fifo);
      execFileSync('perl', ['-e', REMOVED, ...objects]);
      fs.rmSync(directory, { recursive: true });
    },
  };
}

function makeFiles(directory: string): void {
  for (const name of FILES) fs.writeFileSync(join(directory, name), ORIGINAL, { mode: 0o644 });
  for (const name of ['d', 'moved', 'rmdir']) fs.mkdirSync(join(directory, name));
  fs.writeFileSync(join(directory, 'moved', 'inner'), ORIGINAL);
  fs.symlinkSync('target', join(directory, 'oldlink'));
  execFileSync('mkfifo', [join(directory, 'fifo')]);
}

/** Lines of what the process says, one after the other; `ended` when there are no more. */
function linesOf(child: ChildProcess): () => Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return async () => ((await lines.next()).value as string | undefined) ?? 'ended';
}

async function listening(heard: string[], place: string | number): Promise<Server> {
  const server = createServer((socket) => {
    heard.push(`a connection to ${JSON.stringify(place)}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => (typeof place === 'number' ? server.listen(place, () => resolve()) : server.listen(place, () => resolve())));
  return server;
}

/** TCP and UDP, IPv4 and IPv6 (where there is such a thing), by the same number. */
async function listenAtPort(heard: string[]): Promise<{ number: number; server: Server; datagrams: ReturnType<typeof createSocket> }> {
  const server = await listening(heard, 0);
  const { port } = server.address() as { port: number };
  const datagrams = createSocket('udp4', (message) => heard.push(`a datagram: ${message.toString()}`));
  await new Promise<void>((resolve) => datagrams.bind(port, () => resolve()));
  return { number: port, server, datagrams };
}

function isEmpty(fifo: number): boolean {
  try {
    return fs.readSync(fifo, Buffer.alloc(16)) === 0;
  } catch {
    return true;
  }
}

/** What there is to know of the files; times of access are left out. */
function snapshot(directory: string): Map<string, string> {
  const names = fs.readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return new Map(['.', ...names].map((name) => [name, described(join(directory, name))]));
}

function described(path: string): string {
  const { mode, uid, gid, nlink, size, mtimeMs, ino } = fs.lstatSync(path);
  const content = fs.lstatSync(path).isFile() ? fs.readFileSync(path, 'latin1') : '';
  return JSON.stringify({ mode: mode.toString(8), uid, gid, nlink, size: fs.lstatSync(path).isDirectory() ? 0 : size, mtimeMs, ino, content });
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => before.get(name) !== after.get(name)).map((name) => `${name}: ${before.get(name) ?? 'not there'} became ${after.get(name) ?? 'not there'}`);
}
