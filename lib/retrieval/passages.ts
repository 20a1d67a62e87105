// What is written of a source: its passages, each text once, and the places where it is. A passage leaves with the last
// of its places. Each function is one step inside of a transaction.
import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { stripVTControlCharacters } from 'node:util';
import { wordsIn } from '../ranking/words.ts';

export type SourceKind = 'file' | 'session';

/** Where passages come from. */
export interface PassageSource {
  readonly kind: SourceKind;
  /** The root of its project, or the directory that its store is in. */
  readonly home: string;
  /** The path from the root with `/`, or `agent:id`. */
  readonly name: string;
  /** The directory that it is about. */
  readonly project: string | undefined;
}

/** A passage at one place. */
export interface PlacedPassage {
  /** What it is found by besides its text. */
  readonly about: string;
  /** Whether it is found by its text only, such as a line in the middle of an output, whose call says nothing of it. */
  readonly isFoundByText?: boolean | undefined;
  readonly text: string;
  /** In a file: its lines, from 1. */
  readonly lines?: readonly [first: number, last: number] | undefined;
  /** In a session. */
  readonly record?:
    | {
        /** The part behind `#` in the address of the record. */
        readonly key: string;
        /** Id of the row in the catalogue. */
        readonly message: number;
        /** Characters of its text. */
        readonly size: number;
        /** Milliseconds since 1970. */
        readonly at: number;
      }
    | undefined;
}

export interface KnownSource {
  readonly number: number;
  readonly stamp: string;
}

/** The sources of a kind in one home, by name. */
export function knownSources(
  database: DatabaseSync,
  { kind, home }: Pick<PassageSource, 'kind' | 'home'>,
): Map<string, KnownSource> {
  const rows = database.prepare('SELECT name, number, stamp FROM sources WHERE kind = ? AND home = ?').all(kind, home);
  return new Map(
    rows.map(({ name, number, stamp }) => [String(name), { number: Number(number), stamp: String(stamp) }]),
  );
}

/** The number of a source, which is made where it is new. Its stamp says that it has not been read. */
export function numberOfSource(database: DatabaseSync, { kind, home, name, project }: PassageSource): number {
  database
    .prepare(
      `INSERT INTO sources (kind, home, name, project, stamp) VALUES (?, ?, ?, ?, '')
      ON CONFLICT (kind, home, name) DO UPDATE SET project = excluded.project`,
    )
    .run(kind, home, name, project ?? null);
  const row = database
    .prepare('SELECT number FROM sources WHERE kind = ? AND home = ? AND name = ?')
    .get(kind, home, name);
  return Number(row!.number);
}

/** Says that all of the source is there as it was with this stamp. */
export function stampSource(database: DatabaseSync, source: number, stamp: string): void {
  database.prepare('UPDATE sources SET stamp = ? WHERE number = ?').run(stamp, source);
}

export function addPassages(database: DatabaseSync, source: number, passages: readonly PlacedPassage[]): void {
  const find = database.prepare('SELECT id FROM passages WHERE hash = ?');
  const insert = database.prepare('INSERT INTO passages (hash, about, text) VALUES (?, ?, ?)');
  const index = database.prepare('INSERT INTO words (rowid, about, text) VALUES (?, ?, ?)');
  const place = database.prepare('INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const { about, isFoundByText = false, text, lines, record } of passages) {
    const digest = hash('sha256', `${about}\0${text}`, 'buffer').subarray(0, 16);
    const known = find.get(digest);
    const id = known === undefined ? Number(insert.run(digest, about, text).lastInsertRowid) : Number(known.id);
    if (known === undefined) index.run(id, isFoundByText ? '' : stemsOf(about), stemsOf(text));
    const { key = null, message = null, size = null, at = null } = record ?? {};
    place.run(id, source, lines?.[0] ?? null, lines?.[1] ?? null, key, message, size, at);
  }
}

/** What a source has from now on. A passage that it had before stays as it is, with its vector. */
export function replacePassages(database: DatabaseSync, source: number, passages: readonly PlacedPassage[]): void {
  const before = removePlaces(database, source);
  addPassages(database, source, passages);
  removeUnplaced(database, before);
}

/**
 * Removes what a source has, or of a session what these rows of the catalogue have. Returns how many passages left with
 * it.
 */
export function removePassages(database: DatabaseSync, source: number, messages?: readonly number[]): number {
  return removeUnplaced(database, removePlaces(database, source, messages));
}

/** Returns the passages that were there, as a list in JSON. */
function removePlaces(database: DatabaseSync, source: number, messages?: readonly number[]): string {
  const [which, values] =
    messages === undefined
      ? ['source = ?', [source]]
      : ['source = ? AND message IN (SELECT value FROM json_each(?))', [source, JSON.stringify(messages)]];
  const left = database.prepare(`SELECT DISTINCT passage FROM places WHERE ${which}`).all(...values);
  database.prepare(`DELETE FROM places WHERE ${which}`).run(...values);
  return JSON.stringify(left.map(({ passage }) => passage));
}

function removeUnplaced(database: DatabaseSync, ids: string): number {
  const orphans = database
    .prepare('SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM places WHERE passage = value)')
    .all(ids);
  const gone = JSON.stringify(orphans.map(({ value }) => value));
  for (const each of ['words WHERE rowid', 'vectors WHERE passage', 'passages WHERE id']) {
    database.prepare(`DELETE FROM ${each} IN (SELECT value FROM json_each(?))`).run(gone);
  }
  return orphans.length;
}

/** Returns how many passages left with it. */
export function removeSource(database: DatabaseSync, source: number): number {
  const removed = removePassages(database, source);
  database.prepare('DELETE FROM sources WHERE number = ?').run(source);
  return removed;
}

/** The words of a text as they are indexed, and as a question is asked. */
export function stemsOf(text: string): string {
  let stems = '';
  for (const { stem } of wordsIn(text)) stems += `${stem} `;
  return stems;
}

/** Without the colours of a terminal, whose codes would be a part of the next word. */
export function withoutColours(text: string): string {
  return text.includes('\x1b') ? stripVTControlCharacters(text) : text;
}
