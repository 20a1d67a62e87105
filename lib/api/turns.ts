// Turns of ollm's own sessions: begin, queue, stop, take back, make room, fork, name.
import { routesOf } from './route.ts';
import { eventNumber, flag, listOf, object, optional, options, path, shape, strictObject, text } from './schema.ts';

const route = routesOf('Turns');

export const TURN_ERRORS = [
  'PROMPT_REQUIRED',
  'INVALID_IMAGE_PATHS',
  'INVALID_RUNTIME_PERMISSION_MODE',
  'ASSET_NOT_FOUND',
  'QUEUE_FULL',
  'UNATTENDED_NOT_ALLOWED',
  'POLICY_DENIED',
  'SESSION_EXISTS',
] as const;

/** The parts of a prompt. */
export const prompt = {
  prompt: { type: 'string', maxLength: 1_000_000 },
  model: { type: 'string', maxLength: 200, description: 'Answers from this turn on.' },
  answerer: { type: 'string', maxLength: 64, description: 'Which provider of ollm answers, such as `ollama`.' },
  thinkingMode: { type: 'string', maxLength: 20, description: '`off`, `low`, `medium`, `high` or `max`.' },
  assets: {
    type: 'array',
    maxItems: 20,
    items: { type: 'string', maxLength: 64 },
    description: 'Hashes of images that were sent.',
  },
  imagePaths: {
    type: 'array',
    maxItems: 20,
    items: path(),
    description: 'Files, in the workspace or among the assets.',
  },
  runtimePermissionMode: {
    type: 'string',
    maxLength: 20,
    description: '`ask` puts questions, `deny` denies without one. `allow` needs `server.allowUnattended`.',
  },
  allowYolo: flag('The same as `allow`.'),
  toolMode: {
    enum: ['ask', 'plan', 'edits', 'auto'],
    description: 'What tools do without a question, from this turn on, as `--mode` and `/mode` say it.',
  },
} as const;

export const nextTurn = {
  ...prompt,
  insteadOf: eventNumber(
    'Any event of a turn that this one takes the place of: that one and what followed are aside then, and can be gone back to. Without a prompt the same is said again.',
  ),
} as const;

export const newSession = {
  ...prompt,
  workspacePath: path('Where the session works. Default: where the server does.'),
  name: { type: 'string', maxLength: 200, description: 'Becomes its id and its title.' },
} as const;

