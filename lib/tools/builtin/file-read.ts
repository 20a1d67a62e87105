// Reads a text file, or some of its lines, with their numbers. A file of any size: it is passed through, not loaded.
import { isUtf8 } from 'node:buffer';
import { setImmediate as breathe } from 'node:timers/promises';
import { countOf } from '../../display/quantities.ts';
import type { FileHandle } from '../../platform/files/file-system.ts';
import { readInto } from '../../platform/files/io.ts';
import { estimateTokens } from '../../tokens/estimate.ts';
import { imageTypeOf, MAX_IMAGE_BYTES } from '../image-type.ts';
import { decodeText, isText, kindOfBytes } from '../kind-of-bytes.ts';
import { resolvePath } from '../paths.ts';
import { asUtf8, nameOfEncoding, utf16Of } from '../text-encoding.ts';
import { type Tool, ToolFailure, type ToolOutput } from '../tool.ts';
import { builtinTool } from './builtin-tool.ts';
import { asFailure, type OpenedFile, openToRead } from './opened-file.ts';
import type { BuiltinToolPorts } from './ports.ts';

const CHUNK_BYTES = 256 * 1024;
const MAX_LINES = 2000;
const MAX_LINE_BYTES = 4096;
/** The lines of a larger file are not counted to its end. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;
/**
 * The share of an output's tokens for the text itself: line numbers are counted too, and the counter of a model may
 * differ.
 */
const SHARE_OF_OUTPUT = 0.7;
const LINE_END = 0x0a;

export function fileReadTool({
  fileSystem,
  maxOutputTokens,
}: Pick<BuiltinToolPorts, 'fileSystem' | 'maxOutputTokens'>): Tool {
  return builtinTool({
    name: 'file_read',
    description:
      'Reads a text file and gives its lines with their numbers, which are not part of the file. A long file comes in pieces: read on with from_line. Images (PNG, JPEG, GIF, WebP) are shown to models that see; of other binary files it only says what they are.',
    properties: {
      path: { type: 'string', minLength: 1, description: 'The file, from the working directory on, or absolute.' },
      from_line: { type: 'integer', minimum: 1, description: 'First line to read. Default: 1.' },
      to_line: { type: 'integer', minimum: 1, description: 'Last line to read. Default: as many as fit.' },
    },
    required: ['path'],
    examples: [{ path: 'README.md', from_line: 1, to_line: 80 }],
    async plan({ path: given, from_line: from = 1, to_line: to }, place) {
      if (to !== undefined && to < from)
        throw new ToolFailure(`to_line (${to}) must not be less than from_line (${from}).`);
      const file = resolvePath(fileSystem, given, place);
      const lines = to === undefined ? (from === 1 ? '' : ` from line ${from}`) : ` lines ${from}–${to}`;
      return {
        action: {
          tool: 'file_read',
          summary: `Read ${file.shown}${lines}`,
          isReadOnly: true,
          accesses: [{ kind: 'read', path: file.path }],
        },
        async run({ signal }) {
          const range = { from, to: to ?? from + MAX_LINES - 1 };
          return readFile(openToRead(fileSystem, file), file, range, maxOutputTokens * SHARE_OF_OUTPUT, signal);
        },
      };
    },
  });
}

interface Range {
  readonly from: number;
  readonly to: number;
}

async function readFile(
  handle: FileHandle,
  file: OpenedFile,
  range: Range,
  maxTokens: number,
  signal: AbortSignal,
): Promise<ToolOutput> {
  try {
    const { size } = handle.stat();
    const beginning = new Uint8Array(CHUNK_BYTES);
    const probe = beginning.subarray(0, handle.read(beginning, 0));
    if (probe.length === 0) return { content: `(${file.shown} is empty.)` };
    const utf16 = utf16Of(probe);
    if (utf16 === undefined && !isText(probe)) return binaryOutput(handle, file, probe, Math.max(size, probe.length));
    const source = utf16 === undefined ? handle : asUtf8(handle, utf16);
    const found = await collectLines(source, range, maxTokens, signal);
    if (found.lines.length === 0)
      throw new ToolFailure(`${file.shown} has ${countOf(found.passed, 'line')}; there is no line ${range.from}.`);
    return { content: written(found, range, encodingNote(probe, utf16)) };
  } catch (error) {
    throw asFailure(error, file, 'read');
  } finally {
    handle.close();
  }
}

