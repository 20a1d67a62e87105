// Where each file of a store is. This is the only place that turns an id into a path; nothing else becomes one.
// Names under archive/ and trash/ carry the second at which they were made, in UTC.
import { join } from 'node:path';
import { wrongArgument } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import { isSessionId } from './format.ts';
import type { DocumentKind } from './types.ts';

export interface StorePaths {
  readonly directory: string;
  readonly blobs: string;
  readonly archive: string;
  readonly trash: string;
  readonly quarantine: string;
  /** @throws OllmError SESSION_ID_INVALID; so do the next three */
  journal(id: string): string;
  lock(id: string): string;
  document(id: string, kind: DocumentKind): string;
  seals(id: string): string;
}

export const JOURNAL_EXTENSION = '.jsonl';
const DOCUMENT_EXTENSION: Record<DocumentKind, string> = {
  snapshot: '.json',
  state: '.state.json',
  import: '.import.json',
};
export const DOCUMENT_KINDS = Object.keys(DOCUMENT_EXTENSION) as readonly DocumentKind[];

export function storePaths(directory: string): StorePaths {
  return {
    directory,
    blobs: join(directory, 'blobs'),
    archive: join(directory, 'archive'),
    trash: join(directory, 'trash'),
    quarantine: join(directory, 'quarantine'),
    journal: (id) => join(directory, journalName(id)),
    lock: (id) => join(directory, `${checkedId(id)}.lock`),
    document: (id, kind) => join(directory, documentName(id, kind)),
    seals: (id) => join(directory, sealsName(id)),
  };
}

export function journalName(id: string): string {
  return `${checkedId(id)}${JOURNAL_EXTENSION}`;
}

export function documentName(id: string, kind: DocumentKind): string {
  return `${checkedId(id)}${DOCUMENT_EXTENSION[kind]}`;
}

/** The signatures of a journal, which are kept wherever it goes. */
function sealsName(id: string): string {
  return `${checkedId(id)}.seals`;
}

/** The id in the name of a journal; undefined if it is not one. */
export function idOfJournal(name: string): string | undefined {
  if (!name.endsWith(JOURNAL_EXTENSION)) return undefined;
  const id = name.slice(0, -JOURNAL_EXTENSION.length);
  return isSessionId(id) ? id : undefined;
}

const FOLDERS = ['blobs', 'archive', 'trash', 'quarantine'];
const SESSION_FILE = /^([^.]+)\..*(?:jsonl|json|lock|tmp|repair|suspect|seals)$/;

/** Whether a name in the directory of a store may be a part of the store. */
export function isStoreName(name: string): boolean {
  return FOLDERS.includes(name) || isSessionId(SESSION_FILE.exec(name)?.[1] ?? '');
}

/** Whether a file moves with the journal: its seals, and documents that were set aside. */
export function goesWithJournal(name: string, id: string): boolean {
  return name === `${id}.seals` || (name.startsWith(`${id}.`) && name.endsWith('.suspect'));
}

/** Whether a name that a journal notes is that of a file of its own session: a fork has the notes of another one. */
export function isNameOf(id: string, name: unknown): name is string {
  return typeof name === 'string' && name.startsWith(`${id}.`) && /^[a-z0-9.-]+$/.test(name);
}

/** `20261121-204900`: the second, in UTC. */
function stampOf(timeMs: number): string {
  const text = new Date(timeMs).toISOString();
  return `${text.slice(0, 10).replaceAll('-', '')}-${text.slice(11, 19).replaceAll(':', '')}`;
}

/** The first name of this second, or of one after it, that is not taken. */
export function freeName(nowMs: number, nameOf: (stamp: string) => string, isTaken: (name: string) => boolean): string {
  for (let timeMs = nowMs; ; timeMs += 1000) {
    const name = nameOf(stampOf(timeMs));
    if (!isTaken(name)) return name;
  }
}

const SUFFIX = /^[a-z0-9-]+$/;

/** What a journal is called under archive/, by the second at which it goes there. */
export function archiveNameOf(id: string, suffix?: string): (stamp: string) => string {
  if (suffix !== undefined && !SUFFIX.test(suffix))
    throw wrongArgument('archive', 'suffix', 'a word of a-z, 0-9 and "-"', suffix);
  const end = suffix === undefined ? JOURNAL_EXTENSION : `.${suffix}${JOURNAL_EXTENSION}`;
  return (stamp) => `${id}.${stamp}${end}`;
}

const TRASH_ENTRY = /^([^.]+)\.(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/;

/** Id and time of a folder in the trash; undefined if the name has a different form. */
export function parseTrashEntry(name: string): { readonly id: string; readonly deletedAt: string } | undefined {
  const [, id = '', year, month, day, hour, minute, second] = TRASH_ENTRY.exec(name) ?? [];
  if (!isSessionId(id)) return undefined;
  return { id, deletedAt: `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z` };
}

function checkedId(id: string): string {
  if (isSessionId(id)) return id;
  const shown = id.length > 80 ? `${id.slice(0, 80)}…` : id;
  throw new OllmError('SESSION_ID_INVALID', `${JSON.stringify(shown)} cannot be the id of a session.`, {
    hint: 'Use up to 64 lower-case letters, digits and hyphens, a letter or digit first.',
    data: { id },
  });
}
