/** Bytes that the checkpoints of a timeline may take. */
export const DEFAULT_CHECKPOINT_MEMORY = 512 * 1024 * 1024;
