// The secrets that a run knows by their values.
import type { ResolvedConfig } from '../../config/types.ts';
import { secretValuesOf } from '../../environment/secret-values.ts';
import type { Environment } from '../app.ts';

export function configuredSecrets({ mcp, runs }: ResolvedConfig, env: Environment): string[] {
  // A variable that a server's token is in need not be called like one.
  const tokens = Object.values(mcp.servers ?? {}).flatMap(({ tokenEnv }) => (tokenEnv && env[tokenEnv]) || []);
  const ofAgents = Object.values(runs).flatMap(
    (each) => (typeof each === 'object' && secretValuesOf(each.env ?? {})) || [],
  );
  return [...secretValuesOf(env), ...tokens, ...ofAgents];
}
