// The parameters of a path.
import type { ParameterName } from './parameters.ts';

/** The names in `{}`. */
export function parametersIn(path: string): ParameterName[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as ParameterName);
}
