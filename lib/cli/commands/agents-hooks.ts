// `ollm agents --hooks`: hooks of other programs that call `ollm sync --hook`, after a look at what would be changed.
import type { HookRow } from '../../app/agent-config/hook-plan.ts';
import { printableLine } from '../../display/printable.ts';
import type { Shell } from '../shell.ts';
import { changeSettings } from './agents-settings.ts';

/** Options of `ollm agents --hooks`. */
export interface AgentsHooksOptions {
  readonly hooks?: true | readonly string[];
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Answers with the exit code: 1 if a file could not be changed, or the user said no. */
export async function agentsHooks(shell: Shell, options: AgentsHooksOptions): Promise<number> {
  const { hooks, remove, dryRun, yes } = options;
  const app = await shell.openApp('agents');
  const { ownProgram } = await import('../../app/agent-config/own-program.ts');
  const { planHooks } = await import('../../app/agent-config/hook-plan.ts');
  const program = ownProgram(app, { node: process.execPath, script: process.argv[1] ?? 'ollm' });
  const plans = await planHooks(app, { agents: hooks === true ? undefined : hooks, program, remove });
  const advice = plans.flatMap(({ row }) => row.advice ?? []);
  return changeSettings(shell, app, plans, {
    dryRun,
    yes,
    sentenceOf,
    copyOf: ({ name }) => `${name}-hooks`,
    nothing: 'No program was found here that could call ollm. See docs/hub.md.',
    afterwards: ['Each program calls them from its next start on.', ...advice],
  });
}

function sentenceOf({ title, state, path, events, command, reason }: HookRow): string {
  const call = printableLine(command ?? '');
  const file = printableLine(path);
  const times = events.join(' and ');
  switch (state) {
    case 'add':
      return `${title}: call "${call}" at ${times}, in ${file}`;
    case 'change':
      return `${title}: change what is called at ${times} to "${call}", in ${file}`;
    case 'remove':
      return `${title}: take the call of "${call}" out of ${file}`;
    case 'done':
      return command === undefined ? `${title}: ${file} does not call ollm` : `${title}: ${file} calls "${call}"`;
    case 'unused':
      return `${title}: it was never started here: start it once, so that it makes its directories`;
    case 'refused':
      return `${title}: ${reason}`;
  }
}
