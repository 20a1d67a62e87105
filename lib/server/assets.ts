// Files attached to a prompt, each stored once under its content; and images in sessions.
import { basename, join } from 'node:path';
import { ASSET_LIMITS, type ASSET_ROUTES } from '../api/assets.ts';
import type { App } from '../app/app.ts';
import { exactSession } from '../app/find/exact-session.ts';
import { systemErrorCode } from '../errors/index.ts';
import { putWholeFile } from '../journal/files/whole-file.ts';
import { Budget } from '../platform/budget.ts';
import { readFile } from '../platform/files/io.ts';
import { sha256Of } from '../session/identify.ts';
import { IMAGE_KINDS, imageTypeOf } from '../tools/image-type.ts';
import { readBody } from './check-request.ts';
import type { Handlers, NamesOf, ServerContext } from './context.ts';
import { ApiFailure } from './failure.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const MOST_BYTES = ASSET_LIMITS.files * ASSET_LIMITS.fileBytes + ASSET_LIMITS.formBytes;
/** See prune-assets.ts. */
const REWRITTEN_MS = 86_400_000;
/** Never under another name: content and address belong together. */
const FOREVER = 'private, max-age=31536000, immutable';
/** Files that are sent are in memory until they are whole: one of the largest requests at once, and some small ones. */
const uploads = new Budget(MOST_BYTES + 64 * 1024 * 1024);

export const assetHandlers: Handlers<NamesOf<typeof ASSET_ROUTES>> = {
  async uploadImages({ request, context: { app }, signal }) {
    const length = Number(request.headers.get('content-length') ?? MOST_BYTES);
    const upload = async () => {
      const files = await filesIn(request);
      const contents = await Promise.all(files.map(async (file) => ({ file, bytes: await contentOf(file) })));
      return { images: await Promise.all(contents.map(({ file, bytes }) => keepImage(app, file.name, bytes))) };
    };
    return uploads.use(Number.isSafeInteger(length) ? length : MOST_BYTES, upload, signal);
  },

  async getAsset({ parameters: { hash }, context: { app } }) {
    return imageIn(assetOf(app, hash) ?? (await app.store.readBlob(hash)));
  },

  async getAssetText({ parameters: { hash }, query, context: { app } }) {
    return pieceOf(await app.store.readBlob(hash), query);
  },

  async getSessionAsset({ parameters, context, signal }) {
    return imageIn(await shownBlob(context, parameters, signal));
  },

  async getSessionAssetText({ parameters, query, context, signal }) {
    return pieceOf(await shownBlob(context, parameters, signal), query);
  },
};

/** Undefined where the session does not show it, whichever other session does. */
async function shownBlob(
  { app, work }: ServerContext,
  { id, hash }: { readonly id: string; readonly hash: string },
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const { id: reference } = await exactSession(app, id);
  return (await work.run('showsBlob', { reference, sha256: hash }, { signal })) ? app.store.readBlob(hash) : undefined;
}

function imageIn(bytes: Uint8Array | undefined): Response {
  const type = bytes && imageTypeOf(bytes);
  if (bytes === undefined || type === undefined) {
    throw new ApiFailure('ASSET_NOT_FOUND', 'No image with this hash is kept.');
  }
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': type, 'cache-control': FOREVER } });
}

function pieceOf(
  bytes: Uint8Array | undefined,
  { from = 0, limit = 65_536 }: { readonly from?: number | undefined; readonly limit?: number | undefined },
): { readonly text: string; readonly bytes: number; readonly next?: number } {
  if (bytes === undefined) throw new ApiFailure('ASSET_NOT_FOUND', 'No output with this hash is kept.');
  const end = endOfCharacter(bytes, from + limit);
  const text = new TextDecoder().decode(bytes.subarray(from, end));
  return { text, bytes: bytes.length, ...(end < bytes.length && { next: end }) };
}

/** No piece ends inside of a character: what follows the first byte of one begins with the bits 10. */
function endOfCharacter(bytes: Uint8Array, wanted: number): number {
  let end = Math.min(wanted, bytes.length);
  for (let back = 0; back < 3 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80; back += 1) end -= 1;
  return end;
}

async function filesIn(request: Request): Promise<readonly File[]> {
  const bytes = await readBody(request, MOST_BYTES);
  let form: FormData;
  try {
    const type = request.headers.get('content-type') ?? '';
    form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  } catch {
    throw new ApiFailure('INVALID_REQUEST_BODY', 'The body is not what a form with files sends, or was cut off.');
  }
  const files = form.getAll('images').filter((entry) => typeof entry !== 'string');
  if (files.length === 0) throw new ApiFailure('IMAGE_REQUIRED', 'Send files in the field “images”.');
  if (files.length > ASSET_LIMITS.files) {
    throw new ApiFailure('TOO_MANY_FILES', `At most ${ASSET_LIMITS.files} files are taken at once.`);
  }
  const large = files.find(({ size }) => size > ASSET_LIMITS.fileBytes);
  if (large === undefined) return files;
  throw new ApiFailure('BODY_TOO_LARGE', `${shown(large.name)} is over ${ASSET_LIMITS.fileBytes / 1024 / 1024} MiB.`);
}

/** The bytes of a file decide its type, not its name. */
async function contentOf(file: File): Promise<Uint8Array> {
  const bytes = await file.bytes();
  if (imageTypeOf(bytes) !== undefined) return bytes;
  throw new ApiFailure('UNSUPPORTED_IMAGE_TYPE', `${shown(file.name)} is not a ${IMAGE_KINDS}.`);
}

async function keepImage({ fileSystem, ids, paths, clock }: App, name: string, bytes: Uint8Array) {
  const hash = sha256Of(bytes);
  const mimeType = imageTypeOf(bytes)!;
  const storedName = `${hash}.${EXTENSIONS[mimeType]}`;
  const directory = join(paths.home, 'assets');
  const path = join(directory, storedName);
  const there = fileSystem.stat(path);
  // Written again now and then, so that it stays as long as it is sent.
  if (there?.size !== bytes.length || clock.now() - there.modifiedMs > REWRITTEN_MS) {
    fileSystem.makeDirectory(directory);
    await putWholeFile({ fileSystem, ids }, directory, storedName, [bytes]);
  }
  const relativePath = `assets/${storedName}`;
  return {
    hash,
    originalName: shown(name),
    storedName,
    absolutePath: path,
    relativePath,
    mimeType,
    size: bytes.length,
  };
}

function assetOf({ fileSystem, paths }: App, hash: string): Uint8Array | undefined {
  for (const extension of Object.values(EXTENSIONS)) {
    try {
      return readFile(fileSystem, join(paths.home, 'assets', `${hash}.${extension}`));
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

function shown(name: string): string {
  return basename(name).slice(0, 200);
}
