/** The sources of a report with their structures, each made once. */
import type { CodeLookup } from '../model/flat.js';
import { simpleName } from '../model/nesting.js';
import type { FoundSource, LineEvidence, SourceChoice, Sources } from '../sources/sources.js';
import { type Grammars, structureOf } from './languages.js';
import type { CodeFunction, CodeStructure } from './structure.js';

export class CodeBase implements CodeLookup {
  private readonly structures = new Map<FoundSource, CodeStructure>();
  /** Long paths come to the same lines again and again. */
  private readonly arounds = new Map<FoundSource, Map<number, readonly number[]>>();

  constructor(
    private readonly sources: Sources,
    private readonly grammars: Grammars | undefined,
  ) {}

  find(file: string, evidence?: readonly LineEvidence[]): SourceChoice | undefined {
    return this.sources.find(file, evidence);
  }

  /** A file's name as heads have it. */
  shown(file: string): string {
    return this.sources.shown(file);
  }

  structure(source: FoundSource): CodeStructure {
    let structure = this.structures.get(source);
    if (structure === undefined) this.structures.set(source, (structure = structureOf(source.path ?? source.shown, source.lines, this.grammars)));
    return structure;
  }

  /** Lines that are shown for the sake of a line. */
  around(source: FoundSource, line: number): readonly number[] {
    let known = this.arounds.get(source);
    if (known === undefined) this.arounds.set(source, (known = new Map()));
    let lines = known.get(line);
    if (lines === undefined) known.set(line, (lines = [...this.structure(source).around(line)]));
    return lines;
  }

  functionNamed(source: FoundSource, name: string): CodeFunction | undefined {
    const structure = this.structure(source);
    return structure.functionNamed(name) ?? structure.functionNamed(simpleName(name));
  }

  functionAt(file: string, line: number): { readonly name: string; readonly line: number } | undefined {
    const choice = this.find(file);
    if (choice === undefined || line > choice.source.lines.length) return undefined;
    const found = this.structure(choice.source).functionAt(line);
    return found === undefined ? undefined : { name: found.name, line: found.from };
  }

  lineText(file: string, line: number): string | undefined {
    return this.find(file)?.source.lines[line - 1];
  }
}
