// The arguments of the library's functions are checked by tables: a program without type checks may pass any value, and
// the error names the wrong argument. A table reads as the signature does: arguments by their names, in their order,
// with a `?` after the name of an optional one. It is checked at the front door, not between parts of ollm.
import { OllmError } from './ollm-error.ts';

/** Characters of a text that an error shows. */
const MOST_SHOWN = 60;

const MEMBERS = {
  App: ['config', 'store'],
  BudgetState: ['factors', 'parts'],
  Conversation: ['session', 'store'],
  EventReader: ['outcomes'],
  FileSystem: ['stat', 'open'],
  Fold: ['initial', 'apply', 'reads'],
  JournalReader: ['outcomes', 'follow'],
  JournalStore: ['openReader', 'create'],
  Redactor: ['redact'],
  Session: ['states', 'append'],
  SessionState: ['timeline', 'sessionId'],
  ViewState: ['timeline', 'provider'],
} as const;

const CHECKS = {
  anything: () => true,
  text: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number' && !Number.isNaN(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  function: (value: unknown) => typeof value === 'function',
  class: (value: unknown) => typeof value === 'function',
  'kind of document': (value: unknown) => value === 'snapshot' || value === 'state' || value === 'import',
  bytes: (value: unknown) => value instanceof Uint8Array,
  object: isObject,
  pieces: (value: unknown) =>
    Array.isArray(value) ? value.every(isPiece) : isObject(value) && Symbol.iterator in value,
  list: Array.isArray,
  'list of texts': (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'list of messages': (value: unknown) => Array.isArray(value) && value.every(isMessage),
  'list of messages of LangChain': (value: unknown) => Array.isArray(value) && value.every(isDictionary),
  'list of objects': (value: unknown) => Array.isArray(value) && value.every(isObject),
} as const;

type KindName = keyof typeof CHECKS | keyof typeof MEMBERS;

/** The kind of a value: by its name, one of several, or an object with these members. */
type ArgumentKind = KindName | `${KindName} | ${KindName}` | ArgumentTable;

/** Arguments or members by their names; one whose name ends in `?` may be left out. */
export interface ArgumentTable {
  readonly [name: string]: ArgumentKind;
}

/**
 * The arguments of a function, in the order of the table.
 * @throws OllmError USAGE; its data has the name of the function and of the argument
 */
export function checkArguments(verb: string, table: ArgumentTable, given: readonly unknown[]): void {
  for (const [index, [name, kind]] of Object.entries(table).entries()) checkValue(verb, name, kind, given[index]);
}

/** Makes these functions of an object check their arguments, in place. They throw. */
export function checkCalls<Verbs extends object>(
  verbs: Verbs,
  tables: { readonly [Verb in keyof Verbs]?: ArgumentTable },
): Verbs {
  return wrapped(verbs, tables, (call) => call());
}

/** `checkCalls` for functions that return promises: these reject. */
export function checkAsyncCalls<Verbs extends object>(
  verbs: Verbs,
  tables: { readonly [Verb in keyof Verbs]?: ArgumentTable },
): Verbs {
  return wrapped(verbs, tables, async (call) => call());
}

function wrapped<Verbs extends object>(
  verbs: Verbs,
  tables: { readonly [Verb in keyof Verbs]?: ArgumentTable },
  run: (call: () => unknown) => unknown,
): Verbs {
  for (const [verb, table] of Object.entries(tables) as [keyof Verbs & string, ArgumentTable][]) {
    const work = verbs[verb] as (...given: unknown[]) => unknown;
    const checked = (...given: unknown[]) =>
      run(() => {
        checkArguments(verb, table, given);
        return work.apply(verbs, given);
      });
    Object.defineProperty(verbs, verb, { value: checked });
  }
  return verbs;
}

function checkValue(verb: string, name: string, kind: ArgumentKind, value: unknown): void {
  const isOptional = name.endsWith('?');
  if (isOptional && value === undefined) return;
  const argument = isOptional ? name.slice(0, -1) : name;
  if (typeof kind !== 'object') {
    const kinds = kind.split(' | ') as KindName[];
    if (!kinds.some((each) => isOf(each, value)))
      throw wrongArgument(verb, argument, kinds.map(inWords).join(' or '), value);
    return;
  }
  if (!isObject(value)) throw wrongArgument(verb, argument, 'an object', value);
  for (const [member, each] of Object.entries(kind))
    checkValue(verb, `${argument}.${member}`, each, (value as Record<string, unknown>)[member.replace(/\?$/, '')]);
}

function isOf(kind: KindName, value: unknown): boolean {
  if (kind in CHECKS) return CHECKS[kind as keyof typeof CHECKS](value);
  return isObject(value) && MEMBERS[kind as keyof typeof MEMBERS].every((member) => member in value);
}

/** A piece of a file. */
function isPiece(value: unknown): boolean {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function isDictionary(value: unknown): boolean {
  return isObject(value) && typeof (value as { readonly toDict?: unknown }).toDict === 'function';
}

function isMessage(value: unknown): boolean {
  const { role, parts } = (isObject(value) ? value : {}) as { readonly role?: unknown; readonly parts?: unknown };
  return typeof role === 'string' && Array.isArray(parts) && parts.every(isObject);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The error for an argument of another kind. `wanted`: a noun with its article. */
export function wrongArgument(verb: string, argument: string, wanted: string, value: unknown): OllmError {
  return new OllmError('USAGE', `${verb} takes ${wanted} as ${argument}, not ${handed(value)}.`, {
    hint: 'Nothing was done. The types of the package say what each function takes.',
    data: { function: verb, argument },
  });
}

function inWords(kind: KindName): string {
  if (kind === 'bytes') return 'a Uint8Array';
  return `${/^[AEO]|^object/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function handed(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list of other elements';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MOST_SHOWN));
  if (typeof value === 'object') return 'an object without the members of one';
  return Number.isNaN(value) ? 'NaN' : `a ${typeof value}`;
}
