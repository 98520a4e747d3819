/**
 * A thread that blames inputs, one after the other (triageThreads.ts starts it). Before the first program runs it gives
 * rights away, as `--sandbox` does: from then on this thread writes no files. What it has to say, it says by messages.
 */
import fs from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { bytePath, bytePathFromText } from '../../base/bytePath.js';
import { UserError } from '../../base/errors.js';
import { confine } from '../../host/confinement/confinement.js';
import { NodeHost } from '../../host/nodeHost.js';
import { answerOf, type Answer } from '../../triage/inputResult.js';
import { argumentsFor, takesPath, type TriageJob } from '../../triage/triageJob.js';
import { setPatience } from '../v8/tiering.js';
import { InputBlame } from './inputBlame.js';
import { createInputHost, type InputHost } from './inputHost.js';
import type { TriageReply, TriageRequest } from './triageMessages.js';

setPatience('guest code');
const machine = new NodeHost();
const blamer = new InputBlame();
confine([], {}, 'this thread');

async function answers(job: TriageJob): Promise<Answer[]> {
  const { command } = job;
  const args = argumentsFor(command, bytePathFromText(job.path)).map(bytePath);
  const found: Answer[] = [];
  for (let i = 0; i < command.repeat; i++) {
    const hosts: InputHost[] = [];
    const newHost = (): InputHost => {
      const host = hostFor(job);
      hosts.push(host);
      return host;
    };
    try {
      found.push(answerOf(await blamer.blame({ program: bytePath(command.program), args, limits: command.limits, scheduleSeed: i }, command.method, newHost)));
    } finally {
      for (const host of hosts) host.dispose();
    }
  }
  return found;
}

function hostFor({ command, path, source }: TriageJob): InputHost {
  const { directory, limits: { megabytes } } = command;
  const isFile = takesPath(command);
  const host = createInputHost(machine, { directory, stdin: isFile ? '/dev/null' : (source ?? path), megabytes });
  if (isFile && source !== undefined) host.plant(path, fs.readFileSync(source));
  return host;
}

async function reply({ number, job }: TriageRequest): Promise<TriageReply> {
  try {
    return { kind: 'answers', number, answers: await answers(job) };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'userError', number, message: error.message, exitCode: error.exitCode };
    return { kind: 'defect', number, text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on('message', (request: TriageRequest) => void reply(request).then((message) => parentPort?.postMessage(message, [])));
