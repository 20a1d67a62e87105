// Attaches files and images that a message names with an @: they are read now, stored under blobs/, and become one part
// each. Faults are reported before a model is asked. A file outside the project is attached only if the user named it
// at a terminal: text from a pipe may have any author.
import { join, resolve } from 'node:path';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import type { Part } from '../../messages/index.ts';
import { relativeInside } from '../../platform/files/inside.ts';
import { readFile, realPathOf } from '../../platform/files/io.ts';
import { storeText } from '../../session/long-text.ts';
import { estimateParts, estimateTokens } from '../../tokens/estimate.ts';
import { imageSizeOf } from '../../tools/image-size.ts';
import { IMAGE_KINDS, imageTypeOf, MAX_IMAGE_BYTES } from '../../tools/image-type.ts';
import type { TurnInput } from '../../turn/run-turn.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';
import { type NamedFile, namedFiles } from './attach-names.ts';

interface AttachRequest {
  /** The message. */
  readonly text: string;
  /** The part in which files are searched for: typed text, without pastes. Default: all of it. */
  readonly typed?: string | undefined;
  /** Whether files outside the project may be attached. */
  readonly allowOutside: boolean;
  /** Further attached files: absolute paths, inside the project or `alsoInside`. */
  readonly files?: readonly string[] | undefined;
  /** A directory outside the project, absolute, whose files may be attached. */
  readonly alsoInside?: string | undefined;
}

export interface Attached {
  readonly input: TurnInput;
  /** A sentence for each attached file, and for each word with a slash that names no file. */
  readonly notices: readonly string[];
}

const MOST_FILES = 20;
const MOST_TEXT_BYTES = 1024 * 1024;

/**
 * The message with the files that it names. Nothing is stored if one of them cannot be attached.
 *
 * @throws OllmError USAGE: the file that cannot be attached, and why; POLICY_DENIED: it is outside the project
 */
export async function attachFiles(app: App, conversation: Conversation, request: AttachRequest): Promise<Attached> {
  const { text, typed = text, allowOutside, files = [], alsoInside } = request;
  const named = namedFiles(typed).map((each) => ({ shown: each.shown, path: pathOf(app, each) }));
  const found = [...named, ...files.map((path) => ({ shown: path, path }))].filter(isFound);
  const notices = named.flatMap(({ shown, path }) =>
    path === undefined && shown.includes('/')
      ? [`There is no file ${sanitizeLine(shown)}: @${sanitizeLine(shown)} is sent as text.`]
      : [],
  );
  if (found.length === 0) return { input: { text }, notices };
  if (found.length > MOST_FILES)
    throw refused(`A message takes at most ${MOST_FILES} files; these are ${found.length}.`);
  const contents = found.map(({ shown, path }) => {
    if (!allowOutside) requireInside(app, path, { shown, alsoInside });
    return contentOf(app, conversation, path, shown);
  });
  const redact = await app.redactor();
  const { store, session } = conversation;
  const put = (bytes: Uint8Array) => store.putBlob(bytes, session.id);
  const message = await storeText(redact(text).text, { put, fileName: 'message.txt' });
  const parts: Part[] = [...message.parts];
  let tokens = estimateTokens(text);
  for (const { content, mediaType, isImage, name } of contents) {
    const clean = isImage ? undefined : redact(decode(content)!).text;
    const blob = await put(clean === undefined ? content : new TextEncoder().encode(clean));
    const part: Part = isImage
      ? { type: 'image', mediaType, blob, ...imageSizeOf(content) }
      : { type: 'file', name, mediaType, blob };
    parts.push(part);
    tokens += clean === undefined ? estimateParts([part]) : estimateTokens(clean);
  }
  return {
    input: { text: message.excerpt, parts, tokens: { count: tokens, method: 'estimated' } },
    notices: [
      ...notices,
      ...contents.map(({ name, content }) => `Sent along: ${sanitizeLine(name)}, ${formatBytes(content.length)}.`),
    ],
  };
}

function isFound(file: { readonly shown: string; readonly path: string | undefined }): file is NamedPath {
  return file.path !== undefined;
}

interface NamedPath {
  readonly shown: string;
  readonly path: string;
}

/** Undefined: a word that only begins with an @. */
function pathOf(app: App, { shown, candidates, looksLikePath }: NamedFile): string | undefined {
  const paths = candidates.map((candidate) => resolvePath(app, candidate));
  const there = paths.find((path) => realPathOf(app.fileSystem, path) !== undefined);
  if (there !== undefined) return there;
  if (!looksLikePath) return undefined;
  throw refused(`There is no file ${shown}.`);
}

function resolvePath(app: App, path: string): string {
  return path.startsWith('~/') ? join(homeDirectoryOf(app), path.slice(2)) : resolve(app.cwd, path);
}

function requireInside(
  app: App,
  path: string,
  { shown, alsoInside }: { readonly shown: string; readonly alsoInside: string | undefined },
): void {
  const real = (each: string) => realPathOf(app.fileSystem, each) ?? each;
  const roots = [app.paths.project, ...(alsoInside === undefined ? [] : [alsoInside])];
  if (roots.some((root) => relativeInside(real(root), real(path)) !== undefined)) return;
  throw new OllmError('POLICY_DENIED', `${sanitizeLine(shown)} lies outside the project and does not go along.`, {
    hint: 'Name it at a terminal, or copy it into the project.',
  });
}

interface Content {
  readonly name: string;
  readonly content: Uint8Array;
  readonly mediaType: string;
  readonly isImage: boolean;
}

function contentOf(app: App, { choice }: Conversation, path: string, shown: string): Content {
  const content = readBytes(app, path, shown);
  const mediaType = imageTypeOf(content);
  if (mediaType !== undefined) {
    if (choice.provider.capabilities.images !== true) {
      throw refused(`${shown} is an image, and ${choice.provider.name} takes no images.`, 'Switch with /provider.');
    }
    return { name: shown, content, mediaType, isImage: true };
  }
  if (decode(content) === undefined) {
    throw refused(`${shown} is binary.`, `Text can be sent, and images as ${IMAGE_KINDS}.`);
  }
  if (content.length > MOST_TEXT_BYTES) throw tooLarge(shown, content.length, MOST_TEXT_BYTES);
  return { name: shown, content, mediaType: 'text/plain; charset=utf-8', isImage: false };
}

function readBytes({ fileSystem }: App, path: string, shown: string): Uint8Array {
  try {
    const target = fileSystem.realPath(path);
    const { size = 0 } = fileSystem.stat(target) ?? {};
    if (size > MAX_IMAGE_BYTES) throw tooLarge(shown, size, MAX_IMAGE_BYTES);
    return readFile(fileSystem, target, { maxBytes: MAX_IMAGE_BYTES });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code === 'EISDIR') throw refused(`${shown} is a directory.`, 'Name the files in it.');
    if (code === 'ENXIO') throw refused(`${shown} is not a regular file.`);
    throw refused(`${shown} cannot be read (${code}).`);
  }
}

/** Undefined where it is not text. */
function decode(content: Uint8Array): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

function tooLarge(shown: string, bytes: number, most: number): OllmError {
  const sizes = [bytes, most].map(formatBytes);
  const [size, limit] = sizes[0] === sizes[1] ? [bytes, most].map((each) => countOf(each, 'byte')) : sizes;
  return refused(
    `${shown} has ${size}; the limit is ${limit}.`,
    'Let the model read a part of it, or name a smaller file.',
  );
}

function refused(message: string, hint = 'Write @@ for an @ that names no file.'): OllmError {
  return new OllmError('USAGE', `${sanitizeLine(message)} Nothing was asked.`, { hint });
}
