// `search_sessions`: messages, calls and outputs with these words, best first.
import type { App } from '../app/app.ts';
import { marksOf, meantIn, whatOf } from '../app/sessions/read/hit-words.ts';
import { type SearchHit, type SearchRequest, searchSessions } from '../app/sessions/read/search-sessions.ts';
import { printableLine } from '../display/printable.ts';
import { formatTime } from '../display/quantities.ts';
import { catchUp } from './catch-up.ts';
import type { ServedScope } from './client-scope.ts';
import { AGENT_SCHEMA } from './list-tool.ts';
import { limitSchema, type ServedTool, SINCE_DAYS_SCHEMA, sinceOf } from './served-tool.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
const MAX_CHARACTERS = 1000;

export function searchTool(app: App, { project }: ServedScope): ServedTool {
  return {
    name: 'search_sessions',
    title: 'Search sessions',
    description:
      'Finds messages, tool calls and outputs of stored conversations with coding agents, and conversations by their ' +
      'title, best first, each with the address that read_session takes. Those with all of the words come first; where ' +
      'these are few, those with most of them follow, marked as near.',
    parameters: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_CHARACTERS,
          description:
            'Words; "a phrase", begin*, -not. agent:claude, since:2w, tool:bash, title:WORD ' +
            'and path:FILE narrow it, also without words.',
        },
        agent: AGENT_SCHEMA,
        role: { type: 'string', enum: ['user', 'assistant', 'tool', 'system'], description: 'Only what it said.' },
        since_days: SINCE_DAYS_SCHEMA,
        limit: limitSchema(MAX_LIMIT, DEFAULT_LIMIT),
      },
      required: ['query'],
      additionalProperties: false,
    },
    async run({ query, agent, role, since_days: days, limit = DEFAULT_LIMIT }, signal) {
      const missing = await catchUp(app, signal);
      const request: SearchRequest = {
        text: query as string,
        agent: agent as string | undefined,
        role: role as SearchRequest['role'],
        project,
        sinceMs: sinceOf(days, app.clock.now()),
        limit: limit as number,
      };
      const answer = await searchSessions(app, request, { signal });
      const { hits, isCut, leftOut } = answer;
      const more = isCut ? ['There is more: a larger limit shows it.'] : [];
      const none = hits.length === 0 ? ['No message, call or output has most of these words.'] : [];
      const late = missing === undefined ? [] : [missing];
      return {
        quoted: hits.map(textOf).join('\n\n'),
        notes: [...none, ...meantIn(answer), ...more, ...late, ...leftOut],
      };
    },
  };
}

function textOf(hit: SearchHit): string {
  const { address, at, title, excerpt } = hit;
  const head = [address, at === undefined ? '' : formatTime(at), whatOf(hit), ...marksOf(hit), title ?? ''];
  return `[${head
    .filter((part) => part !== '')
    .map(printableLine)
    .join(' · ')}]\n${excerpt.text}`;
}
