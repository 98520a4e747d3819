/** Reports in our own JSON form (model/document.ts), piece by piece: files first, so that a reader knows them. */
import { jsonText } from '../../base/visible.js';
import { DOCUMENT_FORM, DOCUMENT_VERSION } from '../model/document.js';
import type { PathReport, ReportedFile } from '../model/path.js';

export function* jsonPieces(reports: Iterable<PathReport>, files: Iterable<ReportedFile>): Generator<string> {
  yield `{"form":"${DOCUMENT_FORM}","version":${DOCUMENT_VERSION},"files":[`;
  yield* listed(files);
  yield '],\n"reports":[';
  yield* listed(reports);
  yield ']}\n';
}

function* listed(values: Iterable<unknown>): Generator<string> {
  let isFirst = true;
  for (const value of values) {
    yield `${isFirst ? '\n' : ',\n'}${jsonText(value)}`;
    isFirst = false;
  }
}
