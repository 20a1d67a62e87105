// The file of a list's index: two lines of text, then one section behind the other, each for one kind of question and with a
// checksum of its own. Whoever lists reads the sections that he needs, in one go from one open file; what is missing, damaged,
// cut off, not ours alone or of another version is no index. Numbers lie in it as this machine has them: an index is worth
// nothing on another one, where the inodes are others.
//
// Behind the sections a list may add a line that says: since the directory last changed, which was then, there are no other
// sessions in it than these. Added, because to replace the index would itself change the directory.
import { join } from 'node:path';
import { checksum } from '../../../journal/line/checksum.ts';
import { LIST_INDEX } from '../../../journal/paths.ts';
import type { FileHandle, FileStat } from '../../../platform/files/file-system.ts';
import { GLANCE_LENGTH } from '../../../platform/files/glance.ts';
import { readInto, writeAll } from '../../../platform/files/io.ts';
import { summaryFold } from '../../../projections/summary.ts';
import type { App } from '../../app.ts';
import { FORMS_VERSION } from './list-forms.ts';

/**
 * In the order of the ids: `glances` (what each journal was like), `ids`, `closed` (whether nobody can have it open), `summaries`.
 * In the order of a list: `order` (which of them comes next), `activities`, each form, and where each piece of one ends.
 */
const SECTIONS = [
  'glances',
  'ids',
  'closed',
  'summaries',
  'order',
  'activities',
  'linesEnds',
  'lines',
  'documentsEnds',
  'documents',
] as const;

export type Section = (typeof SECTIONS)[number];
export type SectionBytes<Names extends Section = Section> = Readonly<Record<Names, Uint8Array>>;

/** What is read of it. */
export interface IndexFile<Names extends Section = Section> {
  readonly sections: SectionBytes<Names>;
  /** The line about the directory, if there is one. */
  readonly stamp: string | undefined;
  readonly inode: bigint;
  /** Bytes of it without such lines, and with them. */
  readonly length: number;
  readonly size: number;
}

interface Place {
  readonly name: Section;
  readonly length: number;
  readonly xxh64: string;
}

/** Clocks of disks tick slowly: what changed just now may change again without showing it. */
export const SETTLED_AFTER_MS = 2_000;

const FORMAT = 2;
const MAX_BYTES = 256 * 1024 * 1024;
/** A small index is in here as a whole; of a large one, that which says where the sections are. */
const BEGINNING_BYTES = 64 * 1024;
/** Each line about the directory, padded with blanks. */
const STAMP_BYTES = 96;
/** Added one behind the other, until they are taken off again. */
const MOST_STAMPS = 64;
const OPEN_TO_OTHERS = 0o077;
const LINE_FEED = 0x0a;

export function indexPath({ paths }: Pick<App, 'paths'>): string {
  return join(paths.sessions, LIST_INDEX);
}

/** Those sections, if the index is ours, whole, and made as it would be now. @throws what the system answers */
export function readIndexFile<Names extends Section>(
  ports: Pick<App, 'fileSystem' | 'paths' | 'process'>,
  names: readonly Names[],
): IndexFile<Names> | undefined {
  const { fileSystem, process } = ports;
  const handle = fileSystem.open(indexPath(ports), 'read');
  try {
    const { size, links, uid, mode, inode } = handle.stat();
    const isOurs = process.uid === undefined || (uid === process.uid && (mode & OPEN_TO_OTHERS) === 0);
    if (!isOurs || links !== 1 || size > MAX_BYTES) return undefined;
    const beginning = readAt(handle, 0, Math.min(size, BEGINNING_BYTES));
    const firstEnd = beginning.indexOf(LINE_FEED) + 1;
    const table = beginning.subarray(firstEnd, beginning.indexOf(LINE_FEED, firstEnd) + 1);
    if (table.length === 0 || textOf(beginning.subarray(0, firstEnd)) !== firstLine(table)) return undefined;
    const found: Partial<Record<Section, Uint8Array>> = {};
    let offset = firstEnd + table.length;
    for (const { name, length, xxh64 } of placesIn(table)) {
      if (!(length <= size)) return removed(ports);
      if ((names as readonly Section[]).includes(name)) {
        const end = offset + length;
        const bytes = end <= beginning.length ? beginning.subarray(offset, end) : readAt(handle, offset, length);
        if (bytes.length !== length || checksum(bytes) !== xxh64) return removed(ports);
        found[name] = bytes;
      }
      offset += length;
    }
    if (size < offset) return removed(ports);
    const stamp = size >= offset + STAMP_BYTES ? textOf(readAt(handle, size - STAMP_BYTES, STAMP_BYTES)) : undefined;
    return { sections: found as SectionBytes<Names>, stamp, inode, length: offset, size };
  } finally {
    handle.close();
  }
}

