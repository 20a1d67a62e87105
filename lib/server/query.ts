// Members of a query that several routes have.
import { AGENT_NAMES } from '../agents/registry.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import { ApiFailure } from './failure.ts';

/** @throws ApiFailure UNSUPPORTED_PROVIDER: there is no such program */
export function requireProvider(name: string | undefined): void {
  const names: readonly string[] = [OWN_AGENT, ...AGENT_NAMES];
  if (name === undefined || names.includes(name)) return;
  throw new ApiFailure('UNSUPPORTED_PROVIDER', `“${name}” is not a provider.`, { providers: names });
}

/** Milliseconds since 1970. @throws ApiFailure INVALID_QUERY */
export function timeIn(name: string, text: string): number {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  throw new ApiFailure('INVALID_QUERY', `“${name}” is not a time: write it like 2026-11-21T20:49:00Z.`);
}
