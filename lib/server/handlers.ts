// Every route of the table with what answers it. The compiler sees that none is missing.
import type { Handlers } from './context.ts';
import { serviceHandlers } from './service.ts';
import { sessionHandlers } from './sessions.ts';

export const HANDLERS: Handlers = { ...sessionHandlers, ...serviceHandlers };
