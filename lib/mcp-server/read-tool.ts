// `read_session`: a conversation as Markdown, from a message on, as much as one answer holds.
import type { App } from '../app/app.ts';
import { findConversation } from '../app/find/find-session.ts';
import { exportConversation } from '../app/sessions/read/export-session.ts';
import { seqsOf } from '../app/sessions/read/message-key.ts';
import { readPage } from '../app/sessions/read/read-page.ts';
import type { EventReader } from '../journal/types.ts';
import { requireServed, type ServedScope } from './client-scope.ts';
import { MAX_ANSWER_BYTES } from './delimited-answer.ts';
import type { ServedAnswer, ServedTool } from './served-tool.ts';

const MAX_EVENTS = 500;
/** For the head of the text and its own words. */
const ROOM_BYTES = 4 * 1024;

export function readTool(app: App, scope: ServedScope): ServedTool {
  return {
    name: 'read_session',
    title: 'Read a session',
    description:
      'Reads a stored conversation as Markdown: what was said, tool calls with their results, diffs. Long ones are ' +
      'read part by part: each part says from which event the next one begins.',
    parameters: {
      type: 'object',
      properties: {
        address: {
          type: 'string',
          minLength: 1,
          maxLength: 300,
          description: 'As list_sessions and search_sessions give it, such as claude:5f3c or claude:5f3c#MESSAGE.',
        },
        from: { type: 'integer', minimum: 0, description: 'Number of the event to begin at. Default: the first.' },
      },
      required: ['address'],
      additionalProperties: false,
    },
    run: ({ address, from }, signal) =>
      readPart(app, scope, { address: address as string, from: from as number | undefined, signal }),
  };
}

interface PartRequest {
  readonly address: string;
  readonly from?: number | undefined;
  readonly signal: AbortSignal;
}

/** @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, SEQ_NOT_FOUND, and what reading throws */
export async function readPart(
  app: App,
  scope: ServedScope,
  { address, from, signal }: PartRequest,
): Promise<ServedAnswer> {
  const found = await findConversation(app, address);
  return found.read(async (reader) => {
    await requireServed(app, scope, { found, reader });
    const begin = from ?? (found.key === undefined ? 0 : (await seqsOf(reader, found.key, signal)).from);
    const { to, next } = await partOf(reader, begin, signal);
    const { chunks } = await exportConversation(reader, { format: 'md', from: begin, to, signal });
    const texts: Uint8Array[] = [];
    for await (const chunk of chunks) texts.push(Uint8Array.from(chunk));
    const note = next === undefined ? 'This is the end of the session.' : `The next part begins with from: ${next}.`;
    return { quoted: Buffer.concat(texts).toString(), notes: [note] };
  });
}

interface Part {
  /** seq of its last event. */
  readonly to: number;
  /** seq of the event after it; undefined at the end. */
  readonly next: number | undefined;
}

/** Events that fit one answer, at least one. It ends where no call waits for its result, if there is such a place. */
async function partOf(reader: EventReader, from: number, signal: AbortSignal): Promise<Part> {
  const page = await readPage(reader, { from, limit: MAX_EVENTS, signal });
  const open = new Set<unknown>();
  let bytes = 0;
  let whole: Part | undefined;
  let to = from;
  for (const { seq, type, data } of page.events) {
    if (to > from && open.size === 0) whole = { to, next: seq };
    bytes += Buffer.byteLength(JSON.stringify(data));
    if (bytes > MAX_ANSWER_BYTES - ROOM_BYTES && seq > from) return whole ?? { to, next: seq };
    if (type === 'tool.requested') open.add(data.callId);
    if (type === 'tool.finished') open.delete(data.callId);
    to = seq;
  }
  return page.next === undefined ? { to, next: undefined } : (whole ?? { to, next: page.next });
}
