/** Paths of files as URIs, as SARIF names them. */
import { wellFormed } from './wellFormed.js';

const OTHER_SCHEME = /^[a-z][\w+.-]+:/i;

/** A path of this kind of system; URIs of other kinds stay as they are. */
export function pathOfUri(uri: string): string {
  const [, path] = /^file:(?:\/\/[^/]*)?(\/.*)$/is.exec(uri) ?? [];
  if (path === undefined && OTHER_SCHEME.test(uri)) return uri;
  const encoded = path ?? uri;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

export function uriOfPath(path: string): string {
  if (OTHER_SCHEME.test(path)) return path;
  const encoded = encodeURI(wellFormed(path)).replaceAll('#', '%23').replaceAll('?', '%3F').replaceAll('[', '%5B').replaceAll(']', '%5D');
  return path.startsWith('/') ? `file://${encoded}` : encoded;
}
