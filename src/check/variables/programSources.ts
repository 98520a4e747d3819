/**
 * Sources of programs, as far as they are what the programs were made of: on this machine, and not newer than the
 * program.
 */
import type { DebugFiles } from '../../debugger/program/debugFiles.js';
import { SourceText } from '../../debugger/program/sourceText.js';
import type { LinesOf } from './statements.js';

export class ProgramSources {
  private readonly text: SourceText;

  constructor(private readonly files: DebugFiles) {
    this.text = new SourceText(files);
  }

  of(program: string): LinesOf {
    const made = this.files.modified?.(program);
    return (path) => {
      const source = made === undefined ? undefined : this.text.find(path);
      const written = source === undefined ? undefined : this.files.modified?.(source);
      return written === undefined || written > (made as number) ? undefined : this.text.lines(path);
    };
  }
}
