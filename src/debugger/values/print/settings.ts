/** What users can set about how values are shown (`set print ...`), with gdb's defaults. */
export interface PrintSettings {
  /** Most elements of an array or characters of a string; Infinity for no limit. */
  readonly elements: number;
  /** From how many equal elements on they are counted instead. */
  readonly repeats: number;
  /** Members on lines of their own. */
  readonly pretty: boolean;
  /** Elements on lines of their own. */
  readonly array: boolean;
  readonly arrayIndexes: boolean;
  readonly address: boolean;
  /** `<name+4>` after addresses. */
  readonly symbol: boolean;
  /** Unions inside of structures. */
  readonly union: boolean;
  /** Strings end at the first NUL. */
  readonly nullStop: boolean;
  readonly staticMembers: boolean;
  /** The real type of objects of classes with virtual functions. */
  readonly object: boolean;
  readonly maxDepth: number;
  /** Objects of the standard library as the structures that they are (`/r`). */
  readonly raw: boolean;
  /** One of gdb's letters; undefined for the usual way. */
  readonly format: Format | undefined;
  /** Parameters of frames: which values are shown. */
  readonly frameArguments: 'all' | 'scalars' | 'none' | 'presence';
  readonly entryValues: 'default' | 'no' | 'only' | 'preferred' | 'if-needed' | 'both' | 'compact';
}

export type Format = 'x' | 'd' | 'u' | 'o' | 't' | 'a' | 'c' | 'f' | 's' | 'z' | 'i';

export const DEFAULT_SETTINGS: PrintSettings = {
  elements: 200, repeats: 10, pretty: false, array: false, arrayIndexes: false, address: true, symbol: true, union: true, nullStop: false,
  staticMembers: true, object: false, maxDepth: 20, raw: false, format: undefined, frameArguments: 'scalars', entryValues: 'default',
};
