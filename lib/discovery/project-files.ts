// The texts of a project, within bounds on the number of files, their size, and the memory between two questions. A
// remembered text is used as long as size and time of its file are the same. Special files are never opened, links only
// if they are followed and lead to a place inside the root.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isInside } from '../platform/files/inside.ts';
import { isCredentialName } from './credential-names.ts';
import type { Discovery, DiscoveryOptions, FileEntry, ProjectDocument, ProjectFiles } from './types.ts';
import { discover as walk } from './walk.ts';

export interface ProjectFilesOptions
  extends Pick<DiscoveryOptions, 'root' | 'maxDepth' | 'builtinIgnores' | 'followSymlinks' | 'globalExcludes'> {
  /** How files are found, for a caller that knows more of it, such as the configuration. */
  readonly discover?: ((options: DiscoveryOptions) => Discovery) | undefined;
  /** Absolute paths inside the project that do not belong to it: these and everything below them are not listed. */
  readonly without?: readonly string[] | undefined;
  readonly maxFiles?: number | undefined;
  /** Bytes of one file. */
  readonly maxFileBytes?: number | undefined;
  /** Bytes of all files that are listed. */
  readonly maxListedBytes?: number | undefined;
  /** Characters of text that are kept in memory. */
  readonly maxKeptCharacters?: number | undefined;
}

/** Sessions of ollm are searched by other means, and would answer every question with itself. */
const NOT_THE_PROJECT = ['.ollm'];

const BINARY_PROBE_BYTES = 8192;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export function createProjectFiles(options: ProjectFilesOptions): ProjectFiles {
  const { maxFiles = 10_000, maxFileBytes = 1024 * 1024 } = options;
  const { maxListedBytes = 256 * 1024 * 1024, maxKeptCharacters = 64 * 1024 * 1024 } = options;
  const { maxDepth, builtinIgnores, followSymlinks, globalExcludes, without = [] } = options;
  const { discover = walk } = options;
  const root = resolve(options.root);
  const kept = createKeptTexts(maxKeptCharacters);
  let listed = new Map<string, FileEntry>();

  return {
    root,
    async list({ signal }) {
      const found = new Map<string, FileEntry>();
      let bytes = 0;
      let isCut = false;
      const rules = { builtinIgnores, globalExcludes, excludePatterns: NOT_THE_PROJECT };
      for await (const entry of discover({ root, maxDepth, followSymlinks, ...rules, signal })) {
        if (entry.type !== 'file' || without.some((place) => isInside(place, entry.path))) continue;
        if (entry.size <= maxFileBytes) bytes += entry.size;
        isCut = found.size >= maxFiles || bytes > maxListedBytes;
        if (isCut) break;
        found.set(entry.relativePath, entry);
      }
      listed = found;
      return { paths: [...found.keys()].sort(), isCut };
    },

    async read(path) {
      const entry = listed.get(path);
      if (!entry) return { path, skipped: 'unreadable' };
      const file = followSymlinks ? realPathInside(root, entry.path) : entry.path;
      if (file === undefined) return { path, skipped: 'unreadable' };
      if ([path, file].some((each) => isCredentialName(basename(each)))) return { path, skipped: 'credentials' };
      if (entry.size > maxFileBytes) return { path, skipped: 'large' };
      const stamp = stampOf(entry);
      const document = kept.get(path, stamp) ?? readDocument({ ...entry, path: file }, maxFileBytes);
      kept.keep(document, stamp);
      return document;
    },

    stampOf(path) {
      const entry = listed.get(path);
      return entry && stampOf(entry);
    },
  };
}

function stampOf({ size, modified }: FileEntry): string {
  return `${size} ${modified.getTime()}`;
}

/** Where the file really is; undefined where that is outside the root, or nowhere. */
function realPathInside(root: string, path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return isInside(realpathSync(root), real) ? real : undefined;
  } catch {
    return undefined;
  }
}

function readDocument({ path, relativePath }: FileEntry, maxBytes: number): ProjectDocument {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, READ_ONLY);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { path: relativePath, skipped: 'unreadable' };
    if (stat.size > maxBytes) return { path: relativePath, skipped: 'large' };
    const bytes = Buffer.allocUnsafe(stat.size);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    const text = decode(bytes.subarray(0, length));
    return text === undefined ? { path: relativePath, skipped: 'binary' } : { path: relativePath, text };
  } catch {
    return { path: relativePath, skipped: 'unreadable' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** UTF-8, or Latin-1 where it is none: old sources often are. A NUL near the beginning means no text. */
function decode(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return undefined;
  try {
    return UTF_8.decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Forgets the texts that were not asked for the longest when there are too many. */
function createKeptTexts(maxCharacters: number) {
  const documents = new Map<string, { readonly stamp: string; readonly document: ProjectDocument }>();
  let characters = 0;
  const sizeOf = (document: ProjectDocument) => ('text' in document ? document.text.length : 0) + document.path.length;
  const forget = (path: string) => {
    const known = documents.get(path);
    if (known) characters -= sizeOf(known.document);
    documents.delete(path);
  };
  return {
    get(path: string, stamp: string): ProjectDocument | undefined {
      const known = documents.get(path);
      return known?.stamp === stamp ? known.document : undefined;
    },
    keep(document: ProjectDocument, stamp: string): void {
      forget(document.path);
      documents.set(document.path, { stamp, document });
      characters += sizeOf(document);
      for (const path of documents.keys()) {
        if (characters <= maxCharacters) return;
        forget(path);
      }
    },
  };
}
