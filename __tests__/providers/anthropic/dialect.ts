// How Anthropic writes an answer: named events, blocks that start and stop.
import { anthropic } from '../../../lib/providers/anthropic/vendor.ts';
import type { Dialect } from '../vendor-scenes.ts';

export const KEY = { variable: 'ANTHROPIC_API_KEY', fromVariable: () => 'planted-anthropic-key' };

export const event = (value: { readonly type: string; readonly [member: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

export const start = (usage: object = { input_tokens: 11, output_tokens: 1 }) =>
  event({
    type: 'message_start',
    message: { id: 'm1', type: 'message', role: 'assistant', content: [], model: 'test', stop_reason: null, usage },
  });
export const block = (index: number, content_block: object, ...deltas: readonly object[]) =>
  [
    event({ type: 'content_block_start', index, content_block }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ].join('');
export const stop = (stop_reason: string, usage: object = { output_tokens: 7 }) =>
  event({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }) +
  event({ type: 'message_stop' });

export const messages: Dialect = {
  vendor: (url) => anthropic({ baseUrl: `${url}/v1`, key: KEY }),
  answerPath: '/v1/messages',
  models: {
    '/v1/models?limit=1000': {
      data: [
        { id: 'claude-sonnet-4-5', type: 'model', max_input_tokens: 200_000 },
        { id: 'claude-haiku-4-5', type: 'model' },
      ],
    },
  },
  begin: start() + event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  says: (text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: event({ type: 'content_block_stop', index: 0 }) + stop('end_turn'),
  fails: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  missing: { status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'model: test' } } },
};
