/** The option of commands that travel in recordings: how much memory checkpoints may take. */
import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_CHECKPOINT_MEMORY } from '../../replay/timeline/defaultMemory.js';

export interface CheckpointMemoryOptions {
  /** In bytes. */
  readonly checkpointMemory?: number;
}

const MEGABYTE = 1024 * 1024;

export const DEFAULT_MEGABYTES = DEFAULT_CHECKPOINT_MEMORY / MEGABYTE;

export function withCheckpointMemory(command: Command): Command {
  return command.option('--checkpoint-memory <MB>', `memory for checkpoints, which make going back quick (default: ${DEFAULT_MEGABYTES})`, parseMegabytes);
}

export function parseMegabytes(value: string): number {
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError('It should be a number of megabytes.');
  return Number(value) * MEGABYTE;
}
