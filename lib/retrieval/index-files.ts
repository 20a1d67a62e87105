// Brings the files of a project into the index of passages: new and changed files are read, unchanged ones are not
// opened. If a question meets many new files, all are read once, and only those that may answer it become passages.
// Discovery lists the files, and decides which of them may be read.
import type { CatalogEdit } from '../catalog/catalog-edit.ts';
import type { ProjectFiles } from '../discovery/types.ts';
import { type FileTextKind, fileKindOf } from '../ranking/file-kind.ts';
import { outlineOf, SECTION_CHARACTERS } from '../ranking/outline.ts';
import { cutText } from './cut-text.ts';
import type { CountedWords } from './find-by-words.ts';
import {
  chooseFiles,
  hasOutlines,
  type OutlinedFile,
  outlinesOf,
  removeOutline,
  removeOutlines,
  storeOutline,
} from './outlines.ts';
import {
  knownSources,
  numberOfSource,
  type PassageSource,
  type PlacedPassage,
  removeSource,
  replacePassages,
  stampSource,
  withoutColours,
} from './passages.ts';

export interface IndexingOptions {
  /** Takes secrets out of a text before it is stored. */
  readonly clean: (text: string) => string;
  readonly signal?: AbortSignal | undefined;
  /** Whether there is time for another source. Default: always. */
  readonly hasTime?: (() => boolean) | undefined;
  /** If many files are new, only those that may answer this become passages. Default: all do. */
  readonly question?: string | undefined;
  /** Called before each source that is read. */
  readonly onProgress?: ((progress: { done: number; total: number; name: string }) => void) | undefined;
}

/** The work that was done. */
export interface IndexedSources {
  /** Sources that were read. */
  readonly read: number;
  /** Sources that have changed and wait for another time. */
  readonly left: number;
  /** The words of files that were looked at and have no passages, since they answer the question less well. */
  readonly uncut?: CountedWords | undefined;
}

const MARKDOWN = /\.(?:md|markdown|mdx)$/i;
/** At most this many new files all become passages, for any question. */
const FEW_FILES = 64;
/** Half a KiB of text is one unit of the work that a transaction may have. */
const CHARACTERS_PER_WEIGHT = 512;

interface StaleFile {
  readonly path: string;
  readonly stamp: string | undefined;
}

/** @throws the reason of `signal`; passages stored before that stay */
export async function indexFiles(
  edit: CatalogEdit,
  files: ProjectFiles,
  options: IndexingOptions,
): Promise<IndexedSources> {
  const { signal = new AbortController().signal, question } = options;
  const { root } = files;
  const { paths } = await files.list({ signal });
  const known = knownSources(edit.database, { kind: 'file', home: root });
  const stale = nearestFirst(paths).flatMap((path): readonly StaleFile[] => {
    const stamp = files.stampOf?.(path);
    return stamp !== undefined && known.get(path)?.stamp === stamp ? [] : [{ path, stamp }];
  });
  const listed = new Set(paths);
  for (const [path, { number }] of known) {
    if (!listed.has(path)) await edit.add(10, (database) => removeSource(database, number));
  }
  const fresh = stale.filter(({ path, stamp }) => stamp !== undefined && !known.has(path));
  if (question === undefined || fresh.length <= FEW_FILES) {
    const cut = await cutFiles(edit, files, stale, options);
    // All files have passages now. Mostly there is nothing to remove, and so nothing that others have to wait for.
    if (cut.left === 0 && hasOutlines(edit.database, root)) {
      await edit.add(10, (database) => removeOutlines(database, root));
      await edit.flush();
    }
    return cut;
  }
  const isFresh = new Set(fresh.map(({ path }) => path));
  const changed = stale.filter(({ path }) => !isFresh.has(path));
  const before = await cutFiles(edit, files, changed, options);
  const outlined = await outlineFiles(edit, files, fresh, options);
  const { names, uncut } = chooseFiles(outlined.files, { home: root, question, isCut: (name) => !isFresh.has(name) });
  const chosen = names.map((path) => ({ path, stamp: files.stampOf?.(path) }));
  const cut = await cutFiles(edit, files, chosen, options);
  const left = before.left + outlined.left + cut.left;
  return { read: before.read + outlined.read + cut.read, left, uncut };
}

