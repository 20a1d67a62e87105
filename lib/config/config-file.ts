// Reads one configuration file: YAML, with the place of each key for messages. The parser is loaded only here, so only
// when there is a file.
import { readFile } from 'node:fs/promises';
import type { Document, LineCounter, Node, Pair } from 'yaml';
import { OllmError } from '../errors/index.ts';

interface FilePosition {
  readonly line: number;
  readonly column: number;
}

export interface ConfigFile {
  readonly path: string;
  /** Undefined if the file is empty or holds nothing but comments. */
  readonly data: unknown;
  /** The place of a key or of its value; for a key that is missing, the place of the group around it. */
  positionOf(path: readonly string[], part: 'key' | 'value'): FilePosition;
}

/** @throws OllmError CONFIG_INVALID: it cannot be read, or is not YAML */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  return parseConfigText(path, await readText(path));
}

/** Parses a text that is, or is to be, in the file. @throws OllmError CONFIG_INVALID: it is not YAML */
export async function parseConfigText(path: string, text: string): Promise<ConfigFile> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw invalid(`${path}:${line}:${col}: this is not valid YAML: ${error.message}`, error);
  }
  return {
    path,
    data: toData(document, path) ?? undefined,
    positionOf: (keys, part) => positionIn(document, lines, keys, part),
  };
}

/** The text of a file: in UTF-16 too, as some programs of Windows write it. @throws TypeError as its options say */
export function decodedText(bytes: Uint8Array, options?: ConstructorParameters<typeof TextDecoder>[1]): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, options).decode(bytes);
}

async function readText(path: string): Promise<string> {
  try {
    return decodedText(await readFile(path));
  } catch (error) {
    throw invalid(`${path} cannot be read: ${(error as Error).message}`, error);
  }
}

/** Aliases that multiply without end, or stand in their own value, are refused here. */
function toData(document: Document.Parsed, path: string): unknown {
  try {
    const data: unknown = document.toJS({ maxAliasCount: 100 });
    if (containsItself(data)) throw new Error('An alias stands in the value that it repeats');
    return data;
  } catch (error) {
    throw invalid(`${path} cannot be read: ${(error as Error).message}`, error);
  }
}

function containsItself(value: unknown, around: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const within = [...around, value];
  return around.includes(value) || Object.values(value).some((each) => containsItself(each, within));
}

function positionIn(
  document: Document.Parsed,
  lines: LineCounter,
  keys: readonly string[],
  part: 'key' | 'value',
): FilePosition {
  let node: unknown = document.contents;
  let place: unknown = node;
  for (const [index, key] of keys.entries()) {
    const pair = pairOf(node, key);
    if (pair === undefined) break;
    const isLast = index === keys.length - 1;
    place = isLast && part === 'key' ? pair.key : (pair.value ?? pair.key);
    node = pair.value;
  }
  const offset = (place as Node | null)?.range?.[0] ?? 0;
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function pairOf(node: unknown, key: string): Pair | undefined {
  const { items } = (node ?? {}) as { items?: readonly Pair[] };
  return items?.find((item) => String((item.key as { value?: unknown } | null)?.value ?? item.key) === key);
}

function invalid(message: string, cause: unknown): OllmError {
  return new OllmError('CONFIG_INVALID', message, {
    hint: 'Correct the file, or move it away: every setting has a default.',
    cause,
  });
}
