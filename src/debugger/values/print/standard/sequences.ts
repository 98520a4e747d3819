/** Vectors, deques and lists, and what is made of them. */
import { strip, type Type } from '../../../../dwarf/types.js';
import { BOOL, INT } from '../../madeTypes.js';
import { integerValue, toInteger } from '../../scalars.js';
import { typeAlignment } from '../../typeMeasures.js';
import { argument, at, elementsAt, integer, type Kind, type Looked, member, MOST, type Part, plural, pointerAt, roundUp, type Shape } from './shape.js';

const WORD = 64n;
const POINTER = 8;
/** Bytes that a deque allocates at once. */
const DEQUE_BLOCK = 512;

export const vector: Kind = (looked) => {
  if (looked.type.qualifiedName?.startsWith('std::vector<bool') === true) return bitVector(looked);
  const impl = member(looked, looked.value, '_M_impl');
  const [start, finish, end] = ['_M_start', '_M_finish', '_M_end_of_storage'].map((name) => integer(looked, impl, name)) as [bigint, bigint, bigint];
  const pointer = member(looked, impl, '_M_start').plain;
  const element = pointer.kind === 'pointer' ? pointer.to : argument(looked);
  const size = BigInt(strip(element).size);
  const count = size === 0n ? -1n : (finish - start) / size;
  if (count < 0n || count > MOST) return undefined;
  return { kind: 'parts', head: `std::vector of length ${count}, capacity ${(end - start) / size}`, layout: 'array', parts: () => elementsAt(looked, element, start, count) };
};

function bitVector(looked: Looked): Shape | undefined {
  const impl = member(looked, looked.value, '_M_impl');
  const [start, finish] = [integer(looked, impl, '_M_start', '_M_p'), integer(looked, impl, '_M_finish', '_M_p')];
  const first = integer(looked, impl, '_M_start', '_M_offset');
  const count = (finish - start) * 8n + integer(looked, impl, '_M_finish', '_M_offset') - first;
  const capacity = (integer(looked, impl, '_M_end_of_storage') - start) * 8n;
  if (count < 0n || count > MOST) return undefined;
  function* parts(): Generator<Part> {
    for (let i = 0n; i < count; i++) {
      const bit = first + i;
      const word = pointerAt(looked, start + (bit / WORD) * 8n);
      yield { name: `[${i}]`, value: integerValue(looked.value.around, BOOL, (word >> (bit % WORD)) & 1n) };
    }
  }
  return { kind: 'parts', head: `std::vector<bool> of length ${count}, capacity ${capacity}`, layout: 'array', parts };
}

export const deque: Kind = (looked) => {
  const element = argument(looked);
  const size = BigInt(strip(element).size);
  if (size === 0n) return undefined;
  const perBlock = size < DEQUE_BLOCK ? BigInt(DEQUE_BLOCK) / size : 1n;
  const impl = member(looked, looked.value, '_M_impl');
  const where = (end: string, name: string): bigint => integer(looked, impl, end, name);
  const blocks = (where('_M_finish', '_M_node') - where('_M_start', '_M_node')) / BigInt(POINTER);
  const count = perBlock * (blocks - 1n) + (where('_M_finish', '_M_cur') - where('_M_finish', '_M_first')) / size + (where('_M_start', '_M_last') - where('_M_start', '_M_cur')) / size;
  function* parts(): Generator<Part> {
    let [address, last, node] = [where('_M_start', '_M_cur'), where('_M_start', '_M_last'), where('_M_start', '_M_node')];
    for (let i = 0n; i < count; i++) {
      yield { name: `[${i}]`, value: at(looked, element, address) };
      address += size;
      if (address !== last) continue;
      node += BigInt(POINTER);
      address = pointerAt(looked, node);
      last = address + perBlock * size;
    }
  }
  return { kind: 'parts', head: `std::deque with ${plural(count)}`, layout: 'array', parts };
};