interface FoundLines {
  readonly lines: readonly string[];
  /** Lines that were passed or taken. */
  readonly passed: number;
  /** Whether that was all of them. */
  readonly isComplete: boolean;
}

function encodingNote(probe: Uint8Array, utf16: ReturnType<typeof utf16Of>): string | undefined {
  if (utf16 !== undefined) return `[The file is in ${nameOfEncoding(utf16)}. Edits keep that.]`;
  return isUtf8(withoutCutEnd(probe)) ? undefined : '[The file is not in UTF-8: unreadable bytes appear as U+FFFD.]';
}

/** Reads in one pass, chunk by chunk, and keeps no more of a line than it shows. */
async function collectLines(
  handle: Pick<FileHandle, 'read'>,
  { from, to }: Range,
  maxTokens: number,
  signal: AbortSignal,
): Promise<FoundLines> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  const lines: string[] = [];
  let tokens = 0;
  let isFull = false;
  let number = 1;
  let line = createLine();
  let position = 0;

  const endLine = () => {
    if (number >= from && number <= to && !isFull) {
      const text = line.text();
      tokens += estimateTokens(text) + 2;
      if (lines.length > 0 && tokens > maxTokens) isFull = true;
      else lines.push(text);
    }
    line = createLine();
    number += 1;
  };

  for (;;) {
    signal.throwIfAborted();
    const bytes = chunk.subarray(0, handle.read(chunk, position));
    if (bytes.length === 0) break;
    position += bytes.length;
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(LINE_END, start);
      line.add(bytes.subarray(start, end === -1 ? bytes.length : end));
      if (end === -1) break;
      endLine();
      start = end + 1;
    }
    if ((isFull || number > to) && position > MAX_COUNTED_BYTES)
      return { lines, passed: number - 1, isComplete: false };
    await breathe();
  }
  if (!line.isEmpty()) endLine();
  return { lines, passed: number - 1, isComplete: true };
}

function createLine() {
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let bytes = 0;
  return {
    add(part: Uint8Array) {
      bytes += part.length;
      const room = MAX_LINE_BYTES - keptBytes;
      if (room <= 0 || part.length === 0) return;
      kept.push(part.slice(0, room));
      keptBytes += Math.min(room, part.length);
    },
    isEmpty: () => bytes === 0,
    text() {
      const text = decodeText(Buffer.concat(kept));
      if (bytes === keptBytes) return text.replace(/\r$/, '');
      return `${text.replace(/\uFFFD$/, '')}… (${countOf(bytes - keptBytes, 'more byte')} in this line)`;
    },
  };
}

function written({ lines, passed, isComplete }: FoundLines, { from, to }: Range, note: string | undefined): string {
  const last = from + lines.length - 1;
  const width = Math.max(5, String(last).length);
  const numbered = lines.map((line, index) => `${String(from + index).padStart(width)}\t${line}`);
  const notes: string[] = [];
  const isMore = !isComplete || last < passed;
  const total = isComplete ? `of ${passed}` : `of more than ${passed}`;
  if (isMore && last < to) notes.push(`[Lines ${from}–${last} ${total}. Read on with from_line: ${last + 1}.]`);
  else if (isMore) notes.push(`[Lines ${from}–${last} ${total}.]`);
  if (note !== undefined) notes.push(note);
  return [...numbered, ...notes].join('\n');
}

/** The kind of the file, and the image itself if it is one. */
function binaryOutput(handle: FileHandle, { shown }: OpenedFile, probe: Uint8Array, size: number): ToolOutput {
  const kind = kindOfBytes(probe) ?? 'binary file';
  const note = `${shown} is not text: ${kind}, ${countOf(size, 'byte')}.`;
  if (imageTypeOf(probe) === undefined) return { content: note };
  if (size > MAX_IMAGE_BYTES) return { content: `${note} It is too large to be shown.` };
  const content = `${note} If it is not seen here, the user can attach it to a message with @ and its path.`;
  return { content, images: [bytesOf(handle, size)] };
}

function bytesOf(handle: FileHandle, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  return bytes.subarray(0, readInto(handle, bytes));
}

/** A probe may end in the middle of a character. */
function withoutCutEnd(probe: Uint8Array): Uint8Array {
  if (probe.length < CHUNK_BYTES) return probe;
  let end = probe.length - 1;
  while (end > probe.length - 4 && (probe[end]! & 0xc0) === 0x80) end -= 1;
  return probe.subarray(0, end);
}
