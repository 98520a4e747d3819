/**
 * What is to blame for how a program ends with one input, by the guards of `culprit check` alone: the first access that
 * a rule forbids is the first corruption. Runs, and looks back, in memory: nothing is written anywhere.
 */
import type { BytePath } from '../../base/bytePath.js';
import { hex } from '../../base/types.js';
import type { BlamedFailure, BlamedFrame, BlamedPlace, BlameReport } from '../../blame/blameReport.js';
import { chosenRules } from '../../check/chosenRules.js';
import { type CheckedProgram, checkProgram } from '../../check/program/checkProgram.js';
import { type ReportedFrame, userFrame } from '../../check/report/frames.js';
import type { Report } from '../../check/report/report.js';
import type { Suppression } from '../../check/report/suppressions.js';
import type { Host } from '../../host/host.js';
import type { Guest } from '../../linux/guest.js';
import type { KnownCode } from '../../machine/knownCode/knownCode.js';
import type { CheckedRule } from '../../rules/language/core.js';
import { signalName } from '../../base/signalNames.js';
import type { TriageLimits } from '../../triage/triageJob.js';
import { shippedRules, shippedSuppressions } from '../arguments/shippedRules.js';
import { NODE_FILES } from '../opening/nodeFiles.js';
import { prebuiltCore } from '../stores/prebuilt.js';

export interface BlamedRun {
  readonly host: Host;
  readonly program: BytePath;
  readonly args: readonly BytePath[];
  readonly limits: TriageLimits;
  /** Which interleaving of threads. */
  readonly scheduleSeed: number;
}

/** Null pointers and values that were never set are bugs, and corrupt nothing. */
const NO_CORRUPTION = /^(null\.|libc\.null|uninitialized\.|gc\.|.*\.leak|leak\.)/;

/** One for each thread: code that was translated for one input serves the next. */
export class GuardedBlame {
  private readonly core = prebuiltCore();
  private readonly rules: readonly CheckedRule[] = shippedRules();
  private readonly suppressions: readonly Suppression[] = shippedSuppressions();

  constructor(private readonly knownCode: KnownCode | undefined) {}

  async blame(run: BlamedRun): Promise<BlameReport> {
    const { host, program, args, limits } = run;
    let guest: Guest | undefined;
    const watched = Object.assign(Object.create(host) as Host, {
      clock: Object.assign(Object.create(host.clock) as Host['clock'], {
        yield: async () => {
          if (guest !== undefined && isBeyond(limits, guest)) guest.world.killAll();
          await host.clock.yield();
        },
      }),
    });
    const checked = await checkProgram(watched, {
      program, args, environment: host.environment(),
      world: { timeout: limits.seconds * 1000, closed: true, children: 'end', scheduleSeed: run.scheduleSeed },
      engine: { coreModule: this.core, knownCode: this.knownCode },
    }, { chosen: chosenRules(this.rules), suppressions: this.suppressions, files: NODE_FILES, onStarted: (started) => (guest = started) });
    return reportOf(program, checked, hangOf(guest, limits));
  }
}

function isBeyond({ instructions }: TriageLimits, { world }: Guest): boolean {
  return instructions !== null && world.instructions > instructions;
}

function hangOf(guest: Guest | undefined, limits: TriageLimits): string | undefined {
  const ending = guest?.world.ending;
  if (ending?.reason === 'timeout') return `not done after ${limits.seconds} s`;
  if (ending?.reason === 'deadlock' && !ending.isOfLeftBehind) return 'all threads wait for each other';
  return guest !== undefined && isBeyond(limits, guest) ? `not done after ${limits.instructions} instructions` : undefined;
}

function reportOf(program: BytePath, { reports, status, hasStopped }: CheckedProgram, hang: string | undefined): BlameReport {
  const found = reports.find(({ crash }) => crash === undefined);
  const crash = reports.find((report) => report.crash !== undefined);
  const common = { version: 1, program, recording: undefined, iterations: [], remarks: [], runs: 1 } as const;
  const failure = failureOf(found ?? crash, hang);
  if (found !== undefined) {
    if (NO_CORRUPTION.test(found.rule)) return { ...common, verdict: 'otherFailure', places: [], failure, why: found.message };
    return { ...common, verdict: 'corruption', places: [placeOf(found)], failure, why: found.message };
  }
  if (crash !== undefined) return { ...common, verdict: isExplained(crash) ? 'otherFailure' : 'unknown', places: [], failure, why: crash.message };
  if (hang !== undefined) return { ...common, verdict: 'otherFailure', places: [], failure, why: hang };
  if (status.kind === 'signaled' && !hasStopped) return { ...common, verdict: 'otherFailure', places: [], failure: signalFailure(signalName(status.signal)), why: `ended by ${signalName(status.signal)}` };
  return { ...common, verdict: 'clean', places: [], failure: undefined, why: 'nothing is wrong that can be seen' };
}

/** A crash that says by itself what it is. */
function isExplained({ crash, message }: Report): boolean {
  return crash?.name === 'SIGFPE' || crash?.name === 'SIGABRT' || message.includes('the stack is full');
}

function placeOf(report: Report): BlamedPlace {
  const { rule, message, time, stack, block } = report;
  const frame = userFrame(stack) ?? stack[0];
  const memory = block === undefined ? undefined : `${block.variable === undefined ? 'a block' : block.variable.name} of ${block.size} bytes`;
  return { ...frameOf(frame), by: ['guards'], what: message, rule, time, stack: stack.map(frameOf), memory };
}

function failureOf(report: Report | undefined, hang: string | undefined): BlamedFailure | undefined {
  if (report === undefined) return hang === undefined ? undefined : { kind: 'hang', name: 'hang', message: hang, place: frameOf(undefined), time: 0 };
  const { crash, rule, message, time, stack } = report;
  const kind = crash === undefined ? 'finding' : crash.name === 'SIGABRT' ? 'abort' : 'crash';
  const asserts = kind === 'abort' && stack.some((frame) => /^(__assert|__GI___assert)/.test(frame.function ?? frame.calledAs ?? ''));
  return { kind, name: crash?.name ?? rule, message: asserts ? `${message}: an assertion has failed` : message, place: frameOf(userFrame(stack) ?? stack[0]), time };
}

function signalFailure(name: string): BlamedFailure {
  return { kind: 'crash', name, message: `ended by ${name}`, place: frameOf(undefined), time: 0 };
}

function frameOf(frame: ReportedFrame | undefined): BlamedFrame {
  return { function: frame?.calledAs ?? frame?.function, file: frame?.file, line: frame === undefined || frame.line === 0 ? undefined : frame.line, module: frame?.object, address: hex(frame?.address ?? 0n) };
}
