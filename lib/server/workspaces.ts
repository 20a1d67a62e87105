// Directories in which sessions may be started.
import type { WORKSPACE_ROUTES } from '../api/workspaces.ts';
import type { Handlers, NamesOf } from './context.ts';
import { ApiFailure } from './failure.ts';

export const workspaceHandlers: Handlers<NamesOf<typeof WORKSPACE_ROUTES>> = {
  async listWorkspaces({ context }) {
    return { workspaces: await context.host.workspaces.list() };
  },

  async openWorkspace({ body, context, hasToken }) {
    if (!hasToken) throw new ApiFailure('TOKEN_REQUIRED', 'A directory is allowed at the machine: "ollm open".');
    return context.host.workspaces.open(body.path);
  },
};
