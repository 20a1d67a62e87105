// Lets a model read parts of the session that its window no longer has: by words, or by place. The result is a
// quotation.
import { type Tool, ToolFailure } from '../tool.ts';
import { builtinTool, limitOf } from './builtin-tool.ts';

/** A message or a tool's output, with its place in the session. */
export interface HistoryItem {
  readonly seq: number;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
}

/** The past of the session that the tool runs in. */
export interface HistoryPort {
  /** The best of what holds the words, best first. */
  search(query: string, limit: number): Promise<readonly HistoryItem[]>;
  /** Everything from one place to another, both included, in order. */
  read(from: number, to: number): Promise<readonly HistoryItem[]>;
}

const LIMIT = { standard: 5, maximum: 50 };
const DEFAULT_RANGE = 20;
const MAX_RANGE = 500;
const MAX_FOUND_CHARACTERS = 2000;

export function historyReadTool(history: HistoryPort): Tool {
  return builtinTool({
    name: 'history_read',
    description:
      'Reads back earlier parts of this conversation that are no longer shown, such as what a summary stands for. Give a query to find the places that hold its words, or from and to (numbers of places) to read them whole.',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 1000, description: 'Words to look for.' },
      from: { type: 'integer', minimum: 1, description: 'First place to read.' },
      to: { type: 'integer', minimum: 1, description: `Last place to read. Default: ${DEFAULT_RANGE} places on.` },
      limit: limitOf('places found', LIMIT),
    },
    examples: [{ query: 'port number of the server' }],
    async plan({ query, from, to = (from ?? 0) + DEFAULT_RANGE - 1, limit = LIMIT.standard }) {
      if ((query === undefined) === (from === undefined))
        throw new ToolFailure('Give either query, or from with or without to. Example: {"query":"port number"}');
      if (from !== undefined && (to < from || to - from >= MAX_RANGE))
        throw new ToolFailure(`to must be from ${from} to ${from + MAX_RANGE - 1}, not ${to}.`);
      return {
        action: {
          tool: 'history_read',
          summary:
            query === undefined
              ? `Read places ${from}–${to} of this session`
              : `Look back for ${JSON.stringify(query)}`,
          isReadOnly: true,
          accesses: [],
        },
        async run({ signal }) {
          signal.throwIfAborted();
          if (query === undefined) return { content: whole(await history.read(from!, to), `${from}–${to}`) };
          return { content: found(await history.search(query, limit), query) };
        },
      };
    },
  });
}

function whole(items: readonly HistoryItem[], range: string): string {
  if (items.length === 0) return `Nothing was said in places ${range}.`;
  return items.map((item) => `${headOf(item)}\n${item.text}`).join('\n\n');
}

function found(items: readonly HistoryItem[], query: string): string {
  if (items.length === 0) return `Nothing in this session holds ${JSON.stringify(query)}. Try other words.`;
  const texts = items.map((item) => {
    if (item.text.length <= MAX_FOUND_CHARACTERS) return `${headOf(item)}\n${item.text}`;
    const cut = item.text.slice(0, MAX_FOUND_CHARACTERS).toWellFormed();
    return `${headOf(item)}\n${cut}\n[… cut; read it whole with from: ${item.seq}, to: ${item.seq}]`;
  });
  return texts.join('\n\n');
}

function headOf({ seq, role }: HistoryItem): string {
  return `[place ${seq}, ${role}]`;
}
