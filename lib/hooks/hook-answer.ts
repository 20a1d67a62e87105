// The answer of a hook on standard output: nothing, or a JSON object. Read strictly: a misspelt veto must not pass for
// none, so an unknown member makes the whole answer a failure.
import { isObject, parseJson } from '../platform/json.ts';

/** Text that a hook puts before the model. */
export interface HookContext {
  readonly key: string;
  readonly content: string;
  readonly priority?: number | undefined;
  readonly ttlSeconds?: number | undefined;
  /** Whether it may instruct. Default: false. */
  readonly trusted?: boolean | undefined;
}

interface HookAnswer {
  readonly context: readonly HookContext[];
  readonly veto?: string | undefined;
}

type ReadAnswer =
  | { readonly ok: true; readonly answer: HookAnswer }
  /** `problem`: as the end of a sentence that begins with “it answered”. */
  | { readonly ok: false; readonly problem: string };

const EXCERPT_CHARACTERS = 60;
const MAX_ENTRIES = 100;
/** Ten years. */
const MAX_TTL_SECONDS = 315_360_000;

/** @example readAnswer('{"veto":"Not on a Friday."}').answer.veto */
export function readAnswer(output: string): ReadAnswer {
  const text = output.trim();
  if (text === '') return { ok: true, answer: { context: [] } };
  const value = parseJson(text);
  if (value === undefined) {
    return { ok: false, problem: `something that is not JSON: ${JSON.stringify(text.slice(0, EXCERPT_CHARACTERS))}` };
  }
  const problem = answerProblem(value);
  if (problem !== undefined) return { ok: false, problem };
  const { context = [], veto } = value as Partial<HookAnswer>;
  return { ok: true, answer: { context, veto } };
}

function answerProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'JSON that is not an object';
  const unknown = strangerIn(value, ['context', 'veto']);
  if (unknown !== undefined) return `with a member ${unknown}, which there is not`;
  const { context = [], veto = 'none' } = value;
  if (typeof veto !== 'string' || veto.trim() === '') return 'with a veto that is not a text';
  if (!Array.isArray(context)) return 'with a context that is not a list';
  if (context.length > MAX_ENTRIES) return `with ${context.length} context entries; at most ${MAX_ENTRIES} are taken`;
  return context.map(entryProblem).find((problem) => problem !== undefined);
}

const MEMBER_TYPES = {
  key: 'string',
  content: 'string',
  priority: 'number',
  ttlSeconds: 'number',
  trusted: 'boolean',
} as const;

function entryProblem(entry: unknown, index: number): string | undefined {
  const where = `context[${index}]`;
  if (!isObject(entry)) return `with a ${where} that is not an object`;
  const unknown = strangerIn(entry, Object.keys(MEMBER_TYPES));
  if (unknown !== undefined) return `with a member ${unknown} in ${where}, which there is not`;
  for (const name of ['key', 'content']) if (!Object.hasOwn(entry, name)) return `with a ${where} without ${name}`;
  for (const [name, type] of Object.entries(MEMBER_TYPES)) {
    const member = Object.hasOwn(entry, name) ? entry[name] : undefined;
    if (member !== undefined && typeof member !== type) return `with a ${where}.${name} that is not a ${type}`;
  }
  const { ttlSeconds = 1, priority = 0 } = entry;
  if (!Number.isFinite(priority)) return `with a ${where}.priority that is not finite`;
  if (typeof ttlSeconds === 'number' && ttlSeconds > 0 && ttlSeconds <= MAX_TTL_SECONDS) return undefined;
  return `with a ${where}.ttlSeconds that is not above 0 and at most ${MAX_TTL_SECONDS}`;
}

function strangerIn(value: Record<string, unknown>, known: readonly string[]): string | undefined {
  const name = Object.keys(value).find((each) => !known.includes(each));
  return name === undefined ? undefined : JSON.stringify(name.slice(0, EXCERPT_CHARACTERS));
}
