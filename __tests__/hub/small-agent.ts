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
export const small: Agent<{ turn: number; count: number }> = {
  name: 'small',
  title: 'Small',
  version: 1,
  places: () => [],
  discover: () => [],
  stored: ({ path }) => STORED[path.split('.').at(-1) ?? ''] ?? { kind: 'lines' },
  initial: () => ({ turn: 0, count: 0 }),
  translate(record, given) {
    if (typeof record.text !== 'string') return {};
    const { state, seq } = given;
    state.count += 1;
    const text = `${state.count} ${record.text}`;
    const image = imageOf('image/png', record.image);
    const parts = [{ type: 'text' as const, text }, ...(image === undefined ? [] : [image.part])];
    const attachments = image === undefined ? undefined : [image.attachment];
    const callId = `call-${state.count}`;
    given.add({ type: 'message.added', data: { role: 'user', parts, trusted: false }, attachments });
    if (record.back === true || record.back === 'first') {
      given.add({ type: 'branch.moved', data: { head: record.back === true ? seq : 1 } });
    }
    if (typeof record.output === 'string') {
      given.add({ type: 'tool.requested', data: { callId, name: 'look', args: {} } });
      const result = { llmContent: record.output };
      given.add({ type: 'tool.finished', data: { callId, status: 'ok', result, trusted: false } });
    }
    return { at: '2026-01-02T03:04:05.000Z' };
  },
  begin: ({ title }) => ({ title: typeof title === 'string' ? title : 'Small talk' }),
  typeOf: () => 'message',
  said: { message: ['text'] },
  leftOut: {},
  headFromStart: () => true,
  headFromEnd: () => true,
};
