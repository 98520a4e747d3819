/**
 * What the schema of SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0) says of the objects that we write: which
 * properties they may have, of what type, which they must have. What we do not write is not here, so a property that
 * has no line here is a problem, too.
 */

/** What is wrong with the value at a path; empty if nothing is. */
type Check = (value: unknown, at: string) => readonly string[];

function test(what: string, isRight: (value: unknown) => boolean): Check {
  return (value, at) => (isRight(value) ? [] : [`${at}: ${JSON.stringify(value)} should be ${what}`]);
}

const text = test('a string', (value) => typeof value === 'string');
const flag = test('true or false', (value) => typeof value === 'boolean');
const uri = test('a URI reference', (value) => typeof value === 'string' && /^(?:[\w!#$&'()*+,\-./:;=?@[\]~]|%[\da-fA-F]{2})*$/.test(value));
const anything: Check = () => [];

function integer(least: number): Check {
  return test(`an integer from ${least} on`, (value) => Number.isInteger(value) && (value as number) >= least);
}

function oneOf(...values: readonly string[]): Check {
  return test(`one of ${values.join(', ')}`, (value) => typeof value === 'string' && values.includes(value));
}

function list(item: Check, { least = 0, unique = false } = {}): Check {
  return (value, at) => {
    if (!Array.isArray(value)) return [`${at}: should be a list`];
    const texts = value.map((one) => JSON.stringify(one));
    return [
      ...(value.length < least ? [`${at}: should have at least ${least}`] : []),
      ...(unique && new Set(texts).size < texts.length ? [`${at}: has the same twice`] : []),
      ...value.flatMap((one, i) => item(one, `${at}[${i}]`)),
    ];
  };
}

/** `required`: each of them; `some`: one of them at least. */
function object(properties: Readonly<Record<string, Check>>, { required = [], some = [] }: { readonly required?: readonly string[]; readonly some?: readonly string[] } = {}): Check {
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at}: should be an object`];
    const names = Object.keys(value);
    return [
      ...required.filter((name) => !names.includes(name)).map((name) => `${at}: should have ${name}`),
      ...(some.length > 0 && !some.some((name) => names.includes(name)) ? [`${at}: should have ${some.join(' or ')}`] : []),
      ...Object.entries(value).flatMap(([name, one]) => properties[name]?.(one, `${at}.${name}`) ?? [`${at}: has a property ${name}`]),
    ];
  };
}

function eachOf(item: Check): Check {
  return (value, at) => (typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([name, one]) => item(one, `${at}.${name}`)) : [`${at}: should be an object`]);
}

const LEVEL = oneOf('none', 'note', 'warning', 'error');
const MESSAGE = object({ text, markdown: text, id: text, arguments: list(text) }, { some: ['text', 'id'] });
const DESCRIPTION = object({ text, markdown: text }, { required: ['text'] });
const ARTIFACT = object({ uri, uriBaseId: text, index: integer(-1), description: MESSAGE });
const REGION = object({ startLine: integer(1), startColumn: integer(1), endLine: integer(1), endColumn: integer(1), snippet: object({ text, binary: text }), message: MESSAGE });
const ADDRESS = object({ absoluteAddress: integer(-1), relativeAddress: integer(-Infinity), length: integer(-Infinity), kind: text, name: text, fullyQualifiedName: text });
const PHYSICAL = object({ artifactLocation: ARTIFACT, region: REGION, contextRegion: REGION, address: ADDRESS }, { some: ['address', 'artifactLocation'] });
const LOGICAL = object({ name: text, fullyQualifiedName: text, decoratedName: text, kind: text, index: integer(-1), parentIndex: integer(-1) });
const LOCATION = object({ id: integer(-1), physicalLocation: PHYSICAL, logicalLocations: list(LOGICAL, { unique: true }), message: MESSAGE, properties: anything });
const FRAME = object({ location: LOCATION, module: text, threadId: integer(-Infinity), parameters: list(text) });
const STACK = object({ message: MESSAGE, frames: list(FRAME) }, { required: ['frames'] });
const FLOW_LOCATION = object({ location: LOCATION, stack: STACK, kinds: list(text, { unique: true }), module: text, state: eachOf(DESCRIPTION), nestingLevel: integer(0), executionOrder: integer(-1), importance: oneOf('important', 'essential', 'unimportant'), properties: anything });
const THREAD_FLOW = object({ id: text, message: MESSAGE, locations: list(FLOW_LOCATION, { least: 1 }), properties: anything }, { required: ['locations'] });
const SUPPRESSION = object({ kind: oneOf('inSource', 'external'), status: oneOf('accepted', 'underReview', 'rejected'), justification: text }, { required: ['kind'] });
const CODE_FLOW = object({ message: MESSAGE, threadFlows: list(THREAD_FLOW, { least: 1 }), properties: anything }, { required: ['threadFlows'] });
const RESULT = object(
  {
    ruleId: text, ruleIndex: integer(-1), kind: oneOf('notApplicable', 'pass', 'fail', 'review', 'open', 'informational'), level: LEVEL, message: MESSAGE, locations: list(LOCATION), stacks: list(STACK, { unique: true }),
    codeFlows: list(CODE_FLOW), relatedLocations: list(LOCATION, { unique: true }), suppressions: list(SUPPRESSION, { unique: true }), properties: anything,
  },
  { required: ['message'] },
);
const CONFIGURATION = object({ enabled: flag, level: LEVEL });
const RULE = object({ id: text, name: text, shortDescription: DESCRIPTION, fullDescription: DESCRIPTION, help: DESCRIPTION, helpUri: uri, defaultConfiguration: CONFIGURATION }, { required: ['id'] });
const TOOL = object({ driver: object({ name: text, version: text, semanticVersion: text, informationUri: uri, rules: list(RULE, { unique: true }) }, { required: ['name'] }) }, { required: ['driver'] });
const INVOCATION = object({ commandLine: text, arguments: list(text), exitCode: integer(-Infinity), executionSuccessful: flag }, { required: ['executionSuccessful'] });
const FILE = object({ location: ARTIFACT, hashes: eachOf(text), contents: object({ text, binary: text }), length: integer(-1) });
const RUN = object({ tool: TOOL, artifacts: list(FILE, { unique: true }), invocations: list(INVOCATION), originalUriBaseIds: eachOf(ARTIFACT), results: list(RESULT) }, { required: ['tool'] });
const LOG = object({ $schema: uri, version: oneOf('2.1.0'), runs: list(RUN) }, { required: ['version', 'runs'] });

/**
 * What the schema does not allow, and what the text of the standard forbids: rules that are not where their index says.
 */
export function sarifProblems(log: unknown): readonly string[] {
  const problems = LOG(log, '$');
  if (problems.length > 0) return problems;
  const { runs } = log as { readonly runs: readonly { readonly tool: { readonly driver: { readonly rules?: readonly { readonly id: string }[] } }; readonly results?: readonly { readonly ruleId?: string; readonly ruleIndex?: number }[] }[] };
  return runs.flatMap(({ tool, results = [] }) =>
    results.flatMap(({ ruleId, ruleIndex = -1 }) => (ruleIndex < 0 || tool.driver.rules?.[ruleIndex]?.id === ruleId ? [] : [`rule ${ruleIndex} is not ${ruleId}`])),
  );
}
