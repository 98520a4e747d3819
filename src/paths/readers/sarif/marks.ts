/** Properties by which our SARIF says what SARIF has no words for, so that it is read again as it was. */

/** On a location of a thread flow: no step, but where a segment begins. */
export const SEGMENT_MARK = 'culprit/segment';
/** On a code flow, a location or a stack: the role of its path. */
export const ROLE_MARK = 'culprit/role';
/** On a location of a result: it is there for other tools; our paths have it already. */
export const DERIVED_MARK = 'culprit/derived';
/** On a result: the tool that it came from first, and the text of its report. */
export const TOOL_MARK = 'culprit/tool';
export const TEXT_MARK = 'culprit/text';
