// The faults of one layer's settings, as sentences, each with its key.
import { shownAddress } from '../environment/shown-words.ts';
import { valueAt } from './keys.ts';
import { nearest } from './nearest.ts';
import { SETTINGS } from './settings.generated.ts';
import { VALIDATORS } from './validator.generated.ts';

export interface ConfigFinding {
  /** `['services', 'session', 'maxSessions']` */
  readonly path: readonly string[];
  /** Whether the fault is in the name or in the value. */
  readonly part: 'key' | 'value';
  readonly message: string;
}

/** The used part of an error of the generated validator. */
interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** `data`: the content of a file, without empty keys. */
export function checkSettings(data: unknown): ConfigFinding[] {
  const validate = VALIDATORS.config as { (data: unknown): boolean; errors?: SchemaError[] | null };
  if (validate(data)) return [];
  return (validate.errors ?? []).map((error) => findingOf(error, data));
}

function findingOf({ instancePath, keyword, params }: SchemaError, data: unknown): ConfigFinding {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword === 'additionalProperties') {
    const unknown = [...path, String(params.additionalProperty)];
    return { path: unknown, part: 'key', message: notASetting(unknown.join('.')) };
  }
  if (keyword === 'required') {
    const message = `${path.join('.')} needs ${String(params.missingProperty)}.`;
    return { path, part: 'key', message };
  }
  const name = path.length === 0 ? 'The file' : path.join('.');
  return {
    path,
    part: 'value',
    message: `${name} must be ${expected(keyword, params)}${butIs(valueAt(data, path))}`,
  };
}

function notASetting(key: string): string {
  const close = nearest(key, knownNames());
  return `${key} is not a setting${close ? `; did you mean ${close}?` : '.'}`;
}

function expected(keyword: string, params: SchemaError['params']): string {
  switch (keyword) {
    case 'type':
      return TYPES[String(params.type)] ?? String(params.type);
    case 'enum':
      return `one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'minimum':
      return `at least ${params.limit}`;
    case 'maximum':
      return `at most ${params.limit}`;
    case 'pattern':
      return `of the form ${params.pattern}`;
    case 'minLength':
      return 'a text that is not empty';
    default:
      return `valid (${keyword})`;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'a group of settings',
  array: 'a list',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

/** Never what a group or list holds, and never much: a secret must not get into a message. */
function butIs(value: unknown): string {
  if (Array.isArray(value)) return ', but is a list.';
  if (typeof value === 'object' && value !== null) return ', but is a group.';
  const text = JSON.stringify(typeof value === 'string' ? shownAddress(value) : value) ?? 'nothing';
  return text.length > 40 ? '.' : `, but is ${text}.`;
}

/** Settings and the groups around them. */
function knownNames(): string[] {
  const names = new Set<string>();
  for (const { key } of SETTINGS) {
    const parts = key.split('.');
    for (let length = 1; length <= parts.length; length += 1) names.add(parts.slice(0, length).join('.'));
  }
  return [...names];
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
