/** Requests about bytes: memory and disassembly. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../../base/errors.js';
import { goneText } from '../../debugger/control/goneSearch.js';
import { addressText, parseAddress } from '../addresses.js';
import { decodeBase64, encodeBase64 } from '../base64.js';
import { instructionsAround } from '../../debugger/values/disassembly.js';
import { shownInstructions } from '../shownCode.js';
import type { Body, Handler, Handlers } from '../handler.js';
import { commitWrites, seeing } from '../valueViews.js';

const MOST_BYTES = 1024 * 1024;
const MOST_INSTRUCTIONS = 10_000;

const readMemory: Handler = async (adapter, args, request): Promise<Body<DebugProtocol.ReadMemoryResponse>> => {
  const address = BigInt.asUintN(64, parseAddress(args.string('memoryReference')) + BigInt(args.optionalInteger('offset') ?? 0));
  const wanted = args.integer('count');
  if (wanted < 0) throw new UserError('readMemory: "count" must not be negative');
  const program = adapter.debug.program();
  const { seen: bytes, gone } = await seeing(adapter, request, () => (program === undefined ? undefined : readable(program, address, Math.min(wanted, MOST_BYTES))));
  for (const block of gone) adapter.say(goneText(block));
  const read = bytes?.length ?? 0;
  return { address: addressText(address), ...(read === 0 ? {} : { data: encodeBase64(bytes as Uint8Array) }), ...(read < wanted ? { unreadableBytes: wanted - read } : {}) };
};

interface Readable {
  memory(address: bigint, size: number): Uint8Array | undefined;
}

/** As much as is there, from the address on. */
function readable(program: Readable, address: bigint, count: number): Uint8Array {
  const whole = program.memory(address, count);
  if (whole !== undefined) return whole;
  let [low, high] = [0, count];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (program.memory(address, middle) === undefined) high = middle;
    else low = middle;
  }
  return program.memory(address, low) ?? new Uint8Array();
}

const writeMemory: Handler = async (adapter, args, request): Promise<Body<DebugProtocol.WriteMemoryResponse>> => {
  const address = BigInt.asUintN(64, parseAddress(args.string('memoryReference')) + BigInt(args.optionalInteger('offset') ?? 0));
  const bytes = decodeBase64(args.string('data'));
  const program = adapter.debug.program();
  if (program?.memory(address, bytes.length) === undefined) throw new UserError(`there is no memory at ${addressText(address)}`);
  await commitWrites(adapter, bytes.length === 0 ? [] : [{ kind: 'memory', address, bytes }], program.thread.id, request);
  return { bytesWritten: bytes.length };
};

const disassemble: Handler = (adapter, args): Body<DebugProtocol.DisassembleResponse> => {
  const address = BigInt.asUintN(64, parseAddress(args.string('memoryReference')) + BigInt(args.optionalInteger('offset') ?? 0));
  const count = args.integer('instructionCount');
  if (count < 0 || count > MOST_INSTRUCTIONS) throw new UserError(`disassemble: "instructionCount" has to be from 0 to ${MOST_INSTRUCTIONS}`);
  const first = args.optionalInteger('instructionOffset') ?? 0;
  if (Math.abs(first) > MOST_INSTRUCTIONS) throw new UserError(`disassemble: "instructionOffset" is too far away`);
  const program = adapter.debug.program();
  if (program === undefined) throw new UserError('there is no program here');
  const code = instructionsAround(program, { address, first, count }, 'intel');
  return { instructions: shownInstructions(adapter, program, code, args.boolean('resolveSymbols')) };
};

export const memoryRequests: Handlers = { readMemory, writeMemory, disassemble };
