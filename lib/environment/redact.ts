// Keeps secrets out of everything that is stored, logged, shown or exported. Linear in the text: see secret-shapes.ts.
// A redacted place keeps the kind and the length of the secret. Nothing is ever restored.
import { checkArguments, wrongArgument } from '../errors/arguments.ts';
import { base64Needles } from './base64-needles.ts';
import { findNamedSecrets, type NamedKind } from './named-secrets.ts';
import { findSecretShapes, type ShapeKind } from './secret-shapes.ts';

/** What a text was taken for. */
export type RedactedKind = ShapeKind | NamedKind | 'environment-value';

/** How many secrets of one kind were taken out. */
export interface RedactionCount {
  readonly kind: RedactedKind;
  readonly count: number;
}

/** A text without its secrets, and the kinds that were taken out. */
export interface Redaction {
  readonly text: string;
  readonly found: readonly RedactionCount[];
}

/** Takes secrets out of texts. */
export interface Redactor {
  redact(text: string): Redaction;
  /** Characters at the end of a text that may be the beginning of a secret value of several words. Absent: none. */
  pending?(text: string): number;
}

/** Secrets in addition to the known shapes. */
export interface RedactorOptions {
  /**
   * Values that are secret in any form: see secretValuesOf. Values under 8 characters are not searched for.
   */
  readonly secretValues?: readonly string[] | undefined;
}

interface Span {
  readonly kind: RedactedKind;
  readonly start: number;
  readonly end: number;
}

/** A shorter value would be found in ordinary words. */
export const MIN_SECRET_CHARACTERS = 8;

/**
 * Takes out texts with the shape of a secret (keys, tokens, passwords in URLs), and the named values.
 *
 * @example
 * createRedactor().redact('push with ghp_0123456789abcdefghijABCDEFGHIJ012345').text
 * // 'push with [redacted github-token 40]'
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  checkArguments('createRedactor', { options: { 'secretValues?': 'list of texts' } }, [options]);
  const secret = (options.secretValues ?? []).filter((value) => value.length >= MIN_SECRET_CHARACTERS);
  const values = [...new Set(secret.flatMap((value) => [value, inJson(value)]))];
  const encoded = base64Needles(secret);
  const phrases = values.filter((value) => /[\s\P{ASCII}]/u.test(value));
  return {
    redact(text) {
      if (typeof text !== 'string') throw wrongArgument('redact', 'text', 'a text', text);
      const spans = merge([
        ...findSecretShapes(text).spans,
        ...findNamedSecrets(text),
        ...values.flatMap((value) => findValue(text, value)),
        ...findEncoded(text, encoded),
      ]);
      return spans.length === 0 ? { text, found: [] } : { text: replace(text, spans), found: count(spans) };
    },
    pending: (text) => Math.max(0, ...phrases.map((phrase) => begunLength(text, phrase))),
  };
}

/** Characters at the end of a text that are the beginning of a phrase, and not all of it. */
function begunLength(text: string, phrase: string): number {
  for (let length = phrase.length - 1; length > 0; length -= 1)
    if (text.endsWith(phrase.slice(0, length))) return length;
  return 0;
}

/** As between the quotation marks of a JSON document: a password may hold one itself. */
function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function findValue(text: string, value: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length))
    spans.push({ kind: 'environment-value', start: at, end: at + value.length });
  return spans;
}

/** With the one or two characters on each side that hold bits of the value and of its neighbours. */
function findEncoded(text: string, needles: RegExp | undefined): Span[] {
  if (needles === undefined) return [];
  return [...text.matchAll(needles)].map(({ index, 0: found }) => {
    const before = /[\w+/-]{0,2}$/.exec(text.slice(Math.max(0, index - 2), index))![0].length;
    const after = /^[\w+/-]{0,2}={0,2}/.exec(text.slice(index + found.length, index + found.length + 4))![0].length;
    return { kind: 'environment-value', start: index - before, end: index + found.length + after };
  });
}

/**
 * Spans that touch each other become one, of the kind that begins first; of two that begin together, the longer one's.
 */
function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

function replace(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { kind, start, end } of spans) {
    pieces.push(text.slice(at, start), `[redacted ${kind} ${end - start}]`);
    at = end;
  }
  return pieces.join('') + text.slice(at);
}

function count(spans: readonly Span[]): RedactionCount[] {
  const counts = new Map<RedactedKind, number>();
  for (const { kind } of spans) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count }));
}
