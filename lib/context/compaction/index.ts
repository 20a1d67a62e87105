// The strategies there are.
import { hybrid } from './hybrid.ts';
import type { CompactionStrategy, Strategy } from './strategy.ts';
import { summarize } from './summarize.ts';
import { truncate } from './truncate.ts';

export const STRATEGIES: Readonly<Record<CompactionStrategy, Strategy>> = { summarize, truncate, hybrid };
