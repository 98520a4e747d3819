/** What a thread that blames inputs (triageThread.ts) and the one who asks it (triageThreads.ts) say to each other. */
import type { Answer } from '../../triage/inputResult.js';
import type { TriageJob } from '../../triage/triageJob.js';

export interface TriageRequest {
  readonly number: number;
  readonly job: TriageJob;
}

export type TriageReply =
  | { readonly kind: 'answers'; readonly number: number; readonly answers: readonly Answer[] }
  | { readonly kind: 'userError'; readonly number: number; readonly message: string; readonly exitCode: number }
  /** A bug of ours, with its stack. */
  | { readonly kind: 'defect'; readonly number: number; readonly text: string };
