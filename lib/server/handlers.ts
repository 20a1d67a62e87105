// Every route of the table with what answers it. The compiler sees that none is missing.

import { assetHandlers } from './assets.ts';
import type { Handlers } from './context.ts';
import { providerHandlers } from './providers.ts';
import { searchHandlers } from './search.ts';
import { serviceHandlers } from './service.ts';
import { sessionHandlers } from './sessions.ts';

export const HANDLERS: Handlers = {
  ...sessionHandlers,
  ...searchHandlers,
  ...providerHandlers,
  ...assetHandlers,
  ...serviceHandlers,
};
