// Compares a conversation that was written for a program with the request that the program made of it: each text under
// its role, each call with its arguments, and each result with its call, in their order. More may be in the request.
import { isDeepStrictEqual } from 'node:util';
import type { WrittenCall, WrittenItem } from '../target.ts';
import type { SentPart } from './sent-parts.ts';

/** How many were written, and how many of those are in the request. */
export interface Sent {
  readonly written: number;
  readonly sent: number;
}

export type PartCounts = Readonly<Record<'texts' | 'pictures' | 'calls' | 'results', Sent>>;

export interface Comparison {
  readonly counts: PartCounts;
  /** The first one that is not in the request, in words. */
  readonly missing: string | undefined;
}

type NewNames = Readonly<Record<string, string>>;

/** More of a text are not needed to know it. */
const SHOWN_CHARACTERS = 60;

/**
 * `newNames`: of tools that the program has renamed, by the old one.
 *
 * @example
 * const { counts, missing } = compareRequest(session.items, sentParts(body));
 */
export function compareRequest(
  items: readonly WrittenItem[],
  parts: readonly SentPart[],
  newNames: NewNames = {},
): Comparison {
  const found = new Search(parts, newNames);
  const counts = { texts: none(), pictures: none(), calls: none(), results: none() };
  let missing: string | undefined;
  const count = (kind: keyof PartCounts, isSent: boolean, words: () => string): void => {
    counts[kind].written += 1;
    if (isSent) counts[kind].sent += 1;
    else missing ??= words();
  };
  for (const item of items) {
    if (item.kind === 'call') {
      const call = found.call(item);
      count('calls', call !== undefined, () => `the call of ${item.name} (${shown(JSON.stringify(item.args))})`);
      const isAnswered = call !== undefined && found.result(call, item);
      count('results', isAnswered, () => `the result of ${item.name} (${shown(item.result)})`);
      for (const _ of item.pictures) count('pictures', found.picture(), () => `a picture in a result of ${item.name}`);
      continue;
    }
    for (const piece of item.pieces) {
      if (piece.kind === 'picture') count('pictures', found.picture(), () => `a picture of the ${item.role}`);
      else count('texts', found.text(item.role, piece.text), () => `a text of the ${item.role} (${shown(piece.text)})`);
    }
  }
  return { counts, missing };
}

function none(): { written: number; sent: number } {
  return { written: 0, sent: 0 };
}

/** No part is found twice, and none before a part that was found. Pictures are only counted. */
class Search {
  readonly #parts: readonly SentPart[];
  readonly #newNames: NewNames;
  readonly #answered = new Set<number>();
  #pictures: number;
  /** Texts and calls before this place are passed. */
  #at = 0;
  /** The length of the passed part of the text at that place. */
  #characters = 0;

  constructor(parts: readonly SentPart[], newNames: NewNames) {
    this.#parts = parts;
    this.#newNames = newNames;
    this.#pictures = parts.filter(({ kind }) => kind === 'picture').length;
  }

  /** A program may put several texts into one, and trims some. */
  text(role: string, written: string): boolean {
    const wanted = written.trim();
    for (let at = this.#at; at < this.#parts.length; at += 1) {
      const part = this.#parts[at]!;
      if (part.kind !== 'text' || part.role !== role) continue;
      const from = at === this.#at ? this.#characters : 0;
      const place = part.text.indexOf(wanted, from);
      if (place < 0) continue;
      this.#at = at;
      this.#characters = place + wanted.length;
      return true;
    }
    return false;
  }

  /** The place of the call. */
  call({ name, args }: WrittenCall): number | undefined {
    const wanted = JSON.parse(JSON.stringify(args));
    const names = [name, this.#newNames[name]];
    const place = this.#parts.findIndex(
      (part, at) =>
        at >= this.#at && part.kind === 'call' && names.includes(part.name) && isDeepStrictEqual(part.args, wanted),
    );
    if (place < 0) return undefined;
    this.#at = place + 1;
    this.#characters = 0;
    return place;
  }

  /** Without an id it is the first one after the call that answers no other. */
  result(call: number, { result }: WrittenCall): boolean {
    const { id } = this.#parts[call] as SentPart & { readonly kind: 'call' };
    const place = this.#parts.findIndex(
      (part, at) =>
        at > call && part.kind === 'result' && !this.#answered.has(at) && (id === undefined || part.id === id),
    );
    const part = this.#parts[place];
    if (part?.kind !== 'result') return false;
    this.#answered.add(place);
    return part.text.includes(result.trim());
  }

  picture(): boolean {
    this.#pictures -= 1;
    return this.#pictures >= 0;
  }
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}
