/**
 * Which file an artifact location of SARIF means (sections 3.4 and 3.14.14): a URI, relative to a base that has a name,
 * which may be relative to another; or an entry of the run's table. A step names its file by what the tool wrote, as
 * long as that is unambiguous; where the file was is kept with it.
 */
import type { ReportedFile } from '../../model/path.js';
import { pathOfUri } from '../../model/uri.js';
import { type Fields, fieldsOf, indexIn, textIn } from '../json/fields.js';

/** Bases of bases: more are a circle. */
const MOST_BASES = 20;

/** Files of all runs of a log, by the name that steps have. */
export class SarifFiles {
  readonly known = new Map<string, ReportedFile>();

  /** Of one run, from its tables. */
  ofRun(bases: Fields): RunFiles {
    return new RunFiles(bases, this);
  }

  /** The name under which steps find the file that lies at `path`. */
  named(name: string, path: string): string {
    const known = this.known.get(name);
    if (known !== undefined && path !== name && (known.path ?? known.name) !== path) {
      this.known.set(path, this.known.get(path) ?? { name: path });
      return path;
    }
    if (known === undefined) this.known.set(name, path === name ? { name } : { name, path });
    return name;
  }

  add(name: string, artifact: Fields): void {
    const before = this.known.get(name) ?? { name };
    const text = before.text ?? contentsOf(artifact);
    const hashes = Object.entries(fieldsOf(artifact['hashes'])).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const byKind = Object.fromEntries(hashes.map(([kind, digest]) => [kind.toLowerCase(), digest.toLowerCase()]));
    this.known.set(name, { ...before, ...(hashes.length === 0 ? {} : { hashes: byKind }), ...(text === undefined ? {} : { text }) });
  }
}

export class RunFiles {
  /** By their index in the run's table. */
  private readonly names: (string | undefined)[] = [];
  /** By base and URI: steps name few files, often. */
  private readonly uris = new Map<string, string>();

  constructor(
    private readonly bases: Fields,
    private readonly all: SarifFiles,
  ) {}

  /** An entry of the run's table of artifacts. */
  addArtifact(index: number, artifact: Fields): void {
    const name = this.nameOf(fieldsOf(artifact['location']));
    if (name === undefined) return;
    this.names[index] = name;
    this.all.add(name, artifact);
  }

  nameOf(location: Fields): string | undefined {
    const uri = textIn(location['uri']);
    const index = indexIn(location['index']);
    if (uri === undefined) return index === undefined ? undefined : this.names[index];
    const base = textIn(location['uriBaseId']);
    const key = base === undefined ? uri : `${base}\0${uri}`;
    const known = this.uris.get(key);
    if (known !== undefined) return known;
    const name = pathOfUri(uri);
    const found = this.all.named(name, this.resolved(name, base));
    this.uris.set(key, found);
    return found;
  }

  private resolved(name: string, base: string | undefined): string {
    let path = name;
    let id = base;
    for (let i = 0; id !== undefined && i < MOST_BASES && !path.startsWith('/'); i++) {
      const { uri, uriBaseId } = Object.hasOwn(this.bases, id) ? fieldsOf(this.bases[id]) : {};
      const folder = textIn(uri);
      if (folder !== undefined) path = `${pathOfUri(folder).replace(/\/*$/, '/')}${path}`;
      id = textIn(uriBaseId);
    }
    return path;
  }
}

/** Texts are kept as they are; what is encoded may be a text, too. */
function contentsOf(artifact: Fields): string | undefined {
  const contents = fieldsOf(artifact['contents']);
  const text = textIn(contents['text']);
  const binary = textIn(contents['binary']);
  if (text !== undefined || binary === undefined) return text;
  try {
    return new TextDecoder('utf-8').decode(Uint8Array.from(atob(binary), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
