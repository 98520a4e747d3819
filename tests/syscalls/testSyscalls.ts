/** Makes a test of every C program of a group: GROUP_*.c in tests/programs/syscalls. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Program } from '../programs/programs.js';
import { testPrograms } from '../programs/testPrograms.js';
import { GLIBC_ONLY } from './exceptions.js';

const SOURCES = fileURLToPath(new URL('../programs/syscalls/', import.meta.url));

export function programsOf(group: string): Program[] {
  const names = readdirSync(SOURCES).filter((name) => name.startsWith(`${group}_`) && name.endsWith('.c')).sort();
  return names.map((name) => ({ source: `syscalls/${name}`, runs: [{}], variants: 1, glibcOnly: GLIBC_ONLY.has(name) }));
}

export function testSyscalls(group: string): void {
  testPrograms(`syscalls ${group}`, programsOf(group));
}
