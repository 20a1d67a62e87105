// Directories in which sessions may be started.
import { routesOf } from './route.ts';
import { listOf, object, path, shape, strictObject } from './schema.ts';

const route = routesOf('Workspaces');

export const WORKSPACE_ROUTES = [
  route('listWorkspaces', 'GET /api/llm/workspaces', {
    does: 'Directories in which sessions may be started.',
    answer: object({ workspaces: listOf(shape('Workspace')) }),
  }),
  route('openWorkspace', 'POST /api/llm/workspaces', {
    does: 'Allow one, permanently: for `ollm open`, with the token.',
    body: strictObject({ path: { ...path(), minLength: 1 } }),
    answer: shape('Workspace'),
    status: 201,
    errors: ['TOKEN_REQUIRED', 'WORKSPACE_NOT_ALLOWED'],
  }),
] as const;
