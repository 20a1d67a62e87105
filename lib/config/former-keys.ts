// Keys under which the design documents name settings. They are read as the present ones, and a warning names those.
import { isObject } from '../platform/json.ts';

const PRESENT_KEYS: ReadonlyMap<string, string> = new Map([
  ['chat.retention.mode', 'services.session.mode'],
  ['chat.retention.maxAge', 'services.session.maxAge'],
  ['chat.retention.maxItems', 'retention.maxItems'],
  ['chat.retention.storeToolOutputs', 'retention.storeToolOutputs'],
  ['chat.retention.encryptAtRest', 'retention.encryptAtRest'],
  ['retention.mode', 'services.session.mode'],
  ['retention.maxAge', 'services.session.maxAge'],
]);

/** Former names of a present key. */
export function formerKeysOf(key: string): readonly string[] {
  return [...PRESENT_KEYS].flatMap(([former, present]) => (present === key ? [former] : []));
}

export interface PresentSettings {
  readonly data: unknown;
  /** Present key to the key in the file. */
  readonly formerKeys: ReadonlyMap<string, string>;
}

/**
 * The settings under their present keys. A value under the present key wins over one under a former key.
 *
 * @example
 * withPresentKeys({ chat: { retention: { maxItems: 5 } } }).data; // { retention: { maxItems: 5 } }
 */
export function withPresentKeys(data: unknown): PresentSettings {
  if (!isObject(data)) return { data, formerKeys: new Map() };
  const settings = structuredClone(data);
  const formerKeys = new Map<string, string>();
  for (const [former, present] of PRESENT_KEYS) {
    const value = take(settings, former.split('.'));
    if (value === undefined) continue;
    if (put(settings, present.split('.'), value)) formerKeys.set(present, former);
  }
  return { data: settings, formerKeys };
}

type Group = Record<string, unknown>;

/** Takes the value out, and each group that is empty without it. */
function take(group: Group, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || !Object.hasOwn(group, name)) return undefined;
  const inner = group[name];
  if (rest.length === 0) {
    delete group[name];
    return inner;
  }
  if (!isObject(inner)) return undefined;
  const value = take(inner, rest);
  if (value !== undefined && Object.keys(inner).length === 0) delete group[name];
  return value;
}

/** Whether it was put: not where there is a value already, or something else than a group on the way. */
function put(group: Group, [name, ...rest]: readonly string[], value: unknown): boolean {
  if (name === undefined) return false;
  if (rest.length === 0) {
    if (Object.hasOwn(group, name)) return false;
    group[name] = value;
    return true;
  }
  if (!Object.hasOwn(group, name)) group[name] = {};
  const inner = group[name];
  return isObject(inner) && put(inner, rest, value);
}
