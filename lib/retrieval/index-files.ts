// Brings the files of a project into the index of passages: what is new or has changed is read, what has not is not
// opened. Which files there are, and which of them may be read, discovery says.
import type { CatalogEdit } from '../catalog/catalog-edit.ts';
import type { ProjectFiles } from '../discovery/types.ts';
import { type FileTextKind, fileKindOf } from '../ranking/file-kind.ts';
import { cutText } from './cut-text.ts';
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
  /** Called before each source that is read. */
  readonly onProgress?: ((progress: { done: number; total: number; name: string }) => void) | undefined;
}

/** What was done. */
export interface IndexedSources {
  /** Sources that were read. */
  readonly read: number;
  /** Sources that have changed and wait for another time. */
  readonly left: number;
}

const MARKDOWN = /\.(?:md|markdown|mdx)$/i;
/** Half a KiB of text is one unit of the work that a transaction may have. */
const CHARACTERS_PER_WEIGHT = 512;

/** @throws the reason of `signal`; what was stored until then stays */
export async function indexFiles(
  edit: CatalogEdit,
  files: ProjectFiles,
  { clean, signal = new AbortController().signal, hasTime = () => true, onProgress }: IndexingOptions,
): Promise<IndexedSources> {
  const { root } = files;
  const { paths } = await files.list({ signal });
  const known = knownSources(edit.database, { kind: 'file', home: root });
  // Nearest to the root first: where time is short, what a project says of itself is there before its fixtures.
  const byDepth = paths.toSorted((a, b) => a.split('/').length - b.split('/').length);
  const stale = byDepth.flatMap((path) => {
    const stamp = files.stampOf?.(path);
    return stamp !== undefined && known.get(path)?.stamp === stamp ? [] : [{ path, stamp }];
  });
  const listed = new Set(paths);
  for (const [path, { number }] of known) {
    if (!listed.has(path)) await edit.add(10, (database) => removeSource(database, number));
  }
  let read = 0;
  for (const { path, stamp = '' } of stale) {
    signal.throwIfAborted();
    if (!hasTime()) break;
    onProgress?.({ done: read, total: stale.length, name: path });
    const document = await files.read(path);
    // What is not read, such as a file that is not text, has no passages, and is not opened again before it changes.
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

/** Of what a program wrote the beginning says what it is, and the rest is long. */
const MAX_PASSAGES: Readonly<Partial<Record<FileTextKind, number>>> = { generated: 4, data: 40 };
/** The head of a session that was exported as Markdown: what was said in it is found in the session. */
const EXPORT = /^# [^\n]*\n\n\| \| \|\n\|---\|---\|\n\| \*\*Session\*\* \| /;

export function passagesOfFile(path: string, text: string): PlacedPassage[] {
  const kind = EXPORT.test(text) ? 'generated' : fileKindOf(path);
  const passages = cutText(text, { isMarkdown: MARKDOWN.test(path), maxPassages: MAX_PASSAGES[kind] });
  return passages.map(({ line, lastLine, headings, text: body }) => ({
    about: [path, ...headings].join(' › '),
    text: body,
    lines: [line, lastLine],
  }));
}
