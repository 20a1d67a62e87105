// `list_sessions`: sessions of every program, newest first.
import { AGENT_NAMES } from '../agents/registry.ts';
import type { App } from '../app/app.ts';
import { listAll } from '../app/list/list-all.ts';
import type { SessionRow } from '../app/list/session-row.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import { printableLine } from '../display/printable.ts';
import { countOf, formatTime } from '../display/quantities.ts';
import type { ServedScope } from './client-scope.ts';
import { limitSchema, type ServedTool, SINCE_DAYS_SCHEMA, sinceOf } from './served-tool.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

export const AGENT_SCHEMA = {
  type: 'string',
  enum: [OWN_AGENT, ...AGENT_NAMES],
  description: 'Only sessions of this program.',
};

export function listTool(app: App, { project }: ServedScope): ServedTool {
  return {
    name: 'list_sessions',
    title: 'List sessions',
    description:
      'Lists stored conversations with coding agents, newest first: address, last activity, messages, title. ' +
      'read_session reads one by its address.',
    parameters: {
      type: 'object',
      properties: {
        agent: AGENT_SCHEMA,
        since_days: SINCE_DAYS_SCHEMA,
        limit: limitSchema(MAX_LIMIT, DEFAULT_LIMIT),
      },
      additionalProperties: false,
    },
    async run({ agent, since_days: days, limit = DEFAULT_LIMIT }, signal) {
      const { rows, unreadable } = await listAll(app, {
        agent: agent as string | undefined,
        project,
        sinceMs: sinceOf(days, app.clock.now()),
        limit: limit as number,
        signal,
      });
      const notes = unreadable.map(({ path, reason }) => `${path} ${reason}`);
      const none = rows.length === 0 ? ['There is no such session.'] : [];
      return { quoted: rows.map(lineOf).join('\n'), notes: [...none, ...notes] };
    },
  };
}

function lineOf({ address, lastActivity, messageCount, title, project }: SessionRow): string {
  const cells = [
    address,
    lastActivity === undefined ? '' : formatTime(lastActivity),
    messageCount === undefined ? '' : countOf(messageCount, 'message'),
    project ?? '',
    title ?? '',
  ];
  return cells
    .filter((cell) => cell !== '')
    .map(printableLine)
    .join(' · ');
}
