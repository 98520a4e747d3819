/** What holds one thing, or some of different types: pointers, optional, variant, tuple, atomic. */
import { toInteger } from '../../scalars.js';
import type { Value } from '../../value.js';
import { argument, at, baseNamed, hasMember, integer, type Kind, type Looked, member, nameOfType, type Part, type Shape } from './shape.js';
import { shortName } from './typeNames.js';

export const optional: Kind = (looked) => {
  const payload = member(looked, looked.value, '_M_payload');
  const name = `std::optional<${shortName(nameOfType(argument(looked)))}>`;
  if (integer(looked, payload, '_M_engaged') === 0n) return { kind: 'text', text: `${name} [no contained value]` };
  const union = member(looked, payload, '_M_payload');
  return containing(looked, name, union.component(argument(looked), 0), ' containing ', '[contained value]');
};

/** What has parts is shown with them; anything else is a part itself. */
function containing(looked: Looked, head: string, value: Value, joint: string, name: string): Shape {
  const inner = looked.shapeOf(value);
  if (inner?.kind === 'parts') return { ...inner, head: head + joint + inner.head };
  return { kind: 'parts', head, layout: name === '' ? 'array' : 'members', parts: () => [{ name, value }] };
}

export const variant: Kind = (looked) => {
  const { value, type } = looked;
  const index = Number(BigInt.asIntN(8, integer(looked, value, '_M_index')));
  const name = `std::variant<${type.templateArguments.map((one) => shortName(nameOfType(one.type))).join(', ')}>`;
  if (index < 0) return { kind: 'text', text: `${name} [no contained value]` };
  return containing(looked, `${name} [index ${index}]`, member(looked, value, '_M_u').component(argument(looked, index), 0), ' containing ', '');
};

/** Its manager is a function of a class that has the type in its name. */
export const any: Kind = (looked) => {
  const { value, names } = looked;
  const manager = integer(looked, value, '_M_manager');
  if (manager === 0n) return { kind: 'text', text: 'std::any [no contained value]' };
  const [, where, name] = /^std::any::_Manager_(internal|external)<(.*)>::_S_manage/.exec(value.around.symbolAt(manager)?.symbol.name ?? '') ?? [];
  const type = name === undefined ? undefined : names.typeNamed(name.trim());
  if (type === undefined) return undefined;
  const storage = member(looked, value, '_M_storage');
  const held = where === 'internal' ? storage.component(type, 0) : at(looked, type, integer(looked, storage, '_M_ptr'));
  return containing(looked, `std::any containing ${shortName(nameOfType(type))}`, held, ' containing ', '[contained value]');
};

export const pair: Kind = (looked) => ({
  kind: 'parts', head: '', layout: 'members', parts: () => ['first', 'second'].map((name) => ({ name, value: member(looked, looked.value, name) })),
});

export const uniquePointer: Kind = (looked) => {
  const data = member(looked, looked.value, '_M_t');
  const tuple = hasMember(looked, data, '_M_t') ? member(looked, data, '_M_t') : data;
  const head = baseNamed(tuple, 'std::_Head_base<0');
  if (head === undefined) return undefined;
  return pointing(`std::unique_ptr<${nameOfType(argument(looked))}>`, member(looked, head, '_M_head_impl'));
};

function pointing(head: string, pointer: Value): Shape {
  return { kind: 'parts', head, layout: 'members', parts: () => [{ name: 'get()', value: pointer }] };
}

/** shared_ptr and weak_ptr, and what they are derived from. */
export const sharedPointer: Kind = (looked) => {
  const { value, type } = looked;
  const name = `${/^std::\w+/.exec(type.qualifiedName ?? '')?.[0] ?? ''}<${nameOfType(argument(looked))}>`;
  const counts = member(looked, value, '_M_refcount', '_M_pi');
  return pointing(`${name} (${useOf(looked, counts)})`, member(looked, value, '_M_ptr'));
};

function useOf(looked: Looked, counts: Value): string {
  if (toInteger(counts) === 0n || counts.plain.kind !== 'pointer') return 'empty';
  const block = at(looked, counts.plain.to, toInteger(counts));
  const [used, weak] = [integer(looked, block, '_M_use_count'), integer(looked, block, '_M_weak_count')];
  return used === 0n ? `expired, weak count ${weak}` : `use count ${used}, weak count ${weak - 1n}`;
}

export const tuple: Kind = (looked) => {
  const head = (i: number): Value | undefined => baseNamed(looked.value, `std::_Head_base<${i}u`) ?? baseNamed(looked.value, `std::_Head_base<${i},`);
  if (head(0) === undefined) return { kind: 'text', text: 'empty std::tuple' };
  function* parts(): Generator<Part> {
    for (let i = 0; ; i++) {
      const base = head(i);
      if (base === undefined) return;
      const value = hasMember(looked, base, '_M_head_impl') ? member(looked, base, '_M_head_impl') : base;
      yield { name: `[${i + 1}]`, value };
    }
  }
  return { kind: 'parts', head: 'std::tuple containing', layout: 'members', parts };
};

export const atomic: Kind = (looked) => {
  const { value } = looked;
  const paths = [['_M_i'], ['_M_base', '_M_i'], ['_M_b', '_M_p']];
  const path = paths.find(([first = '', second]) => hasMember(looked, value, first) && (second === undefined || hasMember(looked, member(looked, value, first), second)));
  if (path === undefined) return undefined;
  const inner = member(looked, value, ...path);
  return { kind: 'around', before: `std::atomic<${nameOfType(argument(looked))}> = { `, value: inner, after: ' }' };
};
