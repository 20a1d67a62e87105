// Providers of answers, which are ollm itself and other agents, and the sessions that they answer in.
import { routesOf } from './route.ts';
import { flag, listOf, object, optional, options, path, shape, strictObject, text } from './schema.ts';
import { newSession, prompt, TURN_ERRORS } from './turns.ts';

const route = routesOf('Providers');

const waiting = { enum: ['1', '0'], default: '0', description: '`1` waits for the end of the turn.' } as const;

const dollars = { type: 'number', minimum: 0, description: 'US dollars for a million tokens.' } as const;

/** Why an agent of another vendor does not begin, or go on. */
const AGENT_ERRORS = [
  ...['AGENT_NOT_INSTALLED', 'AGENT_TOO_OLD', 'AGENT_NOT_SIGNED_IN', 'AGENT_START_FAILED', 'WORKSPACE_NOT_TRUSTED'],
  ...['RUNTIME_PERMISSION_NOT_SUPPORTED', 'SANDBOX_REQUIRED', 'BUSY'],
] as const;

export const PROVIDER_ROUTES = [
  route('listProviders', 'GET /api/llm/providers', {
    does: 'What can answer in a session that is started here.',
    answer: object({ providers: listOf(shape('Provider')) }),
  }),
  route('listModels', 'GET /api/llm/providers/{provider}/models', {
    does: 'The models that it can run now; of an agent of another maker, those that it named when it ran last.',
    answer: object({
      models: listOf(shape('Model')),
      unreachable: listOf(
        object({
          answerer: text(),
          code: text(),
          message: text(),
        }),
      ),
    }),
  }),
  route('setKey', 'PUT /api/llm/key', {
    does: 'Store the key of a provider, in a file that only the user can read. It is used for the next request, and no route sends it back.',
    body: strictObject({
      answerer: { type: 'string', maxLength: 200 },
      key: { type: 'string', minLength: 1, maxLength: 8192, pattern: '^[\\x21-\\x7e]+$' },
    }),
    answer: object({
      answerer: text(),
      file: text('The file that holds it.'),
      overruledBy: optional(text('A variable that has a key too, which goes before the file.')),
    }),
    writes: true,
    errors: ['PROVIDER_UNKNOWN', 'PROVIDER_KEY', 'IO_FAILED'],
  }),
  route('setPrice', 'PUT /api/llm/price', {
    does: 'Set what a model costs, in the settings of the user. It counts for requests from now on, and in sums for those that have no price.',
    body: strictObject({
      model: { type: 'string', minLength: 1, maxLength: 200, description: 'Its name; `*` is for any characters.' },
      input: dollars,
      output: dollars,
      cachedInput: optional(dollars),
      cacheWrite: optional(dollars),
    }),
    answer: object({
      model: text(),
      file: text('The file that has it.'),
    }),
    writes: true,
    errors: ['CONFIG_INVALID', 'IO_FAILED'],
  }),
  route('listSnapshots', 'GET /api/llm/providers/{provider}/sessions', {
    does: 'Sessions that this server holds, or held since its start.',
    answer: object({ sessions: listOf(shape('Snapshot')) }),
  }),
  route('getSnapshot', 'GET /api/llm/providers/{provider}/sessions/{id}', {
    does: 'How a session is, and its last turn.',
    answer: shape('Snapshot'),
  }),
  route('startWith', 'POST /api/llm/providers/{provider}/sessions/start', {
    does: 'Make a session and begin its first turn; with `wait` the answer comes when it has ended.',
    query: options({ wait: waiting }),
    body: options({
      ...newSession,
      sessionId: {
        type: 'string',
        maxLength: 130,
        description:
          'Its id, which no session has, for Claude Code a UUID; or the address of a session, in which its agent goes on, or ollm in a fork.',
      },
      force: flag('Of an agent: go on with a session that another process may be working with.'),
    }),
    maxBodyBytes: 8 * 1024 * 1024,
    answer: shape('Snapshot'),
    status: 202,
    writes: true,
    errors: ['SESSION_NOT_FOUND', 'SESSION_BUSY', 'SESSION_ID_NOT_SUPPORTED', ...TURN_ERRORS, ...AGENT_ERRORS],
  }),
  route('resumeWith', 'POST /api/llm/providers/{provider}/sessions/{id}/resume', {
    does: 'The next turn of a session; with `wait` the answer comes when it has ended.',
    query: options({ wait: waiting }),
    body: options({
      ...prompt,
      workspacePath: path('The directory that the session was begun in; another one is refused.'),
      force: flag('Of an agent: go on with a session that another process may be working with.'),
    }),
    maxBodyBytes: 8 * 1024 * 1024,
    answer: shape('Snapshot'),
    status: 202,
    writes: true,
    errors: [...['SESSION_BUSY'], ...TURN_ERRORS, ...AGENT_ERRORS] as const,
  }),
  route('stopWith', 'POST /api/llm/providers/{provider}/sessions/{id}/stop', {
    does: 'Cancel the turn that runs.',
    answer: object({
      provider: text(),
      sessionId: text(),
      stopped: flag(),
    }),
    writes: true,
  }),
  route('setModel', 'PATCH /api/llm/providers/{provider}/sessions/{id}/model', {
    does: 'Which model answers from the next turn on.',
    body: options({ model: { type: 'string', maxLength: 200 }, answerer: { type: 'string', maxLength: 64 } }),
    answer: object({
      provider: text(),
      sessionId: text(),
      model: text(),
      answerer: text(),
    }),
    writes: true,
    errors: ['MODEL_REQUIRED', 'MODEL_NOT_FOUND', 'MODEL_SWITCH_NOT_SUPPORTED'],
  }),
  route('setThinking', 'PATCH /api/llm/providers/{provider}/sessions/{id}/thinking', {
    does: 'How much the model thinks from the next turn on.',
    body: options({ thinkingMode: { type: 'string', maxLength: 20 } }),
    answer: object({
      provider: text(),
      sessionId: text(),
      thinkingMode: text(),
    }),
    writes: true,
    errors: ['THINKING_MODE_REQUIRED', 'THINKING_MODE_NOT_SUPPORTED'],
  }),
] as const;
