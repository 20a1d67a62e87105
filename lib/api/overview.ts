// A whole conversation from afar: what a page shows before it has read its events.
import { routesOf } from './route.ts';
import { count, flag, listOf, object, optional, strictObject, text, time } from './schema.ts';

const route = routesOf('Sessions');
const seq = { type: 'integer', minimum: 0 } as const;

export const OVERVIEW_ROUTES = [
  route('getOutline', 'GET /api/llm/sessions/{id}/outline', {
    does: 'The prompts, compactions and undone stretches of a session, and a map of it.',
    answer: object({
      head: { type: 'integer', minimum: -1, description: 'seq of the newest event; −1 where there is none.' },
      prompts: listOf(
        object({
          seq,
          ts: optional(time),
          text: text('At most 200 characters.'),
          isUndone: optional({ const: true }),
        }),
      ),
      versions: listOf({
        ...listOf(
          object({
            seq,
            last: { ...seq, description: 'The last event of what followed it: `branch` takes it, to go back to it.' },
          }),
        ),
        description: 'Prompts that were said in the place of one another.',
      }),
      compactions: listOf(
        object({
          seq,
          tokensBefore: { type: 'number' },
          tokensAfter: { type: 'number' },
        }),
      ),
      undone: listOf(object('Events that the model no longer sees. Both ends belong to it.', { from: seq, to: seq })),
      damage: listOf(
        object({
          after: { type: 'integer', minimum: -1, description: 'seq of the event before it.' },
          kind: text(),
          offset: count,
          length: { ...count, description: 'Bytes.' },
          reason: text(),
        }),
      ),
      map: listOf(
        object('At most 225 rows, each for `perRow` events.', {
          kind: { enum: ['other', 'tool', 'reply', 'prompt', 'compaction'] },
          length: { type: 'number', minimum: 0, maximum: 1 },
          failed: optional({
            type: 'number',
            minimum: 0,
            maximum: 1,
            description: 'Which share of its calls failed, where one did.',
          }),
        }),
      ),
      perRow: { type: 'integer', minimum: 1 },
      window: object('What the model is sent next.', {
        tokens: { ...count, description: 'As reported, else estimated.' },
        limit: optional({ ...count, description: 'Tokens that the model takes in, where known.' }),
      }),
    }),
    guests: 'all',
  }),
  route('getBytes', 'GET /api/llm/sessions/{id}/bytes', {
    does: 'A few bytes of the file of a session as they are stored, such as those of a damaged place.',
    query: strictObject({
      offset: { ...count, maximum: 1_000_000_000_000 },
      length: optional({ type: 'integer', minimum: 1, maximum: 4096, default: 64 }),
    }),
    answer: object({
      offset: count,
      bytes: text('Base64; fewer than were asked for where the file ends before.'),
    }),
    errors: ['USAGE', 'JOURNAL_UNREADABLE'],
  }),
  route('findInSession', 'GET /api/llm/sessions/{id}/find', {
    does: 'The events of a session that contain a text, in upper or lower case: at most 2,000.',
    query: strictObject({ q: { type: 'string', minLength: 1, maxLength: 1000 } }),
    answer: object({
      places: { ...listOf(seq), description: 'Of a call the event of its request.' },
      isCut: flag('There are more.'),
    }),
    guests: 'all',
  }),
  route('getChanges', 'GET /api/llm/sessions/{id}/changes', {
    does: 'The files that calls of a session changed, each as one difference, with the call that wrote each added line.',
    answer: object({
      sessionId: text(),
      files: listOf(
        object({
          path: text(),
          shown: text('From the directory of the session on.'),
          diff: text('A unified diff; empty where nothing is left or known of it.'),
          addedLines: count,
          removedLines: count,
          from: {
            enum: ['disk', 'calls'],
            description:
              '`disk`: from before the session to the file as it is now. `calls`: as the arguments of the calls say.',
          },
          authors: listOf({
            type: 'integer',
            minimum: -1,
            description: 'For each added line, in order: seq of the call that wrote it; −1 where none did.',
          }),
          calls: listOf(seq),
          revert: optional(
            object('The effect of putting it back. Absent for sessions of other programs.', {
              effect: { enum: ['restore', 'make', 'remove', 'same', 'refuse'] },
              reason: optional(text()),
              hash: text('`revert` takes it.'),
            }),
          ),
        }),
      ),
      calls: listOf(
        object({
          seq,
          tool: text(),
          at: optional(time),
          prompt: optional(object({ seq, text: text('At most 200 characters.') })),
          decision: optional(
            object({
              decision: { enum: ['allow', 'deny'] },
              by: { enum: ['policy', 'user', 'grant', 'agent', 'import'] },
              rule: optional(text()),
            }),
          ),
        }),
      ),
      opaque: { ...count, description: 'Calls of programs, which may have changed files too.' },
    }),
  }),
  route('getSteps', 'GET /api/llm/sessions/{id}/steps', {
    does: 'The course of a session in short steps with their times: for a player, a waterfall of a turn, a comparison.',
    answer: object({
      sessionId: text(),
      model: optional(text()),
      window: optional({ ...count, description: 'Tokens that the model takes in, where known.' }),
      isCut: flag('Only the newest steps are here.'),
      steps: listOf(
        object({
          seq,
          kind: { enum: ['prompt', 'reply', 'request', 'call', 'compaction', 'end'] },
          at: optional(time),
          turn: optional(count),
          text: text('At most 200 characters; of a request the model.'),
          tool: optional(text()),
          decidedAt: optional(time),
          decidedBy: optional({ enum: ['policy', 'user', 'grant', 'agent', 'import'] }),
          startedAt: optional(time),
          endedAt: optional(time),
          status: optional(text('How a call or a turn ended.')),
          files: optional(listOf(text())),
          plan: optional(
            listOf(
              object({
                content: text(),
                status: { enum: ['pending', 'in_progress', 'completed'] },
              }),
            ),
          ),
          input: optional({ ...count, description: 'Tokens of a request; of a compaction those after it.' }),
          output: optional({ ...count, description: 'Tokens of an answer; of a compaction those before it.' }),
          cost: optional({ type: 'number', description: 'US dollars, where a price is known.' }),
          retries: optional(count),
          undone: optional({ const: true }),
        }),
      ),
    }),
  }),
] as const;
