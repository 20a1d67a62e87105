// What every plan for the settings of another program asks about this machine.
import { readSettingsFile, type SettingsFile } from '../../agent-config/settings-file.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

/** A place that cannot be looked at counts as missing. */
export function exists({ fileSystem }: App, path: string): boolean {
  try {
    return fileSystem.stat(path) !== undefined;
  } catch {
    return false;
  }
}

/** A file of another program. @throws OllmError CONFIG_INVALID, IO_FAILED */
export function readForeignSettings(app: App, path: string): SettingsFile {
  const { home } = foreignPorts(app).surroundings;
  return readSettingsFile(app.fileSystem, path, { home, uid: app.process.uid });
}

/** What another program has to set for this ollm: some give the programs that they start few of their own variables. */
export function ownVariables({ env, paths }: App): Readonly<Record<string, string>> {
  return env.OLLM_HOME ? { OLLM_HOME: paths.home } : {};
}
