// How a server writes an answer in OpenAI's chat completions.
import { compatible } from '../../../lib/providers/compatible/vendor.ts';
import type { Dialect } from '../vendor-scenes.ts';

export const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
export const chunk = (delta: object, more: object = {}) =>
  event({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...more }] });
export const end = (finish_reason: string, usage: object = { prompt_tokens: 11, completion_tokens: 7 }) =>
  `${chunk({}, { finish_reason })}${event({ choices: [], usage })}data: [DONE]\n\n`;

export const KEY = { variable: 'BOX_KEY', fromVariable: () => 'planted-box-key' };

export const chat: Dialect = {
  vendor: (url) =>
    compatible({ name: 'box', baseUrl: `${url}/v1`, setting: 'providers.compatible.box.baseUrl', key: KEY }),
  answerPath: '/v1/chat/completions',
  models: { '/v1/models': { data: [{ id: 'qwen3', max_model_len: 32768 }, { id: 'text-embedding-3-small' }] } },
  says: (content) => chunk({ content }),
  end: end('stop'),
  fails: event({ error: { message: 'out of memory', type: 'server_error' } }),
  missing: { status: 404, body: { error: { message: 'The model `test` does not exist.', code: 'model_not_found' } } },
};
