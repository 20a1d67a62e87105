// Directories in which sessions may be started.
import { route } from './route.ts';
import { listOf, PATH_PATTERN, shape } from './schema.ts';

const group = 'Workspaces';

export const WORKSPACE_ROUTES = [
  route({
    name: 'listWorkspaces',
    method: 'GET',
    path: '/api/llm/workspaces',
    group,
    does: 'Directories in which sessions may be started.',
    answer: { type: 'object', required: ['workspaces'], properties: { workspaces: listOf(shape('Workspace')) } },
    errors: [],
  }),
  route({
    name: 'openWorkspace',
    method: 'POST',
    path: '/api/llm/workspaces',
    group,
    does: 'Allow one, permanently: for `ollm open`, with the token.',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['path'],
      properties: { path: { type: 'string', minLength: 1, maxLength: 4096, pattern: PATH_PATTERN } },
    },
    answer: shape('Workspace'),
    status: 201,
    errors: ['INVALID_REQUEST_BODY', 'TOKEN_REQUIRED', 'WORKSPACE_NOT_ALLOWED'],
  }),
] as const;
