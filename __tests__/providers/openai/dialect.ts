// How OpenAI's Responses API writes an answer: items that are added, filled and done.
import { responses } from '../../../lib/providers/openai/vendor.ts';
import type { Dialect } from '../vendor-scenes.ts';

export const KEY = { variable: 'OPENAI_API_KEY', fromVariable: () => 'planted-openai-key' };

export const event = (value: { readonly type: string; readonly [member: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

const response = { id: 'r1', created_at: 1, model: 'test' };
export const created = event({ type: 'response.created', response });
export const added = (output_index: number, item: object) =>
  event({ type: 'response.output_item.added', output_index, item });
export const done = (output_index: number, item: object) =>
  event({ type: 'response.output_item.done', output_index, item });
export const completed = (usage: object = { input_tokens: 11, output_tokens: 7 }) =>
  event({ type: 'response.completed', response: { ...response, usage } });

export const responsesDialect: Dialect = {
  vendor: (url) => responses(`${url}/v1`, KEY),
  answerPath: '/v1/responses',
  models: { '/v1/models': { data: [{ id: 'gpt-5' }, { id: 'gpt-4o-transcribe' }] } },
  begin: created + added(0, { type: 'message', id: 'msg_1' }),
  says: (delta) => event({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta }),
  end: done(0, { type: 'message', id: 'msg_1' }) + completed(),
  fails: event({
    type: 'error',
    sequence_number: 3,
    error: { type: 'server_error', code: 'server_error', message: 'it broke' },
  }),
  missing: {
    status: 404,
    body: { error: { message: 'The model does not exist', type: 'invalid_request_error', code: 'model_not_found' } },
  },
};