export const list: Kind = (looked) => {
  const end = member(looked, looked.value, '_M_impl', '_M_node').address;
  if (end === undefined) return undefined;
  const name = looked.type.qualifiedName?.startsWith('std::__cxx11::') === true ? 'std::__cxx11::list' : 'std::list';
  return chain(looked, name, pointerAt(looked, end), end, 2 * POINTER);
};

export const forwardList: Kind = (looked) => chain(looked, 'std::forward_list', integer(looked, looked.value, '_M_impl', '_M_head', '_M_next'), 0n, POINTER);

/** Nodes that begin with the address of the next one. */
function chain(looked: Looked, name: string, first: bigint, end: bigint, offset: number): Shape {
  const element = argument(looked);
  if (first === end) return { kind: 'text', text: `empty ${name}` };
  return { kind: 'parts', head: name, layout: 'members', parts: () => nodes(looked, element, first, end, offset) };
}

function* nodes(looked: Looked, element: Type, first: bigint, end: bigint, offset: number): Generator<Part> {
  const inside = BigInt(roundUp(offset, typeAlignment(element)));
  let node = first;
  for (let i = 0; node !== end; i++) {
    yield { name: `[${i}]`, value: at(looked, element, node + inside) };
    node = pointerAt(looked, node);
  }
}

export const initializerList: Kind = (looked) => {
  const count = integer(looked, looked.value, '_M_len');
  if (count > MOST) return undefined;
  return { kind: 'parts', head: `std::initializer_list of length ${count}`, layout: 'array', parts: () => elementsAt(looked, argument(looked), integer(looked, looked.value, '_M_array'), count) };
};

/** What stack, queue and priority_queue keep their elements in. */
export const adaptor: Kind = (looked) => {
  const inner = looked.shapeOf(member(looked, looked.value, 'c'));
  const head = `${/^std::\w+/.exec(looked.type.qualifiedName ?? '')?.[0] ?? ''} wrapping: `;
  if (inner?.kind === 'parts') return { ...inner, head: head + inner.head };
  return inner?.kind === 'text' ? { kind: 'text', text: head + inner.text } : undefined;
};

export const bitset: Kind = (looked) => {
  const words = member(looked, looked.value, '_M_w');
  const { bytes } = words;
  function* parts(): Generator<Part> {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const isSet = ((bytes[bit >> 3] as number) >> (bit & 7)) & 1;
      if (isSet === 1) yield { name: `[${bit}]`, value: integerValue(looked.value.around, INT, 1n) };
    }
  }
  return { kind: 'parts', head: 'std::bitset', layout: 'members', parts };
};

export const normalIterator: Kind = (looked) => {
  const current = member(looked, looked.value, '_M_current');
  if (toInteger(current) === 0n) return { kind: 'text', text: 'non-dereferenceable iterator for std::vector' };
  return current.plain.kind === 'pointer' ? { kind: 'value', value: at(looked, current.plain.to, toInteger(current)) } : undefined;
};

export const dequeIterator: Kind = (looked) => {
  const current = integer(looked, looked.value, '_M_cur');
  if (current === 0n) return { kind: 'text', text: 'non-dereferenceable iterator for std::deque' };
  return { kind: 'value', value: at(looked, argument(looked), current) };
};

const nodeIterator = (offset: number, name: string): Kind => (looked) => {
  const node = integer(looked, looked.value, '_M_node');
  if (node === 0n) return { kind: 'text', text: `non-dereferenceable iterator for ${name}` };
  const element = argument(looked);
  return { kind: 'value', value: at(looked, element, node + BigInt(roundUp(offset, typeAlignment(element)))) };
};

export const listIterator = nodeIterator(2 * POINTER, 'std::list');
export const forwardListIterator = nodeIterator(POINTER, 'std::forward_list');
export const treeIterator = nodeIterator(4 * POINTER, 'associative container');
