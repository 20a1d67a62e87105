// Keys such as `services.session.maxSessions`: the way to a value through groups of settings.
import { isObject } from '../platform/json.ts';

/** Undefined where nothing is there. A name with a dot in it needs the key as a list of names. */
export function valueAt(data: unknown, key: string | readonly string[]): unknown {
  const names = typeof key === 'string' ? key.split('.') : key;
  const inside = (group: unknown, name: string) =>
    isObject(group) && Object.hasOwn(group, name) ? group[name] : undefined;
  return names.reduce(inside, data);
}

/**
 * A copy with another value at the key; the groups on the way are made. Without a value, only the groups are there.
 *
 * @example
 * withValue({}, 'services.session.maxSessions', 5); // { services: { session: { maxSessions: 5 } } }
 */
export function withValue<Group extends object>(group: Group, key: string, value: unknown): Group {
  const [name = '', ...rest] = key.split('.');
  const { [name]: inner, ...others } = group as Record<string, unknown>;
  if (rest.length > 0) {
    return { ...group, [name]: withValue(isObject(inner) ? inner : {}, rest.join('.'), value) };
  }
  return value === undefined ? (others as Group) : { ...group, [name]: value };
}
