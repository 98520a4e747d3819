/**
 * Culprit as a library: a program as a guest of your own JavaScript.
 *
 *     import { createGuest, NodeHost, bytePathFromText } from 'culprit';
 *
 *     const host = new NodeHost();
 *     const guest = createGuest(host, {
 *       program: bytePathFromText('/bin/echo'),
 *       args: [bytePathFromText('hello')],
 *       environment: host.environment(),
 *     });
 *     const status = await guest.world.run(); // { kind: 'exited', code: 0 }
 *     console.log(guest.engine.instructions);
 *
 * and a recording as an execution to travel in, in both directions:
 *
 *     import { at, DEFAULT_ENGINE_OPTIONS, guestAddr, memoryRange, openRecording, openRecordingFile, Timeline }
 *     from 'culprit';
 *
 *     const recording = openRecording(openRecordingFile('bug.culprit').reader, 'bug.culprit');
 *     const timeline = new Timeline({ ...recording, engine: DEFAULT_ENGINE_OPTIONS, startSeconds:
 *     recording.header.startSeconds });
 *     await timeline.seekEnd();
 *     const hit = await timeline.lastWrite([memoryRange(guestAddr(0x4c6310), 8)]);
 *     const state = await timeline.stateAt(hit.position); // right before the write
 *     state.register(hit.task, 'rip');
 *
 * and a way to try what would have happened if:
 *
 *     const branches = new TimelineBranches(timeline, options, new NodeHost());
 *     const branch = await branches.at(hit.position);
 *     await branch.alter({ kind: 'skip' }); // the instruction that writes
 *     await branch.run(); // { kind: 'ended', status: { kind: 'exited', code: 0 } }
 *
 * and to find what a failure needed, by trying (docs/probe.md):
 *
 *     const debug = await Debugger.open(timeline, { files: NODE_FILES, evaluator: new ValueEvaluator(), branches });
 *     for (const line of probeList(await probe(debug))) console.log(line); // switch list.c:40#3
 *
 * and to find the statement that corrupted memory first (docs/blame.md):
 *
 *     const { report } = await blame(debug, { program: 'a.out', ...blameMeans(recording, debug) });
 *     for (const line of blameList(report)) console.log(line); // list.c:31
 *
 * and a check, as `culprit check` does it (docs/check.md has a whole example):
 *
 *     const { reports } = await checkProgram(host, request, { chosen: chosenRules(shippedRules()), files: NODE_FILES
 *     }); for (const report of reports) console.log(reportText(report));
 *
 * Mistakes in what was asked for (no such program, not an ELF file) are thrown as UserError. A guest
 * uses its host for everything outside itself: another Host than NodeHost can stand in.
 */
export { InvariantError } from './base/assert.js';
export { UserError } from './base/errors.js';
export { guestAddr, type GuestAddr, time, type Time } from './base/types.js';
export { type AskedMethod, blame, type BlameResult, type BlameSettings } from './blame/blame.js';
export type { BlameReport } from './blame/blameReport.js';
export { blameSarif } from './blame/blameSarif.js';
export { blameLines, blameList } from './blame/blameText.js';
export { suppressedRun, type SuppressedRun, type SuppressionPoint } from './blame/suppression/suppressedRun.js';
export { chosenRules, type ChosenRules, type RuleChoice } from './check/chosenRules.js';
export { parseAllocator } from './check/customAllocators.js';
export type { Report } from './check/report/report.js';
export { reportJson } from './check/report/reportJson.js';
export { reportText } from './check/report/reportText.js';
export { parseSuppressions, type Suppression } from './check/report/suppressions.js';
export { checkProgram, type CheckedProgram, type CheckSettings, type RunRecording } from './check/program/checkProgram.js';
export { checkAgain, type CheckedAgain, type ReportSettings } from './check/run/checkAgain.js';
export { packFindings, type StoredFindings, unpackFindings } from './check/storedFindings.js';
export { shippedRules, shippedSuppressions } from './cli/arguments/shippedRules.js';
export { blameMeans } from './cli/opening/blameMeans.js';
export { NODE_FILES } from './cli/opening/nodeFiles.js';
export type { CallBreakpoint } from './debugger/control/breakpoints.js';
export { Debugger, type DebuggerOptions } from './debugger/control/debugger.js';
export type { CheckpointEvent, UserCheckpoint } from './debugger/control/userCheckpoints.js';
export type { DebugFiles } from './debugger/program/debugFiles.js';
export { ValueEvaluator } from './debugger/values/valueEvaluator.js';
export { ElfFile } from './elf/elfFile.js';
export { type BytePath, bytePathFromBytes, bytePathFromText, bytesOfBytePath, textOfBytePath } from './base/bytePath.js';
export type { Host } from './host/host.js';
export { NodeHost } from './host/nodeHost.js';
export type { Block } from './ir/ir.js';
export { printBlock } from './ir/printer.js';
export { createGuest, type Guest, type GuestRequest } from './linux/guest.js';
export type { ExitStatus } from './linux/kernel.js';
export { shellMessage, signalName, signalNumber } from './base/signalNames.js';
export { AddressSpace } from './machine/addressSpace.js';
export { Cpu } from './machine/cpu.js';
export { Engine } from './machine/engine.js';
export { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from './machine/engineOptions.js';
export { LinearMemory } from './machine/linearMemory.js';
export type { Stop } from './machine/stop.js';
export { openRecordingFile } from './host/nodeRecordingFile.js';
export type { Alteration } from './replay/branch/alterations.js';
export { Branch } from './replay/branch/branch.js';
export type { BranchStop } from './replay/branch/branchExecution.js';
export { compareStates, type Differences, stateOf } from './replay/branch/compareStates.js';
export { TimelineBranches } from './replay/branch/timelineBranches.js';
export { at, type Position } from './replay/log/position.js';
export { Player } from './replay/play/player.js';
export { MemoryRecording } from './replay/record/memoryRecording.js';
export { Recorder } from './replay/record/recorder.js';
export { openRecording, type Recording } from './replay/recordingFile/openRecording.js';
export { type Condition, type Hit, type MemoryRange, memoryRange } from './replay/timeline/conditions.js';
export { State, type Thread } from './replay/timeline/state.js';
export { Timeline, type TimelineOptions } from './replay/timeline/timeline.js';
export { Cancelled, type Work } from './replay/timeline/work.js';
export { loadRulesOrThrow, type ReadRuleFile } from './rules/language/load.js';
export type { Failure, Outcome } from './probe/failure.js';
export { criticalOf, type MakeAttempters, probe, type ProbeOptions, type ProbeResult, type Tried } from './probe/probe.js';
export { probeJson, probeLines, probeList } from './probe/probeText.js';
export { Translator } from './x86/translate.js';
export { type Alteration as StatementAlteration, alterationText, parseAlteration, type Which } from './whatIf/alteration.js';
export { activeOf, type Alterations, type Listed, loadedAlterations, NO_ALTERATIONS, savedAlterations, switched, withAlteration, withoutAlteration } from './whatIf/alterations.js';
export { applyAlterations, type ApplyRequest, type WhatIf } from './whatIf/apply.js';
export { findingsMeans } from './cli/opening/findingsMeans.js';
export { findingsDifference, type FindingsDifference, type FindingsOf, type RunFinding, type RunFindings } from './whatIf/findings.js';
export { compareRuns, type OutputDifference, type RunComparison, type VariableDifference } from './whatIf/compareRuns.js';
export { trial, type TrialEnd, type TrialRequest, type TrialResult } from './whatIf/trial.js';
