// `ollm agents --mcp`: ollm as an MCP server in the settings of other programs, after a look at what would be changed.
import type { ChangedServer } from '../../app/agent-config/change-servers.ts';
import type { ServerPlan, ServerRow } from '../../app/agent-config/server-plan.ts';
import type { App } from '../../app/app.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { confirm } from '../confirm.ts';
import type { Output } from '../output.ts';
import type { Shell } from '../shell.ts';

/** Options of `ollm agents --mcp`. */
export interface AgentsMcpOptions {
  readonly mcp?: true | readonly string[];
  readonly remove?: boolean;
  readonly allProjects?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Answers with the exit code: 1 if a file could not be changed, or the user said no. */
export async function agentsMcp(shell: Shell, options: AgentsMcpOptions): Promise<number> {
  const { mcp, remove, allProjects, dryRun, yes } = options;
  if (remove && allProjects) throw new OllmError('USAGE', '--remove and --all-projects exclude each other.');
  const { output } = shell;
  const app = await shell.openApp('agents');
  const { ownProgram } = await import('../../app/agent-config/own-program.ts');
  const { planServers } = await import('../../app/agent-config/server-plan.ts');
  const program = ownProgram(app, { node: process.execPath, script: process.argv[1] ?? 'ollm' });
  const agents = mcp === true ? undefined : mcp;
  const plans = await planServers(app, { agents, program, allProjects, remove });
  const changes = plans.filter(({ change }) => change !== undefined);
  if (dryRun || changes.length === 0) {
    if (output.json) await output.document(await Promise.all(plans.map((plan) => documentOf(app, plan))));
    else await tellPlans(output, app, plans);
    return exitCodeOf(plans.map(({ row }) => row));
  }
  if (!output.json && !yes) await tellPlans(output, app, plans);
  const warning = `${countOf(changes.length, 'file')} of other programs will be changed.`;
  if (!(await confirm(shell, { warning, reversible: false, yes }))) return 1;
  const rows: ChangedServer[] = [];
  const { changeServer } = await import('../../app/agent-config/change-servers.ts');
  for (const plan of plans) rows.push(await changeServer(app, plan));
  if (output.json) await output.document(rows);
  else await tellChanges(output, plans, rows);
  return exitCodeOf(rows);
}

async function documentOf(app: App, plan: ServerPlan): Promise<object> {
  return { ...plan.row, diff: await diffOf(app, plan) };
}

async function diffOf(app: App, { change }: ServerPlan): Promise<string | undefined> {
  if (change === undefined) return undefined;
  const { shownChange } = await import('../../app/agent-config/shown-change.ts');
  const { file, text } = change;
  return shownChange(app, {
    path: file.path.replace(/^\//, ''),
    before: file.mode === undefined ? undefined : file.text,
    after: text,
  });
}

async function tellPlans(output: Output, app: App, plans: readonly ServerPlan[]): Promise<void> {
  for (const plan of plans) {
    await output.line(sentenceOf(plan.row));
    const diff = await diffOf(app, plan);
    if (diff !== undefined) await output.line(colored(output, diff));
  }
  if (plans.length === 0) output.note('No program was found here that ollm could be added to. See docs/mcp-server.md.');
}

function colored({ colors }: Output, diff: string): string {
  const paint = (line: string) =>
    line.startsWith('+') ? colors.green(line) : line.startsWith('-') ? colors.red(line) : line;
  return diff
    .split('\n')
    .map((line) => paint(line))
    .join('\n');
}

async function tellChanges(
  output: Output,
  plans: readonly ServerPlan[],
  rows: readonly ChangedServer[],
): Promise<void> {
  for (const [index, row] of rows.entries()) {
    if (plans[index]!.change === undefined) continue;
    if (row.state === 'refused') {
      output.warn(sentenceOf(row));
      continue;
    }
    const kept = row.kept === undefined ? '' : `; the file as it was: ${printableLine(row.kept)}`;
    await output.line(`${row.title}: ${DONE[row.state as keyof typeof DONE]} ${printableLine(row.path)}${kept}`);
  }
  output.note('Each program sees it when it is started next.');
}

const DONE = { add: 'added to', change: 'changed in', remove: 'taken out of' };

function sentenceOf({ title, state, path, server, command, reason }: ServerRow): string {
  const name = printableLine(server);
  const words = printableLine((command ?? []).join(' '));
  const file = printableLine(path);
  switch (state) {
    case 'add':
      return `${title}: add ${name} (${words}) to ${file}`;
    case 'change':
      return `${title}: change ${name} to "${words}" in ${file}`;
    case 'remove':
      return `${title}: take ${name} (${words}) out of ${file}`;
    case 'done':
      return command === undefined
        ? `${title}: ${file} has no server of ollm`
        : `${title}: ${file} has it: ${name} (${words})`;
    case 'taken':
      return `${title}: a different server is called ${name} in ${file}: rename it there first`;
    case 'unused':
      return `${title}: it was never started here: start it once, so that it makes its directories`;
    case 'refused':
      return `${title}: ${reason}`;
  }
}

function exitCodeOf(rows: readonly ServerRow[]): number {
  return rows.some(({ state }) => state === 'refused' || state === 'taken' || state === 'unused') ? 1 : 0;
}
