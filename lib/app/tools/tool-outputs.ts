// `/output` and `/reasoning`: the whole result of a tool, and the model's thoughts before its last answer, from the end
// of the journal.
import type { JournalStore } from '../../journal/types.ts';
import type { Part } from '../../messages/index.ts';
import { newestEvents } from '../journals/read-journal.ts';

interface ToolOutputText {
  readonly name: string;
  readonly status: string;
  /** All that was kept of it. */
  readonly text: string;
  /** The output is not text. */
  readonly binaryBytes?: number | undefined;
}

/** How far back is looked: beyond this, an export has it. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The result that is `back` places before the end, 1 for the last; undefined if there are fewer. */
export async function findToolOutput(
  store: JournalStore,
  id: string,
  back: number,
): Promise<ToolOutputText | undefined> {
  let left = back;
  let finished: Readonly<Record<string, unknown>> | undefined;
  for await (const { type, data } of newestEvents(store, id, { maxBytes: MAX_BYTES })) {
    if (finished === undefined && type === 'tool.finished' && --left === 0) finished = data;
    if (finished === undefined || type !== 'tool.requested' || data.callId !== finished.callId) continue;
    return { name: String(data.name), status: String(finished.status), ...(await contentOf(store, finished)) };
  }
  return undefined;
}

/** The model's thoughts before its last answer; undefined if none were shown. */
export async function findReasoning(store: JournalStore, id: string): Promise<string | undefined> {
  for await (const { type, data } of newestEvents(store, id, { maxBytes: MAX_BYTES })) {
    if (type !== 'message.added' || data.role !== 'assistant') continue;
    const parts = data.parts as readonly Part[];
    const text = parts.map((part) => (part.type === 'reasoning' ? (part.text ?? '') : '')).join('');
    if (text !== '') return text;
    if (parts.some(({ type }) => type === 'text')) return undefined;
  }
  return undefined;
}

async function contentOf(
  store: JournalStore,
  { blob, encoding, result }: Readonly<Record<string, unknown>>,
): Promise<Pick<ToolOutputText, 'text' | 'binaryBytes'>> {
  const { llmContent = '', returnDisplay } = (result ?? {}) as { llmContent?: string; returnDisplay?: string };
  const bytes = typeof blob === 'string' ? await store.readBlob(blob) : undefined;
  if (encoding === 'base64') return { text: '', binaryBytes: bytes?.length ?? Math.floor((llmContent.length * 3) / 4) };
  if (bytes === undefined || returnDisplay !== undefined) return { text: returnDisplay ?? llmContent };
  return bytes.includes(0) ? { text: '', binaryBytes: bytes.length } : { text: new TextDecoder().decode(bytes) };
}
