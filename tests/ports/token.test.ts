/**
 * Who may use the debug adapter on a port: who speaks its protocol from the first byte, introduces himself, and knows
 * the token.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeMessage, MessageDecoder } from '../../src/dap/wire.js';
import { culprit } from '../cli/culprit.js';
import { Editor } from '../dap/editor.js';
import { type PortServer, startServer } from './servers.js';

interface Answer {
  readonly type: string;
  readonly command?: string;
  readonly success?: boolean;
  readonly message?: string;
}

let folder: string;
let server: PortServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-token-'));
  server = await startServer(['dap']);
}, 30_000);
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const launch = (args: object = {}): object => ({ seq: 2, type: 'request', command: 'launch', arguments: { program: '/bin/sh', args: ['-c', `echo > ${join(folder, 'canary')}`], ...args } });
const INITIALIZE = { seq: 1, type: 'request', command: 'initialize', arguments: { adapterID: 'culprit' } };

/** Sends this, and never hangs up: what the server answers until it does, or as many answers. */
function answersTo(parts: readonly (object | string)[], most = Infinity): Promise<Answer[]> {
  return new Promise((resolve) => {
    const answers: Answer[] = [];
    const heard = (message: unknown): void => {
      answers.push(message as Answer);
      if (answers.filter(({ type }) => type === 'response').length >= most) socket.destroy();
    };
    const decoder = new MessageDecoder({ message: heard, badMessage: (why) => expect.fail(why), lost: (why) => expect.fail(why) });
    const socket = net.connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => decoder.push(bytes));
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve(answers));
    for (const part of parts) socket.write(typeof part === 'string' ? part : encodeMessage(part));
  });
}

const said = (answers: readonly Answer[]): string[] => answers.filter(({ type }) => type === 'response').map(({ command, success, message }) => `${command}: ${success === true ? 'done' : message}`);

describe('the debug adapter on a port', () => {
  it.each(['POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain', 'GET / HTTP/1.1', 'Origin: null', 'Content-Type: text/plain\r\nX: y', 'CONTENT-LENGTH /  HTTP/1.1'])('hangs up on a header with %j, whoever sends it', async (lines) => {
    const body = JSON.stringify(launch({ token: server.token }));
    expect(said(await answersTo([`${lines}\r\nContent-Length: ${body.length}\r\n\r\n${body}`]))).toEqual([]);
  });

  it('hangs up on HTTP before its header is complete', async () => {
    expect(said(await answersTo(['P']))).toEqual([]);
  });

  it('answers nothing before initialize', async () => {
    expect(said(await answersTo([launch({ token: server.token })], 1))).toEqual(['launch: the first request has to be "initialize"']);
  });

  it('wants the token before it does anything, and hangs up on a wrong one', async () => {
    const evaluate = { seq: 3, type: 'request', command: 'evaluate', arguments: { expression: '-exec shell true', context: 'repl' } };
    const wanted = '"token" has to be what culprit dap printed when it started (or CULPRIT_DAP_TOKEN there)';
    expect(said(await answersTo([INITIALIZE, evaluate, launch(), evaluate]))).toEqual(['initialize: done', 'evaluate: first "launch" or "attach", with the token', `launch: launch: ${wanted}`]);
    for (const token of ['', 'x', server.token.slice(1), `${server.token}x`, 5, null, [server.token]]) {
      expect(said(await answersTo([INITIALIZE, launch({ token })]))).toEqual(['initialize: done', `launch: launch: ${wanted}`]);
    }
    expect(said(await answersTo([INITIALIZE, { seq: 2, type: 'request', command: 'attach', arguments: { recording: '/etc/passwd' } }]))).toEqual(['initialize: done', `attach: attach: ${wanted}`]);
  });

  it('takes no long messages from a client that it does not know', async () => {
    expect(said(await answersTo(['Content-Length: 20000000\r\n\r\n']))).toEqual([]);
  });

  it('makes room for others when many say nothing', async () => {
    const silent = Array.from({ length: 40 }, () => net.connect(server.port, '127.0.0.1').on('error', () => undefined));
    await new Promise((resolve) => silent[0]?.on('close', resolve));
    expect(said(await answersTo([INITIALIZE], 1))).toEqual(['initialize: done']);
    for (const socket of silent) socket.destroy();
  });

  it('has run nothing of all that, and serves a proper client', async () => {
    const editor = await Editor.start(server.port);
    await editor.begin('launch', { program: '/bin/sh', args: ['-c', `echo > ${join(folder, 'proper')}`], token: server.token });
    await editor.client.disconnectRequest();
    expect(readdirSync(folder)).toEqual(['proper']);
  });
});

describe('the token', () => {
  it('is printed with the port, and another one every time', async () => {
    expect(server.token).toMatch(/^[\w-]{22,}$/);
    expect(server.said()).toBe(`culprit: debug adapter on 127.0.0.1:${server.port}; in launch or attach: "token": "${server.token}"\n`);
    const other = await startServer(['dap']);
    other.close();
    expect(other.token).not.toBe(server.token);
  });

  it('can be chosen in the environment, is not printed then, and is no business of the program', async () => {
    const token = 'chosen-by-the-script-42';
    const other = await startServer(['dap'], { CULPRIT_DAP_TOKEN: token });
    try {
      expect(other.said()).toBe(`culprit: debug adapter on 127.0.0.1:${other.port}; in launch or attach: "token", as in CULPRIT_DAP_TOKEN\n`);
      const editor = await Editor.start(other.port);
      const listing = join(folder, 'environment');
      await editor.begin('launch', { program: '/bin/sh', args: ['-c', `env > ${listing}`], token });
      await editor.client.disconnectRequest();
      expect(readFileSync(listing, 'utf8')).toContain('PATH=');
      expect(readFileSync(listing, 'utf8')).not.toContain(token);
    } finally {
      other.close();
    }
    expect(culprit(['dap', '--port', '0'], { env: { CULPRIT_DAP_TOKEN: 'short' } })).toMatchObject({ status: 2, stderr: 'culprit: CULPRIT_DAP_TOKEN: a token has 16 characters or more\n' });
  });
});
