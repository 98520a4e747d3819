/** What is known of a function apart from its code: names, where it is declared, what it takes and returns. */
import { visible } from '../base/visible.js';
import type { Die } from './die.js';
import { AT, TAG } from './dwarfConstants.js';
import type { SourceFile } from './lineHeader.js';
import { qualifiedName } from './qualifiedName.js';

export class FunctionInfo {
  private qualified: string | undefined;

  constructor(readonly die: Die) {}

  /** Without scopes; undefined for code that has none (outlined parts, thunks). */
  get name(): string | undefined {
    return this.die.name;
  }

  /** With the namespaces and classes around it: `a::B::f`. */
  get qualifiedName(): string | undefined {
    this.qualified ??= this.die.unit.isC ? this.name : qualifiedName(this.die);
    return this.qualified;
  }

  /** What GDB calls it: with scopes; in C the symbol's name, which clones have of their own (`f.constprop.0`). */
  get displayName(): string | undefined {
    return this.die.unit.isC ? (this.linkageName ?? this.name) : this.qualifiedName;
  }

  /** The symbol's name, if it is not the plain one. */
  get linkageName(): string | undefined {
    const name = this.die.inherited((die) => die.string(AT.LINKAGE_NAME) ?? die.string(AT.MIPS_LINKAGE_NAME));
    return name === undefined ? undefined : visible(name);
  }

  get isExternal(): boolean {
    return this.die.inherited((die) => (die.has(AT.EXTERNAL) ? die.flag(AT.EXTERNAL) : undefined)) ?? false;
  }

  /** It was declared so. */
  get neverReturns(): boolean {
    return this.die.inherited((die) => (die.has(AT.NORETURN) ? die.flag(AT.NORETURN) : undefined)) ?? false;
  }

  /** The entry that describes the function once for all its copies: what copies refer to. */
  get origin(): Die {
    return this.die.reference(AT.ABSTRACT_ORIGIN) ?? this.die;
  }

  get declaration(): { readonly file: SourceFile | undefined; readonly line: number } | undefined {
    return declarationOf(this.die);
  }

  get returnType(): Die | undefined {
    return this.die.inherited((die) => die.reference(AT.TYPE));
  }

  /** How the frame base is computed (DW_AT_frame_base), if it is one expression. */
  get frameBase(): Uint8Array | undefined {
    return this.die.block(AT.FRAME_BASE);
  }

  get isPrototyped(): boolean {
    return this.die.inherited((die) => (die.has(AT.PROTOTYPED) ? true : undefined)) ?? false;
  }

  /** Entries of its parameters, from where they have types. */
  get parameters(): Die[] {
    const own = this.die.childrenWithTag(TAG.FORMAL_PARAMETER);
    return own.length > 0 || !this.die.has(AT.ABSTRACT_ORIGIN) ? own : this.origin.childrenWithTag(TAG.FORMAL_PARAMETER);
  }
}

/** Where an entry was declared: file and line of the nearest entry that says so. */
export function declarationOf(die: Die): { readonly file: SourceFile | undefined; readonly line: number } | undefined {
  return die.inherited((origin) => {
    const line = origin.number(AT.DECL_LINE);
    if (line === undefined) return undefined;
    // A definition may leave out the file if that is the declaration's.
    const file = origin.inherited((from) => from.unit.file(from.number(AT.DECL_FILE)));
    return { file, line };
  });
}
