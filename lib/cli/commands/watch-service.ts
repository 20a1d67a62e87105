// `ollm watch --install`, `--uninstall` and `--print-unit`: the watch as a service of the user.
import type { WatchService } from '../../app/import/watch-service.ts';
import { printableLine } from '../../display/printable.ts';
import { confirm } from '../confirm.ts';
import type { Shell } from '../shell.ts';
import { flagsOfPlaces, NODE, SCRIPT } from './own-words.ts';

interface ServiceOptions {
  readonly install: boolean | undefined;
  readonly uninstall: boolean | undefined;
  readonly yes: boolean | undefined;
}

const UNDONE_EXIT = 1;

/** Without a wish, the file is printed. Answers with the exit code: 1 if the user said no. */
export async function watchServiceCommand(shell: Shell, { install, uninstall, yes }: ServiceOptions): Promise<number> {
  const { output } = shell;
  const app = await shell.openApp('watch', { changeNothing: !install });
  const { installService, removeService, watchService } = await import('../../app/import/watch-service.ts');
  const { readForeignSettings } = await import('../../app/agent-config/this-machine.ts');
  const service = await watchService(app, {
    node: NODE,
    script: SCRIPT,
    flags: flagsOfPlaces(shell, app),
  });
  const { path, text } = service;
  const shown = printableLine(path);
  if (!install && !uninstall) {
    await output.write(text);
    return 0;
  }
  const file = readForeignSettings(app, path);
  const isThere = file.mode !== undefined;
  const report = async (state: string, sentence: string): Promise<number> => {
    if (output.json) await output.document({ path, state });
    else await output.line(sentence);
    return 0;
  };
  if (uninstall) {
    if (!isThere) return report('absent', `There is no ${shown}.`);
    const warning = `The service of ${shown} will be stopped and removed. What it imported stays.`;
    if (!(await confirm(shell, { warning, reversible: false, yes }))) return UNDONE_EXIT;
    await removeService(app, service);
    return report('removed', `Stopped and removed: ${shown}`);
  }
  if (!yes && !output.json && file.text !== text) {
    const { shownChange } = await import('../../app/agent-config/shown-change.ts');
    const before = isThere ? file.text : undefined;
    await output.line(await shownChange(app, { path: path.replace(/^\//, ''), before, after: text }));
  }
  tellUnset(shell, service);
  const warning = `A service will import sessions of other programs from now on, and after each login: ${shown}`;
  if (!(await confirm(shell, { warning, reversible: false, yes }))) return UNDONE_EXIT;
  await installService(app, service, file);
  return report('running', `It runs: ${shown}`);
}

function tellUnset({ output }: Shell, { unset }: WatchService): void {
  if (unset.length === 0) return;
  output.warn(`The service does not get ${unset.join(', ')}: "ollm config set" keeps a setting for it.`);
}
