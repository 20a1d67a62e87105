// Writes a source: its passages, each text once, and their places. A passage is removed with the last of its places.
// Each function is one step inside of a transaction.
import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { stripVTControlCharacters } from 'node:util';
import { stemsIn } from '../ranking/words.ts';
import { preparedOnce } from './statements.ts';

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
  /** Text that it is found by in addition to its own. */
  readonly about: string;
  /** Whether it is found by its text only, such as a line in the middle of an output, whose call says nothing of it. */
  readonly isFoundByText?: boolean | undefined;
  readonly text: string;
  /** In a file: its lines, from 1. */
  readonly lines?: readonly [first: number, last: number] | undefined;
  /** In a session. */
  readonly record?:
    | {
        /** The part after `#` in the address of the record. */
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

interface KnownSource {
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
  // An upsert would make the full-text index flush its pending entries for each file.
  const { named, name: insert, about } = statementsOf(database);
  const known = named.get(kind, home, name);
  if (known === undefined) return Number(insert.run(kind, home, name, project ?? null).lastInsertRowid);
  if (known.project !== (project ?? null)) about.run(project ?? null, known.number!);
  return Number(known.number);
}

/** Says that all of the source is there as it was with this stamp, or why it is not. */
export function stampSource(database: DatabaseSync, source: number, stamp: string, skipped?: string): void {
  statementsOf(database).stamp.run(stamp, skipped ?? null, source);
}

const statementsOf = preparedOnce((database) => ({
  find: database.prepare('SELECT id FROM passages WHERE hash = ?'),
  insert: database.prepare('INSERT INTO passages (hash, about, text) VALUES (?, ?, ?)'),
  index: database.prepare('INSERT INTO words (rowid, about, text) VALUES (?, ?, ?)'),
  place: database.prepare('INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
  placed: database.prepare('SELECT DISTINCT passage FROM places WHERE source = ?'),
  unplace: database.prepare('DELETE FROM places WHERE source = ?'),
  named: database.prepare('SELECT number, project FROM sources WHERE kind = ? AND home = ? AND name = ?'),
  name: database.prepare("INSERT INTO sources (kind, home, name, project, stamp) VALUES (?, ?, ?, ?, '')"),
  about: database.prepare('UPDATE sources SET project = ? WHERE number = ?'),
  stamp: database.prepare('UPDATE sources SET stamp = ?, skipped = ? WHERE number = ?'),
}));

export function addPassages(database: DatabaseSync, source: number, passages: readonly PlacedPassage[]): void {
  const { find, insert, index, place } = statementsOf(database);
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
  const listed = JSON.stringify(messages ?? []);
  const which = 'source = ? AND message IN (SELECT value FROM json_each(?))';
  const { placed, unplace } = statementsOf(database);
  const left =
    messages === undefined
      ? placed.all(source)
      : database.prepare(`SELECT DISTINCT passage FROM places WHERE ${which}`).all(source, listed);
  if (messages !== undefined) database.prepare(`DELETE FROM places WHERE ${which}`).run(source, listed);
  else if (left.length > 0) unplace.run(source);
  return JSON.stringify(left.map(({ passage }) => passage));
}

function removeUnplaced(database: DatabaseSync, ids: string): number {
  if (ids === '[]') return 0;
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
  return stemsIn(text).join(' ');
}

/** Without the colours of a terminal, whose codes would be a part of the next word. */
export function withoutColours(text: string): string {
  return text.includes('\x1b') ? stripVTControlCharacters(text) : text;
}
