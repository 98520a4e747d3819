/**
 * A web page knows no limits but the browser's: it may send POST requests of plain text to any port of this machine,
 * and the machine's own debuggers listen on some. What it sends are messages of their protocols. In a real browser, for
 * what it sends exactly is the browser's affair.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, watch } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packetOf } from '../../src/gdbserver/packets.js';
import { culprit, HELLO } from '../cli/culprit.js';
import { Editor } from '../dap/editor.js';
import { type PortServer, startServer } from './servers.js';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let folder: string;
let site: http.Server;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-ports-'));
  site = http.createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A harmless page</title><body>'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: FLAGS });
  page = await browser.newPage();
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

/** In every way that a page has; done when the browser has done with all of them. */
async function sendFromPage(port: number, body: string): Promise<void> {
  await page.evaluate(async ({ url, socketUrl, text }) => {
    const plain = { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' } } as const;
    const settled = (request: Promise<unknown>): Promise<unknown> => request.catch(() => undefined);
    await settled(fetch(url, { ...plain, body: text }));
    await settled(fetch(url, { ...plain, body: new Blob([`\r\n\r\n${text}`]) }));
    await settled(fetch(url, { method: 'PUT', body: text }));
    await settled(fetch(`${url}?${encodeURIComponent(text)}`, { mode: 'no-cors' }));
    navigator.sendBeacon(url, text);
    const form = document.createElement('form');
    const field = document.createElement('input');
    Object.assign(form, { method: 'POST', enctype: 'text/plain', action: url, target: 'frame' });
    // NAME=VALUE is what is sent, and is JSON as well.
    [field.name, field.value] = text.startsWith('{') ? ['{"ignored":"', `",${text.slice(1)}`] : [text, ''];
    form.append(field);
    const frame = document.createElement('iframe');
    frame.name = 'frame';
    document.body.append(frame, form);
    const shown = new Promise((resolve) => setTimeout(resolve, 300));
    form.submit();
    await shown;
    await new Promise((resolve) => {
      const socket = new WebSocket(socketUrl);
      socket.addEventListener('open', () => socket.send(text));
      socket.addEventListener('close', resolve);
    });
  }, { url: `http://127.0.0.1:${port}/`, socketUrl: `ws://127.0.0.1:${port}/`, text: body });
}

describe('a web page', () => {
  it('starts no program by way of the debug adapter, which serves its editor afterwards', async () => {
    const [canary, temporary] = [join(folder, 'canary'), join(folder, 'temporary')];
    mkdirSync(temporary);
    const server = await startServer(['dap'], { TMPDIR: temporary });
    // Browsers hang up when they hear what is no HTTP, which ends the program. That one was to begin shows here.
    const made: (string | null)[] = [];
    const watcher = watch(temporary, (_event, name) => void made.push(name));
    try {
      const launch = { seq: 1, type: 'request', command: 'launch', arguments: { program: '/bin/sh', args: ['-c', `echo > ${canary}`] } };
      await sendFromPage(server.port, JSON.stringify(launch));
      expect(server.isAlive()).toBe(true);
      expect(made).toEqual([]);
      const editor = await Editor.start(server.port);
      await editor.begin('launch', { program: HELLO, token: server.token });
      expect(editor.said('stdout')).toContain('Hello');
      await editor.client.disconnectRequest();
      expect(existsSync(canary)).toBe(false);
      expect(made).not.toEqual([]);
    } finally {
      watcher.close();
      server.close();
    }
  });

  it('gives no commands to the server for gdb, and does not count as its one client', async () => {
    const recording = join(folder, 'hello.culprit');
    expect(culprit(['record', '-o', recording, HELLO]).status).toBe(0);
    const server: PortServer = await startServer(['gdbserver', '--once', recording]);
    try {
      const command = `qRcmd,${Buffer.from('bookmark canary').toString('hex')}`;
      await sendFromPage(server.port, `+${Buffer.from(packetOf(command)).toString('latin1')}`);
      expect(server.isAlive()).toBe(true);
      // gdb shows what a monitor command says on stderr.
      const commands = ['set remotetimeout 60', `target extended-remote :${server.port}`, 'monitor bookmarks'];
      const said = execFileSync('sh', ['-c', 'gdb "$@" 2>&1 || true', 'gdb', '-nx', '-batch', ...commands.flatMap((one) => ['-ex', one])], { encoding: 'utf8' });
      expect(said).toContain('no bookmarks');
    } finally {
      server.close();
    }
  });
});

it('is in a browser that does send such requests', async () => {
  const heard: string[] = [];
  const listener = http.createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => void (body += data.toString()));
    request.on('end', () => {
      heard.push(`${request.method} ${request.headers['content-type']} ${body}`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  await sendFromPage((listener.address() as AddressInfo).port, '{"seq":1}');
  listener.close();
  expect(heard).toContain('POST text/plain {"seq":1}');
  expect(heard).toContain('POST text/plain {"ignored":"=","seq":1}\r\n');
});
