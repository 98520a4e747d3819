/** What a thread that probes (opening/probeThread.ts) and the one who asks it (probeThreads.ts) say to each other. */
import type { Attempt } from '../../probe/attempt.js';
import type { AttemptRules, Outcome } from '../../probe/failure.js';
import type { SoundEnd } from '../../replay/recordingFile/soundEnd.js';

export interface ProbeThreadData {
  /** The recording's file, which stays open as long as the thread lives, and its name for messages. */
  readonly fd: number;
  readonly name: string;
  readonly end?: SoundEnd | undefined;
}

export interface ProbeRequest {
  readonly attempt: Attempt;
  readonly rules: AttemptRules;
}

export type ProbeAnswer =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** A bug of ours, with its stack. */
  | { readonly kind: 'defect'; readonly text: string };
