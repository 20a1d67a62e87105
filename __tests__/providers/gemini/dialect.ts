// How Gemini writes an answer: whole documents as events, the last of which says why it ended.
import { gemini } from '../../../lib/providers/gemini/vendor.ts';
import type { Dialect } from '../vendor-scenes.ts';

export const KEY = { variable: 'GEMINI_API_KEY', fromVariable: () => 'planted-gemini-key' };

export const event = (value: unknown) => `data: ${JSON.stringify(value)}\r\n\r\n`;
export const parts = (list: readonly object[], more: object = {}) =>
  event({ candidates: [{ content: { role: 'model', parts: list }, index: 0, ...more }] });
export const ended = (usageMetadata: object = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 }) =>
  event({ candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }], usageMetadata });

export const generateContent: Dialect = {
  vendor: (url) => gemini({ baseUrl: `${url}/v1beta`, key: KEY }),
  answerPath: '/v1beta/models/test:streamGenerateContent?alt=sse',
  models: {
    '/v1beta/models?pageSize=1000': {
      models: [
        {
          name: 'models/gemini-2.5-flash',
          inputTokenLimit: 1_048_576,
          supportedGenerationMethods: ['generateContent'],
        },
        { name: 'models/gemini-embedding-001', supportedGenerationMethods: ['embedContent'] },
      ],
    },
  },
  says: (text) => parts([{ text }]),
  end: ended(),
  fails: event({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  missing: {
    status: 404,
    body: { error: { code: 404, message: 'models/test is not found for API version v1beta', status: 'NOT_FOUND' } },
  },
};
