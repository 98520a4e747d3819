/**
 * Source packages of Debian, built the way programs are while their authors work on them: with `-g` and without
 * optimisation, so that their locals and globals are watched. What is made is kept in tests/build/sources.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../build/sources/', import.meta.url));
const FLAGS = '-g -O0 -w';
const CONFIGURED = `./configure --disable-nls --disable-shared CFLAGS="${FLAGS}" && make`;

/** How to make what is wanted of each. */
const PACKAGES = {
  'bzip2': `make CFLAGS="${FLAGS}" bzip2`,
  'lua5.4': `make -C src linux CFLAGS="${FLAGS} -DLUA_USE_LINUX" MYLIBS= lua`,
  'gzip': CONFIGURED,
  'sed': CONFIGURED,
  'm4': CONFIGURED,
  'ed': './configure CFLAGS="-g -O0 -w" && make',
  'diffutils': CONFIGURED,
  'grep': CONFIGURED,
  'mawk': CONFIGURED,
  'xz-utils': CONFIGURED,
  'bash': CONFIGURED,
  'tcc': `./configure --extra-cflags="${FLAGS}" && make`,
  'libxml2': `./configure --disable-shared --without-python CFLAGS="${FLAGS}" && make xmllint`,
  'sqlite3': `./configure --disable-shared --disable-tcl --disable-readline CFLAGS="${FLAGS}" && make sqlite3`,
} as const;

export type Package = keyof typeof PACKAGES;

/** The folder where it was built. */
export async function built(name: Package): Promise<string> {
  const folder = `${FOLDER}${name}`;
  const source = `${folder}/source`;
  if (existsSync(source)) return source;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  await download(name, unfinished);
  const archive = readdirSync(unfinished).find((file) => /\.orig\.tar\.\w+$/.test(file));
  if (archive === undefined) throw new Error(`no sources of ${name}`);
  mkdirSync(`${unfinished}/made`);
  await run('tar', ['xf', `../${archive}`], { cwd: `${unfinished}/made` });
  mkdirSync(folder, { recursive: true });
  // Before it is built: what configure writes down is where it lies.
  renameSync(topOf(`${unfinished}/made`), source);
  try {
    await run('sh', ['-c', PACKAGES[name]], { cwd: source, maxBuffer: 1 << 28 });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return source;
}

/** Archives need not have one folder for all. */
function topOf(folder: string): string {
  const [only, ...others] = readdirSync(folder);
  return only !== undefined && others.length === 0 ? `${folder}/${only}` : folder;
}

/** With lists of its own: the machine may have none of sources. */
async function download(name: Package, folder: string): Promise<void> {
  const lists = `${FOLDER}lists`;
  mkdirSync(`${lists}/partial`, { recursive: true });
  writeFileSync(`${FOLDER}sources.list`, `deb-src http://deb.debian.org/debian ${codename()} main\n`);
  const options = [`Dir::Etc::SourceList=${FOLDER}sources.list`, 'Dir::Etc::SourceParts=/dev/null', `Dir::State::Lists=${lists}`].flatMap((option) => ['-o', option]);
  if (readdirSync(lists).length < 2) await run('apt-get', [...options, 'update']);
  await run('apt-get', [...options, 'source', '--download-only', name], { cwd: folder });
}

function codename(): string {
  return /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
}
