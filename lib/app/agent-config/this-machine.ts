// What every plan for the settings of another program asks about this machine.
import type { App } from '../app.ts';

/** A place that cannot be looked at counts as missing. */
export function exists({ fileSystem }: App, path: string): boolean {
  try {
    return fileSystem.stat(path) !== undefined;
  } catch {
    return false;
  }
}

/** What another program has to set for this ollm: some give the programs that they start few of their own variables. */
export function ownVariables({ env, paths }: App): Readonly<Record<string, string>> {
  return env.OLLM_HOME ? { OLLM_HOME: paths.home } : {};
}
