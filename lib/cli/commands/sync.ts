// `ollm sync`: brings the texts of sessions into the catalogue, with progress.
import { type Command, Option } from 'commander';
import { countOf, formatCount } from '../../display/quantities.ts';
import { messageOf, OllmError } from '../../errors/index.ts';
import { isObject, parseJson } from '../../platform/json.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { progressDrawer } from '../progress-bar.ts';
import { readInput } from '../read-input.ts';
import type { Shell } from '../shell.ts';

const DAMAGE_EXIT = 4;
/** Sessions that are named one by one. */
const MAX_DAMAGED = 20;

/** A hook of a program with a time limit of 3 seconds waits no longer than that for another sync. */
const HOOK_PATIENCE_MS = 2_000;
const HOOK_PAUSE_MS = 100;
/** Not 2: a program would go on with its turn. */
const HOOK_FAILED_EXIT = 1;

interface Options {
  readonly hook?: boolean;
}

export function defineSync(program: Command, finish: Finish): void {
  const command = program
    .command('sync')
    .description('bring what all sessions say into the catalogue, also those of other programs, for "ollm search"')
    .argument('[path]', 'only this file, in which a program keeps sessions; a hook of that program may call it')
    .addOption(
      new Option(
        '--hook',
        'read the file name from the hook input of a program on standard input; exit only with 0 or 1',
      ),
    )
    .action(
      action<Options, [string | undefined]>(finish, async (shell, { hook }, path) => {
        if (!hook) return syncAndSay(shell, path);
        if (path !== undefined) throw new OllmError('USAGE', 'With --hook, the file is named on standard input.');
        return syncForHook(shell);
      }),
    );
  withExamples(command, [
    { line: 'ollm sync', does: 'read new parts; the first time, everything' },
    { line: 'ollm sync ~/.claude/projects/-work/5f3c.jsonl', does: 'the same of one file, immediately' },
    { line: 'ollm sync --hook', does: 'what "ollm agents --hooks" has other programs call after each turn' },
    { line: 'ollm sync --json', does: 'the same; counts and skipped sessions, as JSON' },
  ]);
}

/** Prints nothing on standard output, where a program would look for an answer. */
async function syncForHook(shell: Shell): Promise<number> {
  try {
    const given = parseJson(await readInput(shell.input));
    if (!isObject(given)) throw new OllmError('USAGE', 'Standard input is not a JSON object, as hooks get it.');
    const { transcript_path: path } = given;
    if (path === undefined || path === null) return 0;
    if (typeof path !== 'string') throw new OllmError('USAGE', 'The “transcript_path” of the hook is not text.');
    const app = await shell.openApp('sync', { asksNothing: true });
    const { syncSessions, unusableCatalog } = await import('../../app/import/sync-sessions.ts');
    const { systemSleep } = await import('../../platform/waiting.ts');
    const end = app.clock.monotonic() + HOOK_PATIENCE_MS;
    let outcome = await syncSessions(app, { path, signal: shell.signal });
    while (outcome.kind === 'busy' && app.clock.monotonic() < end) {
      await systemSleep(HOOK_PAUSE_MS, shell.signal);
      outcome = await syncSessions(app, { path, signal: shell.signal });
    }
    if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
    return 0;
  } catch (error) {
    shell.output.warn(messageOf(error));
    return HOOK_FAILED_EXIT;
  }
}

async function syncAndSay(shell: Shell, path: string | undefined): Promise<number> {
  const { output } = shell;
  const app = await shell.openApp('sync');
  const { syncSessions, unusableCatalog } = await import('../../app/import/sync-sessions.ts');
  const draw = progressDrawer(output);
  const outcome = await syncSessions(app, {
    path,
    signal: shell.signal,
    onProgress: ({ done, total, address }) => draw({ done, total, text: address }),
  });
  output.progress('');
  if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
  if (outcome.kind === 'busy') {
    output.note('Another process brings the catalogue up to date already.');
    return 0;
  }
  const { report } = outcome;
  if (output.json) await output.document(report);
  for (const { address, reason } of report.skipped) output.warn(`${address} was skipped: ${reason}`);
  for (const { address, reason } of report.contradictions) output.warn(`${address}: ${reason}`);
  const { OWN_AGENT } = await import('../../catalog/catalog.ts');
  for (const { address, places } of report.damage.slice(0, MAX_DAMAGED)) {
    output.warn(
      `${address}: ${countOf(places, 'place')} could not be read. See "${commandAbout(address, OWN_AGENT)}".`,
    );
  }
  const more = report.damage.length - MAX_DAMAGED;
  if (more > 0) output.warn(`${countOf(more, 'more session')} could not be read whole: --json lists them.`);
  const { sessions, read, rows, vanished } = report;
  const parts = [`${countOf(read, 'session')} of ${formatCount(sessions)} read`, countOf(rows, 'new text')];
  if (vanished > 0) parts.push(`${vanished} removed`);
  output.note(`${parts.join(', ')}.`);
  const { awayHomes } = await import('../../hub/find-sources.ts');
  const { foreignPorts } = await import('../../app/start/foreign-ports.ts');
  for (const sentence of path === undefined ? awayHomes(foreignPorts(app)) : []) output.note(sentence);
  const hasFailed = report.skipped.some(({ code }) => code !== 'SESSION_ENCRYPTED');
  return report.damaged > 0 || report.contradictions.length > 0 || hasFailed ? DAMAGE_EXIT : 0;
}

/** The command that lists the places: a session of ollm has checksums, the file of another program is read through. */
function commandAbout(address: string, ownAgent: string): string {
  const own = `${ownAgent}:`;
  return address.startsWith(own) ? `ollm verify ${address.slice(own.length)}` : `ollm show ${address}`;
}
