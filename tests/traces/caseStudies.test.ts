/**
 * The two case studies of the thesis (4.1.4 and 4.5), rebuilt. A server is attacked over a socket while it is recorded,
 * and the script finds the receive that overwrote a return address, looking only near the end of the run. A collection
 * that frees nothing is traced to a race.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openExecution } from '../../src/api/traces.js';
import { CULPRIT } from '../cli/culprit.js';
import { analysis } from './analysis.js';
import { compile, executionOf } from './recordedExecution.js';
import { PWNED_STATUS, returnToLibc } from './returnToLibc.js';

const REQUESTS = 12;

/** Sends four digits of length and a line; resolves when the server closes the connection. */
async function send(port: number, line: Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([Buffer.from(String(line.length).padStart(4, '0')), line])));
    socket.on('data', () => undefined);
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

it('a return into libc through an overflow in recv: the write is found, and only the end is looked at', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-httpd-'));
  const file = join(folder, 'httpd.culprit');
  const program = compile('httpd.c', ['-g', '-O0', '-no-pie', '-fno-stack-protector']);
  const server = spawn(process.execPath, [CULPRIT, 'record', '-o', file, program, String(REQUESTS + 2)], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let said = '';
    const announced = new Promise<readonly [number, bigint]>((resolve) => {
      server.stdout.on('data', (data: Buffer) => {
        said += String(data);
        const [, port, address] = /port (\d+), output (0x\w+)\n/.exec(said) ?? [];
        if (port !== undefined && address !== undefined) resolve([Number(port), BigInt(address)]);
      });
    });
    const ended = new Promise((resolve) => server.on('close', resolve));
    const [port, output] = await announced;
    for (let i = 0; i < REQUESTS; i++) await send(port, Buffer.from('GET /'));
    await send(port, Buffer.from('GET echo Now I pwn your computer'));
    await send(port, returnToLibc(program, output));
    expect([await ended, said]).toEqual([PWNED_STATUS, expect.stringContaining('Now I pwn your computer')]);

    const execution = openExecution(file);
    // As in the thesis: first to the end, once. What the search itself costs comes after that.
    execution.getAt(execution.endTime - 1).register('rip');
    await execution.allCalls().getAfter(execution.endTime - 1);
    await execution.allReturns().getAfter(execution.endTime - 1);
    const { cost } = execution;
    const text = await analysis('stackSmash', execution);
    expect(text).toMatch(/it was written by the kernel here:\n#0 .*recv.*\n#1 .* in read_request \(client=\d+\) at httpd\.c:\d+/);
    expect(execution.cost - cost).toBeLessThan(execution.endTime / 3);
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
});

it('the delayed deallocation: the first collection starts no timer, because it races with the sweeper', async () => {
  const wrong = await executionOf([compile('delayedFree.c')]);
  const timers = async (execution: typeof wrong): Promise<number[]> => {
    const [created, ends] = [execution.breakpoints('create_timer'), execution.breakpoints('collect', { at: 'exit' })];
    const counts: number[] = [];
    for await (const { time } of execution.breakpoints('collect')) counts.push(await created.slice(time, (await ends.getAfter(time))?.time ?? Infinity).length);
    return counts;
  };
  expect(await timers(wrong)).toEqual([0, 1, 1]);
  const look = (await wrong.breakpoints('collect', { at: 'exit' }).first())!;
  expect(look.value.readVar('chunksWaiting').number).toBe(0);
  // No instruction had written to it yet; the helper does so right after.
  const write = (await wrong.watchpoints('chunksWaiting').getAfter(look.value.time - 1000))!;
  expect(write.value.source.function).toBe('sweeper');
  if (process.env['CULPRIT_LONG'] === '1') expect(await timers(await executionOf([compile('delayedFree.c'), 'right']))).toEqual([1, 1, 1]);
});
