/**
 * package-lock.json is what `npm install` makes of package.json, so that an installation leaves it as it was: it has
 * every package that another one asks for, those for other platforms among them. It names no registry, and no `libc`,
 * which some versions of npm write and others remove.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, LockedPackage>> };

/** Where Node finds a package from another one's folder. */
function found(from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
    if (folder === '') return false;
  }
}

describe('package-lock.json', () => {
  it('has every package that one of its packages asks for', () => {
    const missing = Object.entries(packages).flatMap(([folder, { dependencies, devDependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter((name) => !found(folder, name)).map((name) => `${name}, for ${folder}`));
    expect(missing).toEqual([]);
  });

  it('has what package.json asks for', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as LockedPackage;
    expect(packages['']).toMatchObject({ dependencies, devDependencies });
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) expect(packages[`node_modules/${name}`]?.version).toBe(version);
  });

  it('has a digest of each, and names no registry and no libc', () => {
    const { '': _ours, ...others } = packages;
    for (const [folder, { integrity, resolved, libc }] of Object.entries(others)) {
      expect([folder, integrity?.slice(0, 7), resolved, libc]).toEqual([folder, 'sha512-', undefined, undefined]);
    }
  });
});