/** Where time is short, the README is there before the fixtures. */
function nearestFirst(paths: readonly string[]): string[] {
  const placed = paths.map((path) => ({ path, depth: path.split('/').length }));
  return placed.sort((a, b) => a.depth - b.depth).map(({ path }) => path);
}

/** Makes passages of these files. */
async function cutFiles(
  edit: CatalogEdit,
  files: ProjectFiles,
  stale: readonly StaleFile[],
  { clean, signal, hasTime = () => true, onProgress }: IndexingOptions,
): Promise<IndexedSources> {
  const { root } = files;
  let read = 0;
  for (const { path, stamp = '' } of stale) {
    signal?.throwIfAborted();
    if (!hasTime()) break;
    onProgress?.({ done: read, total: stale.length, name: path });
    const document = await files.read(path);
    // A file that is not read, such as one that is not text, has no passages, and is not opened again before it
    // changes.
    const text = 'text' in document ? clean(withoutColours(document.text)) : '';
    const source: PassageSource = { kind: 'file', home: root, name: path, project: root };
    const passages = passagesOfFile(path, text);
    await edit.add(5 + passages.length + text.length / CHARACTERS_PER_WEIGHT, (database) => {
      const number = numberOfSource(database, source);
      replacePassages(database, number, passages);
      stampSource(database, number, stamp, 'skipped' in document ? document.skipped : undefined);
    });
    read += 1;
  }
  await edit.flush();
  return { read, left: stale.length - read };
}

interface OutlinedFiles extends IndexedSources {
  /** Files whose outline matches their present content. */
  readonly files: readonly OutlinedFile[];
}

/** Reads those of these files whose outline is not known. */
async function outlineFiles(
  edit: CatalogEdit,
  files: ProjectFiles,
  fresh: readonly StaleFile[],
  { signal, hasTime = () => true, onProgress }: IndexingOptions,
): Promise<OutlinedFiles> {
  const { root } = files;
  const found = new Map<string, OutlinedFile>();
  for (const each of outlinesOf(edit.database, root)) {
    if (files.stampOf?.(each.name) === each.stamp) found.set(each.name, each);
    else await edit.add(1, (database) => removeOutline(database, root, each.name));
  }
  const unread = fresh.filter(({ path }) => !found.has(path));
  let read = 0;
  for (const { path, stamp = '' } of unread) {
    signal?.throwIfAborted();
    if (!hasTime()) break;
    onProgress?.({ done: read, total: unread.length, name: path });
    const document = await files.read(path);
    read += 1;
    if ('skipped' in document) {
      await edit.add(5, (database) => {
        const number = numberOfSource(database, { kind: 'file', home: root, name: path, project: root });
        stampSource(database, number, stamp, document.skipped);
      });
      continue;
    }
    const outline = outlineOf(beginningOf(path, document.text), { isMarkdown: MARKDOWN.test(path) });
    const file = { name: path, stamp, outline };
    found.set(path, file);
    await edit.add(1 + file.outline.byteLength / (2 * CHARACTERS_PER_WEIGHT), (database) =>
      storeOutline(database, root, file),
    );
  }
  await edit.flush();
  return { files: [...found.values()], read, left: unread.length - read };
}

/** The beginning of a generated text says enough, and the rest is long. */
const MAX_PASSAGES: Readonly<Partial<Record<FileTextKind, number>>> = { generated: 4, data: 40 };
/** The head of a session that was exported as Markdown: its messages are found in the session. */
const EXPORT = /^# [^\n]*\n\n\| \| \|\n\|---\|---\|\n\| \*\*Session\*\* \| /;

function maxPassagesOf(path: string, text: string): number | undefined {
  return MAX_PASSAGES[EXPORT.test(text) ? 'generated' : fileKindOf(path)];
}

/** What there may be passages of. */
function beginningOf(path: string, text: string): string {
  const most = maxPassagesOf(path, text);
  return most === undefined ? text : text.slice(0, most * SECTION_CHARACTERS);
}

export function passagesOfFile(path: string, text: string): PlacedPassage[] {
  const maxPassages = maxPassagesOf(path, text);
  const passages = cutText(text, { isMarkdown: MARKDOWN.test(path), maxPassages });
  return passages.map(({ line, lastLine, headings, text: body }) => ({
    about: [path, ...headings].join(' › '),
    text: body,
    lines: [line, lastLine],
  }));
}
