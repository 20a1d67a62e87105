// A program whose records say a text each, in a file of lines, in one document or in a database: for tests of imports.
import type { Agent, SourceForm } from '../../lib/agents/agent.ts';
import { imageOf } from '../../lib/agents/attachments.ts';

const STORED: Readonly<Record<string, SourceForm>> = {
  json: { kind: 'document', header: ['id'], list: 'messages' },
  db: {
    kind: 'rows',
    columns: { message: ['id', 'text'] },
    *rows(database) {
      const next = (after: number) =>
        database.all('SELECT id, text FROM message WHERE id > ? ORDER BY id LIMIT 2', after);
      for (let some = next(0); some.length > 0; some = next(Number(some.at(-1)?.id))) yield* some;
    },
    head: () => ({}),
  },
};

/** A record may also have `back`: go back to it, `first`: to the first one; `image`: base64; `output`: of a call. */
export const small: Agent<{ count: number }> = {
  name: 'small',
  title: 'Small',
  version: 1,
  places: () => [],
  discover: () => [],
  stored: ({ path }) => STORED[path.split('.').at(-1) ?? ''] ?? { kind: 'lines' },
  initial: () => ({ count: 0 }),
  translate(record, state, { seq }) {
    if (typeof record.text !== 'string') return { events: [] };
    state.count += 1;
    const text = `${state.count} ${record.text}`;
    const image = imageOf('image/png', record.image);
    const parts = [{ type: 'text' as const, text }, ...(image === undefined ? [] : [image.part])];
    const attachments = image === undefined ? undefined : [image.attachment];
    const callId = `call-${state.count}`;
    return {
      at: '2026-01-02T03:04:05.000Z',
      events: [
        { type: 'message.added', data: { role: 'user', parts, trusted: false }, attachments },
        ...(record.back === true || record.back === 'first'
          ? [{ type: 'branch.moved' as const, data: { head: record.back === true ? seq : 1 } }]
          : []),
        ...(typeof record.output === 'string'
          ? [
              { type: 'tool.requested' as const, data: { callId, name: 'look', args: {} } },
              {
                type: 'tool.finished' as const,
                data: { callId, status: 'ok' as const, result: { llmContent: record.output }, trusted: false as const },
              },
            ]
          : []),
      ],
    };
  },
  begin: ({ title }) => ({ title: typeof title === 'string' ? title : 'Small talk' }),
  typeOf: () => 'message',
  said: { message: ['text'] },
  leftOut: {},
  headFromStart: () => true,
  headFromEnd: () => true,
};
