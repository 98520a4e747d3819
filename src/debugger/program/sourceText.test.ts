import { describe, expect, it } from 'vitest';
import { SourceText } from './sourceText.js';

class Disk {
  readonly reads: string[] = [];
  constructor(readonly files: Map<string, string>) {}
  read(path: string): Uint8Array | undefined {
    this.reads.push(path);
    const text = this.files.get(path);
    return text === undefined ? undefined : new TextEncoder().encode(text);
  }
}

function disk(files: Readonly<Record<string, string>>): Disk {
  return new Disk(new Map(Object.entries(files)));
}

describe('source files', () => {
  it('have lines, counted from 1, whatever ends them', () => {
    const text = new SourceText(disk({ '/a/x.c': 'one\r\ntwo\n', '/a/y.c': 'one\ntwo' }));
    expect(text.lines('/a/x.c')).toEqual(['one', 'two']);
    expect(text.lines('/a/y.c')).toEqual(['one', 'two']);
    expect([text.line('/a/x.c', 2), text.line('/a/x.c', 3), text.line('/a/x.c', 0), text.line('/b.c', 1)]).toEqual(['two', undefined, undefined, undefined]);
  });

  it('are where the first substitution that fits says', () => {
    const text = new SourceText(disk({ '/here/sub/x.c': 'moved' }));
    text.substitute('/build/sub', '/here/sub');
    text.substitute('/build', '/elsewhere');
    expect(text.find('/build/sub/x.c')).toBe('/here/sub/x.c');
    expect(text.expected('/build/y.c')).toBe('/elsewhere/y.c');
    expect(text.expected('/builder/y.c')).toBe('/builder/y.c');
    expect(text.withdraw('/build/sub')).toBe(true);
    expect(text.withdraw('/build/sub')).toBe(false);
    expect(text.find('/build/sub/x.c')).toBeUndefined();
  });

  it('are known to the program by the path that they were compiled from', () => {
    const text = new SourceText(disk({}));
    text.substitute('/build', '/here');
    expect([text.inProgram('/here/a/x.c'), text.inProgram('/heretic/x.c'), text.inProgram('/here')]).toEqual(['/build/a/x.c', '/heretic/x.c', '/build']);
  });

  it('are looked for in directories, by their path and by their name', () => {
    const text = new SourceText(disk({ '/d/gone/x.c': 'by path', '/d/y.c': 'by name' }));
    text.addDirectories(['/d']);
    expect([text.find('/gone/x.c'), text.find('/gone/y.c')]).toEqual(['/d/gone/x.c', '/d/y.c']);
    text.addDirectories([]);
    expect(text.find('/gone/y.c')).toBeUndefined();
  });

  it('are read once, and missing ones looked for once until they are looked for again', () => {
    const files = disk({ '/x.c': 'text' });
    const text = new SourceText(files);
    for (let i = 0; i < 3; i++) expect([text.lines('/x.c'), text.find('/x.c'), text.lines('/y.c'), text.find('/y.c')]).toEqual([['text'], '/x.c', undefined, undefined]);
    expect(files.reads).toEqual(['/x.c', '/y.c']);
    files.files.set('/y.c', 'new');
    expect(text.lines('/y.c')).toBeUndefined();
    text.forgetMissing();
    expect(text.lines('/y.c')).toEqual(['new']);
    expect(files.reads).toEqual(['/x.c', '/y.c', '/y.c']);
  });
});