/** Whoever reads other sections of it would not find out that these are damaged, and never make them anew. */
function removed(ports: Pick<App, 'fileSystem' | 'paths'>): undefined {
  ports.fileSystem.unlink(indexPath(ports));
}

/** Of sections one behind the other: `glances 640 0123456789abcdef`, and so on. */
function tableOf(sections: SectionBytes): Uint8Array {
  const places = SECTIONS.map((name) => `${name} ${sections[name].length} ${checksum(sections[name])}`);
  return Buffer.from(`${places.join(' ')}\n`);
}

function placesIn(table: Uint8Array): Place[] {
  const words = textOf(table).trimEnd().split(' ');
  return SECTIONS.map((name, index) => ({
    name,
    length: Number(words[index * 3 + 1]),
    xxh64: words[index * 3 + 2] ?? '',
  }));
}

/** Readers see the old one or the new one. What a crash leaves of it is swept by whoever writes a state file next. */
export function writeIndexFile(ports: Pick<App, 'fileSystem' | 'paths' | 'ids'>, sections: SectionBytes): void {
  const { fileSystem, ids } = ports;
  const table = tableOf(sections);
  const pieces = [Buffer.from(firstLine(table)), table, ...SECTIONS.map((name) => sections[name])];
  if (pieces.reduce((sum, { length }) => sum + length, 0) > MAX_BYTES) return;
  const path = indexPath(ports);
  const handle = fileSystem.open(`${path}.${ids.token()}.tmp`, 'create');
  try {
    for (const piece of pieces) writeAll(handle, piece);
    fileSystem.rename(handle.path, path);
  } catch (error) {
    fileSystem.unlink(handle.path);
    throw error;
  } finally {
    handle.close();
  }
}

/** What is said of a directory that is as this one. */
export function stampOf({ inode, changedNs }: FileStat): string {
  const text = `names ${inode} ${changedNs}`;
  return `${text} ${checksum(Buffer.from(text))}`.padEnd(STAMP_BYTES - 1).concat('\n');
}

/** To the very file that was read, as long as nobody else has changed it. @throws what the system answers */
export function addStamp(
  ports: Pick<App, 'fileSystem' | 'paths'>,
  { inode, length, size }: Pick<IndexFile, 'inode' | 'length' | 'size'>,
  stamp: string,
): void {
  const handle = ports.fileSystem.open(indexPath(ports), 'append');
  try {
    const now = handle.stat();
    if (now.inode !== inode || now.size !== size) return;
    if (size - length >= MOST_STAMPS * STAMP_BYTES) handle.truncate(length);
    writeAll(handle, Buffer.from(stamp, 'latin1'));
  } finally {
    handle.close();
  }
}

/** Numbers of a section, which may lie anywhere in what was read. */
export function numbersOf<Numbers extends Float64Array | Uint32Array>(
  bytes: Uint8Array,
  Kind: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBuffer): Numbers },
): Numbers {
  return new Kind(new Uint8Array(bytes).buffer);
}

export function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** What somebody said of a journal is what this one is: same inode, length and time of change. NaN is no time. */
export function isSameGlance(a: Float64Array, b: Float64Array, at: number): boolean {
  return a[at] === b[at] && a[at + 1] === b[at + 1] && a[at + 2] === b[at + 2];
}

/** Of a section that is ASCII. */
export function linesOf(bytes: Uint8Array): string[] {
  const text = textOf(bytes);
  return text === '' ? [] : text.split('\n');
}

function firstLine(table: Uint8Array): string {
  const made = `summary ${summaryFold.version}, forms ${FORMS_VERSION}, glances ${GLANCE_LENGTH}`;
  return `ollm list-index ${FORMAT}, ${made}, xxh64 ${checksum(table)}\n`;
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** As much as there is. */
function readAt(handle: FileHandle, offset: number, length: number): Uint8Array {
  const target = Buffer.allocUnsafeSlow(length);
  return target.subarray(0, readInto(handle, target, offset));
}
