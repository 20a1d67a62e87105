// The handler of every route of the table. The compiler sees that none is missing.
import { assetHandlers } from './assets.ts';
import type { Handlers } from './context.ts';
import { eventHandlers } from './events.ts';
import { mcpServerHandlers } from './mcp-servers.ts';
import { overviewHandlers } from './overview.ts';
import { providerHandlers } from './providers.ts';
import { questionHandlers } from './questions.ts';
import { searchHandlers } from './search.ts';
import { serviceHandlers } from './service.ts';
import { sessionHandlers } from './sessions.ts';
import { skillHandlers } from './skills.ts';
import { turnHandlers } from './turns.ts';
import { workspaceHandlers } from './workspaces.ts';

export const HANDLERS: Handlers = {
  ...sessionHandlers,
  ...turnHandlers,
  ...questionHandlers,
  ...eventHandlers,
  ...overviewHandlers,
  ...searchHandlers,
  ...providerHandlers,
  ...mcpServerHandlers,
  ...skillHandlers,
  ...assetHandlers,
  ...workspaceHandlers,
  ...serviceHandlers,
};
