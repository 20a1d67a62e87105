// The parameters in paths. What does not fit its pattern is refused before anything is looked for, so that no text of a
// request becomes a path.
import type { Schema } from './schema.ts';

const [MOST_AGENT, MOST_ID] = [32, 300];
/** The longest `agent:id`; an id of ollm's own is shorter. */
export const MOST_ADDRESS_CHARACTERS = MOST_AGENT + 1 + MOST_ID;

export const PARAMETERS = {
  id: {
    type: 'string',
    description: 'Id of a session, or `agent:id` of a session of another program, percent-encoded.',
    pattern: `^(?:[a-z0-9][a-z0-9-]{0,63}|[a-z][a-z0-9-]{0,${MOST_AGENT - 1}}:[^#\\u0000-\\u001f\\u007f]{1,${MOST_ID}})$`,
  },
  provider: { type: 'string', description: 'Such as `ollm`.', pattern: '^[a-z][a-z0-9-]{0,31}$' },
  promptId: { type: 'string', description: 'Of a prompt that waits.', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  linkName: { type: 'string', description: 'Of a link for guests.', pattern: '^[0-9a-f]{12}$' },
  questionId: { type: 'string', description: 'Of a question.', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  name: {
    type: 'string',
    description: 'Name of a server for MCP.',
    pattern: '^[^/\\u0000-\\u001f]{1,128}$',
  },
  hash: { type: 'string', description: 'sha256 of the content, 64 hexadecimal digits.', pattern: '^[0-9a-f]{64}$' },
} as const satisfies Readonly<Record<string, Schema & { readonly pattern: string }>>;

export type ParameterName = keyof typeof PARAMETERS;
