import { compatible } from '../../../lib/providers/compatible/vendor.ts';
import { providerContract } from '../provider.contract.ts';
import { type Dialect, subjectOf } from '../vendor-scenes.ts';

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, more: object = {}) =>
  event({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...more }] });

export const chat: Dialect = {
  vendor: (url) =>
    compatible({
      name: 'box',
      baseUrl: `${url}/v1`,
      setting: 'providers.compatible.box.baseUrl',
      key: { variable: 'BOX_KEY', fromVariable: () => 'planted-key-1234' },
    }),
  answerPath: '/v1/chat/completions',
  models: { '/v1/models': { data: [{ id: 'qwen3', max_model_len: 32768 }, { id: 'text-embedding-3-small' }] } },
  says: (content) => chunk({ content }),
  end: `${chunk({}, { finish_reason: 'stop' })}${event({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } })}data: [DONE]\n\n`,
  fails: event({ error: { message: 'out of memory', type: 'server_error' } }),
  missing: { status: 404, body: { error: { message: 'The model `test` does not exist.', code: 'model_not_found' } } },
};

providerContract('a compatible server', subjectOf(chat));
