// What can answer, and sessions that it answers in.
import { route } from './route.ts';
import { listOf, shape } from './schema.ts';

const group = 'Providers';

export const PROVIDER_ROUTES = [
  route({
    name: 'listProviders',
    method: 'GET',
    path: '/api/llm/providers',
    group,
    does: 'What can answer in a session that is started here.',
    answer: { type: 'object', required: ['providers'], properties: { providers: listOf(shape('Provider')) } },
    errors: [],
  }),
  route({
    name: 'listModels',
    method: 'GET',
    path: '/api/llm/providers/{provider}/models',
    group,
    does: 'The models that it can run now.',
    answer: {
      type: 'object',
      required: ['models', 'unreachable'],
      properties: {
        models: listOf(shape('Model')),
        unreachable: listOf({
          type: 'object',
          required: ['answerer', 'code', 'message'],
          properties: { answerer: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
        }),
      },
    },
    errors: ['INVALID_PARAMETER', 'UNSUPPORTED_PROVIDER'],
  }),
] as const;
