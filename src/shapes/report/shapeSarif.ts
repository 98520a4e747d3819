/**
 * What `culprit shape` says as SARIF 2.1.0: one result for each constraint that is broken, whose locations are the
 * statements that contributed, the last first; its code flow has them in the order of time.
 */
import type { ShapeFrame } from './places.js';
import type { ShapeReport, ShapeStatement } from './shapeReport.js';

interface SarifOptions {
  readonly version: string;
  /** Files below it are named relative to it. */
  readonly directory: string;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const ROOT = 'SRCROOT';

export function shapeSarif(report: ShapeReport, { version, directory }: SarifOptions): unknown {
  const base = `${directory}/`;
  const broken = [...new Map(report.inconsistencies.map((one) => [one.constraint, one])).values()];
  const rules = broken.map(({ constraint, text }) => ({ id: `shape.${constraint}`, shortDescription: { text }, defaultConfiguration: { level: 'error', enabled: true } }));
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: 'culprit', semanticVersion: version, rules } },
      invocations: [{ executionSuccessful: true }],
      originalUriBaseIds: { [ROOT]: { uri: `file://${encodeURI(directory)}/` } },
      results: broken.map((one, ruleIndex) => resultOf(report, one, ruleIndex, base)),
    }],
  };
}

function resultOf({ statements, point, program }: ShapeReport, { constraint, text, message, nodes }: ShapeReport['inconsistencies'][number], ruleIndex: number, base: string): unknown {
  const where = point === undefined ? '' : ` at ${point.what}`;
  return {
    ruleId: `shape.${constraint}`,
    ruleIndex,
    level: 'error',
    message: { text: `${message ?? text}: broken${where} for ${nodes.join(', ')}` },
    locations: statements.slice(0, 1).map((statement) => locationOf(statement, base)),
    ...(statements.length < 2 ? {} : { relatedLocations: statements.slice(1).map((statement, id) => ({ id, message: { text: statement.what }, ...locationOf(statement, base) })) }),
    codeFlows: [{ threadFlows: [{ locations: [...statements].reverse().map((statement, i) => stepOf(statement, i, base)) }] }],
    properties: { program, ...(point === undefined ? {} : { time: point.time }) },
  };
}

function stepOf(statement: ShapeStatement, index: number, base: string): unknown {
  return { executionOrder: index + 1, location: { ...locationOf(statement, base), message: { text: `time ${statement.time}: ${statement.what}` } } };
}

function locationOf({ file, line, function: name, address }: ShapeFrame, base: string): object {
  const relative = file?.startsWith(base) === true ? file.slice(base.length) : undefined;
  return {
    ...(file === undefined || line === undefined ? {} : {
      physicalLocation: { artifactLocation: relative === undefined ? { uri: `file://${encodeURI(file)}` } : { uri: encodeURI(relative), uriBaseId: ROOT }, region: { startLine: line } },
    }),
    ...(name === undefined ? {} : { logicalLocations: [{ name, fullyQualifiedName: `${name}@${address}`, kind: 'function' }] }),
  };
}
