// `ollm agents --mcp` after the yes: the planned changes, each file as a whole. The file as it was is kept before that.
import { isOllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import { changeSettingsFile } from './change-settings-file.ts';
import type { ServerPlan, ServerRow } from './server-plan.ts';

/** A row after the change: `kept` is where the file as it was is; undefined if there was none. */
export type ChangedServer = ServerRow & { readonly kept: string | undefined };

/**
 * Makes the change of one plan. A change that fails is a row with the state `refused`, and the file is as it was.
 *
 * @example
 * for (const plan of await planServers(app, { program: ['ollm'] })) console.log(await changeServer(app, plan));
 */
export async function changeServer(app: App, { row, change }: ServerPlan): Promise<ChangedServer> {
  if (change === undefined) return { ...row, kept: undefined };
  try {
    return { ...row, kept: await changeSettingsFile(app, { name: row.name, ...change }) };
  } catch (error) {
    if (!isOllmError(error)) throw error;
    return { ...row, state: 'refused', reason: error.message, kept: undefined };
  }
}
