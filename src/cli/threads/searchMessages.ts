/**
 * What a thread that searches (opening/searchThread.ts) and the one who asks it (nodeSearchers.ts) say to each other.
 */
import type { SearchJob } from '../../replay/timeline/parallel/searchers.js';
import type { Position } from '../../replay/log/position.js';
import type { SoundEnd } from '../../replay/recordingFile/soundEnd.js';

export interface SearchThreadData {
  /** The recording's file, which stays open as long as the thread lives, and its name for messages. */
  readonly fd: number;
  readonly name: string;
  readonly end?: SoundEnd | undefined;
  readonly shared: SharedArrayBuffer;
}

export interface SearchRequest {
  readonly number: number;
  readonly job: SearchJob;
}

export type SearchAnswer =
  /** PackedHits. */
  | { readonly kind: 'found'; readonly hits: Float64Array<ArrayBuffer>; readonly to: Position }
  | { readonly kind: 'givenUp' }
  | { readonly kind: 'badStart' }
  | { readonly kind: 'divergence'; readonly time: number; readonly what: string }
  | { readonly kind: 'userError'; readonly message: string; readonly exitCode: number }
  /** A bug of ours, with its stack. */
  | { readonly kind: 'defect'; readonly text: string };