export const TURN_ROUTES = [
  route('startSession', 'POST /api/llm/sessions', {
    does: 'Make a session, and begin its first turn.',
    body: options(newSession),
    maxBodyBytes: 8 * 1024 * 1024,
    answer: shape('Accepted'),
    status: 202,
    writes: true,
    errors: [...TURN_ERRORS],
  }),
  route('takeTurn', 'POST /api/llm/sessions/{id}/turns', {
    does: 'The next turn. It waits in the queue while one runs. A session of another program continues in a fork of its import.',
    body: options(nextTurn),
    maxBodyBytes: 8 * 1024 * 1024,
    answer: shape('Accepted'),
    status: 202,
    writes: true,
    guests: 'who take part',
    errors: ['SESSION_BUSY', 'NOT_OURS', 'SEQ_NOT_FOUND', ...TURN_ERRORS],
  }),
  route('stopTurn', 'POST /api/llm/sessions/{id}/stop', {
    does: 'Cancel the turn that runs. The queue continues.',
    answer: object({
      sessionId: text(),
      stopped: flag('Whether one ran.'),
    }),
    writes: true,
  }),
  route('undoTurn', 'POST /api/llm/sessions/{id}/undo', {
    does: 'Take back the last turn. What was said in it comes back.',
    answer: object({ undone: flag(), text: optional(text()) }),
    writes: true,
    errors: ['SESSION_BUSY'],
  }),
  route('revertFiles', 'POST /api/llm/sessions/{id}/revert', {
    does: 'Put files back that tools of the session changed, each exactly as `changes` showed it. What has changed since is refused.',
    body: strictObject({
      files: {
        type: 'array',
        minItems: 1,
        maxItems: 500,
        items: strictObject({
          path: { type: 'string', maxLength: 4096 },
          hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        }),
      },
    }),
    answer: object({
      files: listOf(
        object({
          path: text(),
          shown: text(),
          outcome: { enum: ['restored', 'made', 'removed', 'same', 'refused'] },
          reason: optional(text('Why it was refused.')),
        }),
      ),
    }),
    writes: true,
    errors: ['SESSION_BUSY', 'USAGE'],
  }),
  route('returnToBranch', 'POST /api/llm/sessions/{id}/branch', {
    does: 'Go back to an undone part: the conversation continues after that event, and the later part is set aside.',
    body: strictObject({
      seq: eventNumber('An event that was undone.'),
    }),
    answer: object({
      head: { type: 'integer', description: 'The event that the conversation continues after.' },
    }),
    writes: true,
    errors: ['NOT_OURS', 'SESSION_BUSY', 'SEQ_NOT_FOUND'],
  }),
  route('importSession', 'POST /api/llm/sessions/{id}/import', {
    does: 'Copy a session of another program into a journal here, with its source, or bring that copy up to date.',
    answer: object({ sessionId: text('Id of the journal.') }),
    writes: true,
    errors: ['SESSION_EXISTS'],
  }),
  route('continueIn', 'POST /api/llm/sessions/{id}/continue-in', {
    does: 'Write a session of any program as one of another program, which continues with it. No program is started.',
    body: strictObject({
      to: { enum: ['claude', 'codex', 'copilot', 'cursor', 'gemini', 'opencode', 'pi', 'qwen'] },
      whole: optional(flag('Also the messages that a compaction covers, in place of its summary.')),
    }),
    answer: object({
      address: text('Of the new session.'),
      path: text('Of its file.'),
      command: text('The line for a shell that continues with it.'),
      lines: listOf(text('The parts that are carried, left out and changed.')),
      notes: listOf(text()),
    }),
    writes: true,
  }),
  route('compactSession', 'POST /api/llm/sessions/{id}/compact', {
    does: 'Make room in the window of the model now.',
    answer: object({
      seq: optional({ type: 'integer', description: 'Absent: there was nothing to make room with.' }),
      tokensBefore: optional({ type: 'integer' }),
      tokensAfter: optional({ type: 'integer' }),
    }),
    writes: true,
    errors: ['SESSION_BUSY', 'CONTEXT_TOO_SMALL', 'COMPACTION_FAILED'],
  }),
  route('forkSession', 'POST /api/llm/sessions/{id}/fork', {
    does: 'A new session that begins as this one did.',
    body: options({
      at: eventNumber('The last event that comes along.'),
      name: { type: 'string', maxLength: 200 },
    }),
    answer: object({ sessionId: text(), at: { type: 'integer' } }),
    status: 201,
    writes: true,
    errors: ['SESSION_EXISTS'],
  }),
  route('renameSession', 'PUT /api/llm/sessions/{id}/rename', {
    does: 'Call a session something else. What one of another program is called is noted here; its file stays as it is.',
    body: options({ summary: text('1 to 200 characters.') }),
    answer: object({ sessionId: text(), summary: text() }),
    writes: true,
    errors: ['SUMMARY_REQUIRED', 'SUMMARY_TOO_LONG'],
  }),
  route('getActivity', 'GET /api/llm/sessions/{id}/activity', {
    does: 'What the server does with a session, and which prompts wait.',
    answer: object({
      activity: shape('Activity'),
      queue: listOf(shape('QueuedPrompt')),
      holder: optional(
        object('The other process that has it open for writing, as far as that is known.', {
          pid: optional({ type: 'integer' }),
          command: optional(text()),
          since: optional(text('RFC 3339.')),
        }),
      ),
    }),
  }),
  route('editPrompt', 'PATCH /api/llm/sessions/{id}/queue/{promptId}', {
    does: 'Change a prompt that waits.',
    body: strictObject({ text: { type: 'string', minLength: 1, maxLength: 1_000_000 } }),
    maxBodyBytes: 8 * 1024 * 1024,
    answer: shape('QueuedPrompt'),
    writes: true,
    errors: ['PROMPT_NOT_FOUND'],
  }),
  route('removePrompt', 'DELETE /api/llm/sessions/{id}/queue/{promptId}', {
    does: 'Take a prompt out that waits.',
    answer: shape('QueuedPrompt'),
    writes: true,
    errors: ['PROMPT_NOT_FOUND'],
  }),
  route('handOver', 'POST /api/llm/sessions/{id}/hand-over', {
    does: 'Give up a session that another process wants to write, such as `ollm repl --resume`; with `wait` after the turn that runs.',
    body: options({ wait: { type: 'boolean', default: false } }),
    answer: object({ kind: { enum: ['free', 'busy'] }, activity: optional(shape('Activity')) }),
    writes: true,
    errors: ['TOKEN_REQUIRED'],
  }),
] as const;
