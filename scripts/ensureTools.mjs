/**
 * Makes sure of the programs that the tests compare us with. As root it installs what is missing;
 * otherwise it says in one line what to run, and fails. Tests never skip for want of a tool.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';

/** [what shows that it is there: a command in PATH or an absolute path, Debian package] */
const NEEDED = [
  ['gcc', 'gcc'], ['g++', 'g++'], ['as', 'binutils'], ['objdump', 'binutils'], ['make', 'make'],
  ['/usr/include/stdio.h', 'libc6-dev'], ['/usr/bin/musl-gcc', 'musl-tools'],
  ['gdb', 'gdb'], ['eu-addr2line', 'elfutils'], ['dwz', 'dwz'], ['valgrind', 'valgrind'], ['setarch', 'util-linux'], ['/usr/bin/time', 'time'],
  ['gawk', 'gawk'], ['mawk', 'mawk'], ['bc', 'bc'], ['dc', 'dc'], ['sed', 'sed'], ['grep', 'grep'], ['diff', 'diffutils'],
  ['find', 'findutils'], ['gzip', 'gzip'], ['bzip2', 'bzip2'], ['xz', 'xz-utils'], ['tar', 'tar'], ['file', 'file'],
  ['zip', 'zip'], ['zstd', 'zstd'], ['openssl', 'openssl'], ['busybox', 'busybox'], ['m4', 'm4'], ['patch', 'patch'], ['cal', 'ncal'],
  ['hexdump', 'bsdextrautils'], ['column', 'bsdextrautils'], ['look', 'bsdextrautils'], ['readelf', 'binutils'], ['iconv', 'libc-bin'], ['ps', 'procps'],
  ['sqlite3', 'sqlite3'], ['/usr/bin/python3', 'python3'], ['perl', 'perl'], ['lua5.4', 'lua5.4'], ['jq', 'jq'],
  ['original-awk', 'original-awk'], ['tclsh', 'tcl'], ['ruby', 'ruby'], ['bash', 'bash'], ['dash', 'dash'], ['rev', 'util-linux'],
  ['/usr/share/zoneinfo/Europe/Berlin', 'tzdata'], ['/usr/sbin/nginx', 'nginx-light'], ['/usr/sbin/lighttpd', 'lighttpd'], ['curl', 'curl'], ['rg', 'ripgrep'], ['gron', 'gron'],
  ['/usr/bin/chromium', 'chromium'], ['redis-server', 'redis-server'],
];

function isThere(what) {
  if (what.startsWith('/')) return existsSync(what);
  return (process.env.PATH ?? '').split(':').some((directory) => {
    try {
      accessSync(join(directory, what), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function missingPackages() {
  return [...new Set(NEEDED.filter(([what]) => !isThere(what)).map(([, name]) => name))];
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-y', '-q', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
}

let missing = missingPackages();
if (missing.length > 0 && process.getuid() === 0 && isThere('apt-get')) {
  console.log(`installing what the tests need: ${missing.join(' ')}`);
  apt('update');
  apt('install', '--no-install-recommends', ...missing);
  missing = missingPackages();
}
if (missing.length > 0) {
  const sudo = process.getuid() === 0 ? '' : 'sudo ';
  console.error(`The tests need programs that are not here. Run: ${sudo}apt-get install -y ${missing.join(' ')}`);
  process.exitCode = 1;
}
