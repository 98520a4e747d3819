/**
 * What the rules of `culprit check` say of a recorded run: guards around every global, local and heap block find a
 * corruption at the very access that does it. The recorded program is run once more, with the recorded input; nothing
 * stops at the first finding.
 */
import { type CheckedRecording, checkRecording, type RecordedProgram, type RecordingCheckSettings } from '../../check/program/checkRecording.js';

export type GuardedRun = CheckedRecording;
export type GuardSettings = RecordingCheckSettings;

/** Throws a UserError only if the recording does not say what the program began with: what goes wrong is a remark. */
export async function guardedRun(recorded: RecordedProgram, settings: GuardSettings): Promise<GuardedRun> {
  return checkRecording(recorded, settings);
}
