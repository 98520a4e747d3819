/** Texts that may be half a character: what stands alone of a pair becomes U+FFFD, as UTF-8 would have it. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}
