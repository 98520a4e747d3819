import dgram from 'node:dgram';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { E } from '../base/errno.js';
import { bytePath } from '../base/bytePath.js';
import type { HostConnection, HostListener, HostStreamEvents } from './hostNetwork.js';
import { NodeFiles } from './nodeFiles.js';
import { NodeNetwork } from './nodeNetwork.js';

const network = new NodeNetwork();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'network-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

class Events implements HostStreamEvents {
  readonly log: string[] = [];
  connected(): void {
    this.log.push('connected');
  }
  data(bytes: Uint8Array): void {
    this.log.push(Buffer.from(bytes).toString());
  }
  ended(): void {
    this.log.push('ended');
  }
  failed(error: number): void {
    this.log.push(`failed ${error}`);
  }
  drained(): void {}

  async until(entry: string): Promise<void> {
    while (!this.log.includes(entry)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it('lists interfaces, the loopback among them', () => {
  const loopback = network.interfaces().find((one) => one.loopback);
  expect(loopback).toMatchObject({ name: 'lo', index: 1 });
  expect(loopback?.addresses).toContainEqual({ family: 4, address: '127.0.0.1', prefix: 8, scope: 0 });
});

it('listens at once, sees that a port is taken, and connects', async () => {
  const arrived: HostConnection[] = [];
  const port = await freePort();
  expect(network.isTaken('tcp', '127.0.0.1', port)).toBe(false);
  const listener = network.listen({ address: '127.0.0.1', port }, false, (connection) => arrived.push(connection)) as HostListener;
  expect(network.isTaken('tcp', '127.0.0.1', port)).toBe(true);
  expect(network.isTaken('tcp', '0.0.0.0', port)).toBe(true);
  expect(network.isTaken('tcp', '127.0.0.2', port)).toBe(false);
  expect(network.isTaken('udp', '127.0.0.1', port)).toBe(false);
  expect(network.listen({ address: '127.0.0.1', port }, false, () => undefined)).toBe(-E.ADDRINUSE);
  const [here, there] = [new Events(), new Events()];
  const stream = network.connect({ address: '127.0.0.1', port }, here);
  await here.until('connected');
  stream.write(Buffer.from('hello'));
  while (arrived.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const accepted = (arrived[0] as HostConnection).adopt(there);
  await there.until('hello');
  accepted.end();
  await here.until('ended');
  stream.close();
  await there.until('ended');
  listener.close();
  expect(network.isTaken('tcp', '127.0.0.1', port)).toBe(false);
});

it('says why it cannot connect', async () => {
  const events = new Events();
  network.connect({ address: '127.0.0.1', port: await freePort() }, events);
  await events.until(`failed ${E.CONNREFUSED}`);
});

it('sees ports of IPv6, which may stand for both families', async () => {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '::' }, resolve));
  const { port } = server.address() as AddressInfo;
  expect(network.isTaken('tcp', '::1', port)).toBe(true);
  expect(network.isTaken('tcp', '127.0.0.1', port)).toBe(true);
  server.close();
});

it('binds datagram sockets at once', async () => {
  const other = dgram.createSocket('udp4');
  await new Promise<void>((resolve) => other.bind(0, '127.0.0.1', resolve));
  const { port } = other.address();
  const events = { message: () => undefined, failed: () => undefined };
  expect(network.datagrams({ address: '127.0.0.1', port }, { ipv6Only: false, reuse: false }, events)).toBe(-E.ADDRINUSE);
  const got = new Promise<string>((resolve) => other.on('message', (bytes) => resolve(bytes.toString())));
  const opened = network.datagrams({ address: '127.0.0.1', port: 0 }, { ipv6Only: false, reuse: false }, events);
  if (typeof opened === 'number') expect.fail('cannot bind');
  expect(opened.local.port).toBeGreaterThan(0);
  opened.send(Buffer.from('message'), { address: '127.0.0.1', port });
  expect(await got).toBe('message');
  opened.close();
  other.close();
});

it('makes files for sockets, which stay', async () => {
  const files = new NodeFiles();
  const name = bytePath(path.join(folder, 'a'.repeat(100)));
  expect(files.makeSocket(name, 0o640)).toBe(0);
  expect(files.makeSocket(name, 0o640)).toBe(-E.EXIST);
  expect(files.makeSocket(bytePath('/no/such/folder'), 0o640)).toBe(-E.NOENT);
  expect(fs.statSync(name).mode).toBe(0o140640);
  const listening = bytePath(path.join(folder, 'listening'));
  const listener = network.listenPath(listening, 0o777, (connection) => connection.adopt(new Events()).write(Buffer.from('welcome'))) as HostListener;
  const events = new Events();
  network.connectPath(listening, events);
  await events.until('welcome');
  listener.close();
  expect(fs.readdirSync(folder).sort()).toEqual(['a'.repeat(100), 'listening']);
});

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
