/**
 * JSON that comes from anywhere. Its size is the caller's to limit; here its depth is: a few megabytes of brackets take
 * seconds and gigabytes to parse, and who walks through the result, as V8 itself does for some, needs a stack as deep.
 */
export const DEEPEST_JSON = 200;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Throws a SyntaxError if it is not JSON, or deeper than anything that is meant seriously. */
export function parseJson(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  if (depthOf(text) > DEEPEST_JSON) throw new SyntaxError(`deeper than ${DEEPEST_JSON} levels`);
  return JSON.parse(text, reviver);
}

/** Looks no further than it needs to. */
function depthOf(text: string): number {
  let [depth, deepest, isString] = [0, 0, false];
  for (let i = 0; i < text.length && deepest <= DEEPEST_JSON; i++) {
    const code = text.charCodeAt(i);
    if (isString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return deepest;
}
