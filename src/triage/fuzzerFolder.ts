/**
 * Which entries of a folder are inputs. Fuzzers keep other things beside them: AFL its README.txt, statistics and a
 * bitmap, libFuzzer whatever lies in the directory that it was started in.
 */

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

interface FolderInputs {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Files that are no inputs. */
  readonly leftOut: readonly string[];
}

const AFL_FOLDER = /^(crashes|hangs|queue)([._]|$)/;
const AFL_INPUT = /^id[:_]\d+/;
const AFL_ONLY_BESIDE_INPUTS = /^README(\.txt)?$/;
const LIBFUZZER_ARTIFACT = /^(crash|timeout|oom|leak|slow-unit)-[0-9a-f]{8,}$/;
/** What its corpus and its minimiser name files. */
const LIBFUZZER_OTHER = /^((minimized-from|cleaned)-)?[0-9a-f]{40}$/;

export function inputsIn(entries: readonly FolderEntry[]): FolderInputs {
  const seen = entries.filter(({ name }) => !name.startsWith('.'));
  const folders = seen.filter(({ isFolder }) => isFolder).map(({ name }) => name);
  const files = seen.filter(({ isFolder }) => !isFolder).map(({ name }) => name);
  const ofAfl = folders.filter((name) => AFL_FOLDER.test(name));
  if (ofAfl.length > 0) return chosen(files, [], ofAfl);
  if (files.some((name) => AFL_INPUT.test(name))) return chosen(files, files.filter((name) => !AFL_ONLY_BESIDE_INPUTS.test(name)), folders);
  if (files.some((name) => LIBFUZZER_ARTIFACT.test(name))) return chosen(files, files.filter((name) => LIBFUZZER_ARTIFACT.test(name) || LIBFUZZER_OTHER.test(name)), []);
  return chosen(files, files.filter((name) => !isAflsEmptyReadme(name, files)), folders);
}

/** A folder of AFL's in which nothing has been found yet but the README. */
function isAflsEmptyReadme(name: string, files: readonly string[]): boolean {
  return files.length === 1 && name === 'README.txt';
}

function chosen(all: readonly string[], files: readonly string[], folders: readonly string[]): FolderInputs {
  const taken = new Set(files);
  return { files: files.toSorted(), folders: folders.toSorted(), leftOut: all.filter((name) => !taken.has(name)) };
}
