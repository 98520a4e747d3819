/** Makes a test of every C program of a group: GROUP_*.c in tests/programs/syscalls. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Program } from '../programs/programs.js';
import { testPrograms } from '../programs/testPrograms.js';
import { LONG } from '../table/testTable.js';
import { GLIBC_ONLY } from './exceptions.js';

const SOURCES = fileURLToPath(new URL('../programs/syscalls/', import.meta.url));

/** What the programs with random calls start from: some that have found something, and more if there is time. */
const SEEDS = LONG ? Array.from({ length: 100 }, (_, i) => i + 1) : [3, 5, 12, 17, 21, 42, 51];

export function programsOf(group: string): Program[] {
  const names = readdirSync(SOURCES).filter((name) => name.startsWith(`${group}_`) && name.endsWith('.c')).sort();
  const runs = group === 'random' ? SEEDS.map((seed) => ({ args: [String(seed)] })) : [{}];
  return names.map((name) => ({ source: `syscalls/${name}`, runs, variants: 1, glibcOnly: GLIBC_ONLY.has(name) }));
}

export function testSyscalls(group: string): void {
  testPrograms(`syscalls ${group}`, programsOf(group));
}
