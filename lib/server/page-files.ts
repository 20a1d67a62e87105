// The files of the page, as they were built: read once, found by their whole name, so that no path of a request reaches
// the disk. They hold nothing that a token guards.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { systemErrorCode } from '../errors/index.ts';

interface PageRequest {
  readonly method: string;
  readonly path: string;
  /** The encodings that the client takes. */
  readonly accepts: string;
}

export interface PageFiles {
  /** The answer for a path of the page; undefined for any other. */
  find(request: PageRequest): Response | undefined;
  /** For a browser at an address that nothing has: the page says so. */
  nothingAt(request: PageRequest & { readonly wants: string }): Response | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};
const INDEX = '/index.html';
/** Addresses of the page's views. */
const VIEWS = /^\/(?:|join|search|new|cost|year|compare|s\/[^/]+)$/;
/** Addresses of programs: a missing one has an answer in their form. */
const OF_PROGRAMS = /^\/(?:api|mcp|metrics|health|openapi)\b/;
/** Files that the build names by their content. */
const HASHED = /-[A-Z0-9]{8}\.(?:js|css)$/;
const FOREVER = 'public, max-age=31536000, immutable';
const NO_PAGE = '<!doctype html><html lang="en"><title>ollm</title><p>This ollm was built without its page.';

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Where that is smaller. */
  readonly packed: Uint8Array<ArrayBuffer> | undefined;
}

/** `directory`: where the built page is; it may be missing. */
export function readPageFiles(directory: string): PageFiles {
  const files = new Map<string, PageFile>();
  for (const name of namesIn(directory)) {
    const type = TYPES[extname(name)];
    if (type !== undefined)
      files.set(`/${name.split(sep).join('/')}`, fileOf(readFileSync(join(directory, name)), type));
  }
  const index = files.get(INDEX) ?? fileOf(Buffer.from(NO_PAGE), TYPES['.html']!);
  const answer = (file: PageFile | undefined, { method, path, accepts }: PageRequest, status = 200) => {
    if ((method !== 'GET' && method !== 'HEAD') || file === undefined) return undefined;
    const packed = /\bgzip\b/.test(accepts) ? file.packed : undefined;
    const headers = {
      'content-type': file.type,
      'cache-control': HASHED.test(path) ? FOREVER : 'no-cache',
      vary: 'accept-encoding',
      ...(packed && { 'content-encoding': 'gzip' }),
    };
    return new Response(method === 'HEAD' ? null : (packed ?? file.bytes), { status, headers });
  };
  return {
    find: (request) => answer(VIEWS.test(request.path) ? index : files.get(request.path), request),
    nothingAt: (request) =>
      /\btext\/html\b/.test(request.wants) && !OF_PROGRAMS.test(request.path) ? answer(index, request, 404) : undefined,
  };
}

function namesIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function fileOf(bytes: Uint8Array, type: string): PageFile {
  const packed = gzipSync(bytes, { level: 9 });
  return {
    bytes: new Uint8Array(bytes),
    type,
    packed: packed.length < bytes.length ? new Uint8Array(packed) : undefined,
  };
}
