// The secrets that a run knows by their values.
import { secretValuesOf } from '../environment/secret-values.ts';
import { variablesIn } from '../environment/text-variables.ts';
import type { ConfigEnvironment, ResolvedConfig } from './types.ts';

export function configuredSecrets({ mcp, runs }: ResolvedConfig, env: ConfigEnvironment): string[] {
  // A variable that a server's token is in need not be called like one.
  const tokens = Object.values(mcp.servers ?? {})
    .flatMap(({ tokenEnv, url = '' }) => [...(tokenEnv ? [tokenEnv] : []), ...variablesIn(url)])
    .flatMap((name) => env[name] || []);
  const ofAgents = Object.values(runs).flatMap(
    (each) => (typeof each === 'object' && secretValuesOf(each.env ?? {})) || [],
  );
  return [...secretValuesOf(env), ...tokens, ...ofAgents];
}
