import { describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { UserError } from '../../base/errors.js';
import { findProgram } from './findProgram.js';
import { mappableBytes, type LoaderFiles, type ProgramFile } from './loaderFiles.js';
import { bytesOf, openProgram, parseScriptLine } from './openProgram.js';

/** The smallest header that the parser accepts. */
const ELF = Uint8Array.from({ length: 64 }, (_, i) => ({ 0: 0x7f, 1: 0x45, 2: 0x4c, 3: 0x46, 4: 2, 5: 1, 6: 1, 16: 2, 18: 62 })[i] ?? 0);

type Entry = Uint8Array | string | 'directory' | { readonly plain: string };

/** A program whose contents are all here already. */
function programFromBytes(realPath: string, bytes: Uint8Array): ProgramFile {
  return {
    realPath,
    contents: { size: bytes.length, head: bytes, all: () => bytes },
    mappable: mappableBytes(realPath, 1, 1, bytes),
  };
}

function fileSystem(entries: Record<string, Entry>): LoaderFiles {
  const bytesAt = (path: string): Uint8Array | undefined => {
    const entry = entries[path];
    if (entry === undefined || entry === 'directory') return undefined;
    return typeof entry === 'string' ? bytesOf(entry) : entry instanceof Uint8Array ? entry : bytesOf(entry.plain);
  };
  return {
    stat(path) {
      const entry = entries[path];
      if (entry === undefined) return -E.NOENT;
      if (entry === 'directory') return { kind: 'directory', executable: true };
      return { kind: 'file', executable: typeof entry === 'string' || entry instanceof Uint8Array };
    },
    open(path) {
      const bytes = bytesAt(path);
      return bytes === undefined ? -E.NOENT : programFromBytes(path, bytes);
    },
  };
}

function failure(action: () => unknown): [number, string] {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return [(error as UserError).exitCode, (error as UserError).message];
  }
  return [0, ''];
}

const text = (argv: readonly Uint8Array[]): string[] => argv.map((a) => String.fromCharCode(...a));

describe('#! lines', () => {
  const parse = (line: string): unknown => parseScriptLine(bytesOf(line));
  it('have a path and at most one argument', () => {
    expect(parse('#!/bin/sh\n')).toEqual({ interpreter: '/bin/sh', argument: undefined });
    expect(parse('#! \t/usr/bin/env  perl -w \t\nrest')).toEqual({ interpreter: '/usr/bin/env', argument: 'perl -w' });
    expect(parse('#!/bin/sh')).toEqual({ interpreter: '/bin/sh', argument: undefined });
    expect(parse('#!/bin/sh -x\r\n')).toEqual({ interpreter: '/bin/sh', argument: '-x\r' });
  });
  it('are refused where Linux refuses them', () => {
    expect(parse('#!\n')).toBeUndefined();
    expect(parse('#!   ')).toBeUndefined();
    expect(parse('# /bin/sh')).toBeUndefined();
    expect(parse(`#!/${'x'.repeat(300)}\n`)).toBeUndefined();
    expect(parse(`#!/x ${'y'.repeat(300)}\n`)).toEqual({ interpreter: '/x', argument: 'y'.repeat(251) });
  });
});

describe('openProgram', () => {
  it('puts interpreters in front', () => {
    const files = fileSystem({ '/elf': ELF, '/a': '#!/elf -q x\n', '/b': '#!/a\n' });
    const opened = openProgram(files, '/b', [bytesOf('zero'), bytesOf('one')]);
    expect(opened.file.realPath).toBe('/elf');
    expect(text(opened.argv)).toEqual(['/elf', '-q x', '/a', '/b', 'one']);
  });

  it('follows five levels and no more', () => {
    const chain: Record<string, Entry> = { '/s0': ELF };
    for (let i = 1; i <= 6; i++) chain[`/s${i}`] = `#!/s${i - 1}\n`;
    expect(openProgram(fileSystem(chain), '/s5', [bytesOf('/s5')]).argv).toHaveLength(6);
    expect(failure(() => openProgram(fileSystem(chain), '/s6', []))).toEqual([
      126, '/s6: /s0: bad interpreter: Too many levels of symbolic links',
    ]);
  });

  it('fails as a shell does', () => {
    const files = fileSystem({
      '/dir': 'directory', '/plain': { plain: '#!/elf' }, '/text': 'echo hi\n', '/empty': '', '/missing': '#!/no/such\n', '/usesdir': '#!/dir\n',
    });
    const open = (path: string): [number, string] => failure(() => openProgram(files, path, [bytesOf(path)]));
    expect(open('/none')).toEqual([127, '/none: No such file or directory']);
    expect(open('/dir')).toEqual([126, '/dir: Is a directory']);
    expect(open('/plain')).toEqual([126, '/plain: Permission denied']);
    expect(open('/text')).toEqual([126, '/text: cannot execute binary file: Exec format error']);
    expect(open('/empty')).toEqual([126, '/empty: cannot execute binary file: Exec format error']);
    expect(open('/missing')).toEqual([127, '/missing: cannot execute: required file /no/such not found']);
    expect(open('/usesdir')).toEqual([126, '/usesdir: /dir: bad interpreter: Permission denied']);
  });
});

describe('findProgram', () => {
  const files = fileSystem({ '/b/ls': ELF, '/a/ls': 'directory', './x': ELF, '/a/noexec': { plain: '' } });
  it('looks through PATH', () => {
    expect(findProgram(files, 'ls', '/a:/b')).toBe('/b/ls');
    expect(findProgram(files, 'ls', '/a:/b/')).toBe('/b/ls');
    expect(findProgram(files, 'x', '/a::/b')).toBe('./x');
    expect(findProgram(files, '/b/ls', undefined)).toBe('/b/ls');
  });
  it('says what is wrong', () => {
    expect(failure(() => findProgram(files, 'nope', '/a:/b'))).toEqual([127, 'nope: command not found']);
    expect(failure(() => findProgram(files, 'noexec', '/a:/b'))).toEqual([126, '/a/noexec: Permission denied']);
    expect(failure(() => findProgram(files, './nope', '/a'))).toEqual([127, './nope: No such file or directory']);
    expect(failure(() => findProgram(files, '/a/ls', '/a'))).toEqual([126, '/a/ls: Is a directory']);
    expect(failure(() => findProgram(files, '', '/a'))[0]).toBe(127);
  });
});
