/**
 * Whether functions come back to their callers. Some never do by their names. Of others one way to a return is looked
 * for: at first without asking whether calls on the way return, for most functions have one; then by asking, too. What
 * calls itself is taken for returning, and so is what cannot be known: indirect jumps, functions of other files.
 */
import { FLOW, type FlowReader } from '../x86/flowReader.js';
import type { CodeSource } from './codeSource.js';
import type { CallKnowledge } from './exploration.js';
import { FunctionBorder } from './functionBorder.js';
import { neverReturnsByName } from './neverReturning.js';

const MOST_INSTRUCTIONS = 20_000;
const DEEPEST = 64;
const LONGEST_STUB = 8;

export class Returning implements CallKnowledge {
  private readonly known = new Map<number, boolean>();
  private depth = 0;

  constructor(
    private readonly code: CodeSource,
    private readonly reader: FlowReader,
  ) {}

  mayReturn(callee: number): boolean {
    const known = this.known.get(callee);
    if (known !== undefined) return known;
    const name = this.code.nameOf(callee);
    if (name !== undefined && neverReturnsByName(name, this.isStub(callee))) return this.put(callee, false);
    if (this.depth >= DEEPEST) return true;
    this.put(callee, true);
    this.depth++;
    const returns = this.findReturn(callee);
    this.depth--;
    return this.put(callee, returns);
  }

  mayReturnThrough(pointer: number): boolean {
    const bytes = this.code.fetch(pointer, 8);
    const callee = bytes.length < 8 ? 0 : Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
    const name = callee === 0 ? undefined : this.code.nameOf(callee);
    return name === undefined || !neverReturnsByName(name, true);
  }

  /** Stubs of the linker have nothing but a jump through a pointer; endbr64 may come before it. */
  private isStub(callee: number): boolean {
    const { reader } = this;
    for (let at = callee; at < callee + LONGEST_STUB; at = reader.next) {
      const kind = reader.read(at);
      if (kind === FLOW.indirectJump) return reader.pointerAt !== undefined;
      if (kind !== FLOW.next) return false;
    }
    return false;
  }

  private put(callee: number, returns: boolean): boolean {
    this.known.set(callee, returns);
    return returns;
  }

  private findReturn(entry: number): boolean {
    const { reader, code } = this;
    const border = new FunctionBorder(code, reader, entry);
    if (border.known?.neverReturns === true) return false;
    const seen = new Set<number>();
    const queue = [entry];
    /** Calls and jumps to other functions: where, and where they come back to, unless they replace a return. */
    const deferred: { readonly callee: number; readonly next: number | undefined }[] = [];
    for (;;) {
      for (let start = queue.pop(); start !== undefined; start = queue.pop()) {
        for (let at = start; !seen.has(at); ) {
          seen.add(at);
          if (seen.size > MOST_INSTRUCTIONS) return true;
          const kind = reader.read(at);
          const { next } = reader;
          if (kind === FLOW.return || kind === FLOW.indirectJump) return true;
          if (kind === FLOW.stop || kind === FLOW.invalid) break;
          const goesOn = border.goesOn(at, next);
          if (kind === FLOW.jump || kind === FLOW.conditional) {
            const { target } = reader;
            if (kind === FLOW.conditional && goesOn) queue.push(next);
            if (border.takesIn(target)) queue.push(target);
            else deferred.push({ callee: target, next: undefined });
            break;
          }
          if (kind === FLOW.call) {
            if (goesOn) deferred.push({ callee: reader.target, next });
            break;
          }
          const pointer = kind === FLOW.indirectCall ? reader.pointerAt : undefined;
          if (pointer !== undefined && !this.mayReturnThrough(pointer)) break;
          if (!goesOn) {
            // Hand-written functions may go on in the next one.
            if (kind === FLOW.next && code.functionAt(next) !== undefined) deferred.push({ callee: next, next: undefined });
            break;
          }
          at = next;
        }
      }
      const call = deferred.shift();
      if (call === undefined) return false;
      if (call.callee !== call.next && !this.mayReturn(call.callee)) continue;
      if (call.next === undefined) return true;
      queue.push(call.next);
    }
  }
}
