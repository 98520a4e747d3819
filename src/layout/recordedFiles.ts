/** Recordings have the contents of files up to this size; of larger ones only the pages that were loaded. */
export const LARGEST_RECORDED_FILE = 64 * 1024 * 1024;
