// Directories in which sessions may be started.
import { routesOf } from './route.ts';
import { listOf, object, PATH_PATTERN, shape, strictObject } from './schema.ts';

const route = routesOf('Workspaces');

export const WORKSPACE_ROUTES = [
  route('listWorkspaces', 'GET /api/llm/workspaces', {
    does: 'Directories in which sessions may be started.',
    answer: object({ workspaces: listOf(shape('Workspace')) }),
  }),
  route('openWorkspace', 'POST /api/llm/workspaces', {
    does: 'Allow one, permanently: for `ollm open`, with the token.',
    body: strictObject({ path: { type: 'string', minLength: 1, maxLength: 4096, pattern: PATH_PATTERN } }),
    answer: shape('Workspace'),
    status: 201,
    errors: ['TOKEN_REQUIRED', 'WORKSPACE_NOT_ALLOWED'],
  }),
] as const;
