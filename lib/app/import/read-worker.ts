// A thread that reads sessions of other programs for a sync, one after the other, as far ahead as it may. Started by
// read-ahead.ts; nothing imports it.
import { parentPort, workerData } from 'node:worker_threads';
import type { Source } from '../../agents/agent.ts';
import { insideSource } from '../../agents/inside.ts';
import { loadAgent } from '../../agents/registry.ts';
import { readSession } from '../../catalog/session-reading.ts';
import type { SessionPart } from '../../catalog/text-source.ts';
import { createRedactor } from '../../environment/redact.ts';
import { isOllmError, messageOf } from '../../errors/index.ts';
import { openText } from '../../hub/foreign-sources.ts';
import { nodeFileSystem } from '../../platform/index.ts';
import { type FromReader, type ReadAheadData, type SourceData, tagOf } from './read-ahead.ts';

/** Bytes that were sent and are not stored yet. */
const MOST_AHEAD = 4 * 1024 * 1024;

const { sources, outputs, secretValues, uid, othersMayOwn } = workerData as ReadAheadData;
const redactor = secretValues === undefined ? undefined : createRedactor({ secretValues });
const clean = (text: string) => (redactor === undefined ? text : redactor.redact(text).text);
const files = { fileSystem: nodeFileSystem, uid, othersMayOwn };
const port = parentPort!;
let ahead = 0;
let wake = () => {};
port.on('message', (stored: number) => {
  ahead -= stored;
  wake();
});

for (const each of sources) await read(each);
port.close();

async function read({ agent: name, source }: SourceData): Promise<void> {
  const tag = tagOf({ ...source, agent: name });
  try {
    const agent = await loadAgent(name);
    const open = async () => openText(agent, source, files);
    const reading = await readSession({ path: source.path, parent: source.parent, open }, { clean, outputs });
    try {
      for await (const part of reading.parts()) await send(tag, part);
      const end = await reading.end();
      post({ kind: 'end', tag, end });
      for (const key of end.insides) await read({ agent: name, source: insideSource(source, key) as Source });
    } finally {
      reading.close();
    }
  } catch (error) {
    const code = isOllmError(error) ? error.code : undefined;
    post({ kind: 'failed', tag, code, message: messageOf(error) });
  }
}

async function send(tag: string, part: SessionPart): Promise<void> {
  while (ahead > MOST_AHEAD) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  let size = 0;
  withBytes(part, (bytes) => {
    size += bytes.length;
    return bytes;
  });
  ahead += size;
  // In one piece of memory, which is not copied.
  const all = new Uint8Array(size);
  let at = 0;
  const moved = withBytes(part, (bytes) => {
    all.set(bytes, at);
    at += bytes.length;
    return all.subarray(at - bytes.length, at);
  });
  post({ kind: 'part', tag, size, part: moved }, [all.buffer]);
}

/** The part with other memory for its bytes. */
function withBytes({ rows, changes, counts }: SessionPart, place: (bytes: Uint8Array) => Uint8Array): SessionPart {
  return {
    rows: rows.map((row) => ({
      ...row,
      text: typeof row.text === 'string' ? row.text : place(row.text),
      words: place(row.words),
    })),
    changes: changes.map((change) =>
      change.kind === 'ended'
        ? change
        : { ...change, files: change.files.map((file) => ({ ...file, body: place(file.body) })) },
    ),
    counts,
  };
}

function post(message: FromReader, moved: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
}
