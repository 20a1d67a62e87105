// `ollm agents`: the other programs whose sessions can be read here.
import type { Command } from 'commander';
import type { AgentRow } from '../../app/list/list-agents.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { relativeTime } from '../../display/relative-time.ts';
import type { Column } from '../../display/table.ts';
import { action, type Finish, withExamples } from '../command.ts';

const MAX_UNREADABLE_SHOWN = 10;

export function defineAgents(program: Command, finish: Finish): void {
  const command = program
    .command('agents')
    .description('show which other programs keep sessions here, where, and how many')
    .action(
      action<object, []>(finish, async ({ output, openApp }) => {
        const app = await openApp('agents');
        const { listAgents } = await import('../../app/list/list-agents.ts');
        const agents = await listAgents(app);
        if (output.json) {
          await output.document(agents);
          return 0;
        }
        const [here, elsewhere] = [agents.filter(isHere), agents.filter((agent) => !isHere(agent))];
        if (!output.isTerminal) await output.data(here.map((agent) => `${tabbedLine(agent)}\n`).join(''));
        else if (here.length > 0) await output.table(tableOf(here, app.clock.now()));
        const unreadable = here.flatMap((agent) => agent.unreadable);
        for (const { path, reason } of unreadable.slice(0, MAX_UNREADABLE_SHOWN)) output.note(`${path} ${reason}.`);
        const more = unreadable.length - MAX_UNREADABLE_SHOWN;
        if (more > 0) output.note(`${countOf(more, 'place')} more cannot be read; --json lists all.`);
        if (elsewhere.length > 0) {
          output.note(`Not found here: ${elsewhere.map(({ title }) => title).join(', ')}.`);
        }
        return 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm agents', does: 'Claude Code, Codex and others: their sessions, and where they are' },
    { line: 'ollm agents --json | jq -r ".[].places[].directory"', does: 'where each of them is looked for' },
  ]);
}

function isHere({ places, sessions }: AgentRow): boolean {
  return sessions > 0 || places.some(({ exists }) => exists);
}

function tableOf(agents: readonly AgentRow[], nowMs: number): readonly Column[] {
  return [
    { title: 'AGENT', cells: agents.map(({ name }) => name), style: 'cyan' },
    { title: 'SESSIONS', cells: agents.map(({ sessions }) => String(sessions)), align: 'right' },
    { title: 'SUBAGENTS', cells: agents.map(({ subagents }) => String(subagents)), align: 'right', dropAt: 90 },
    { title: 'SIZE', cells: agents.map(({ bytes }) => formatBytes(bytes)), align: 'right', dropAt: 60 },
    {
      title: 'ACTIVITY',
      cells: agents.map(({ lastActivity }) => (lastActivity === undefined ? '' : relativeTime(lastActivity, nowMs))),
      style: 'dim',
      dropAt: 50,
    },
    { title: 'VERSION', cells: agents.map(({ version = '' }) => version), empty: '?', style: 'dim', dropAt: 80 },
    { title: 'WHERE', cells: agents.map(directoriesOf), grows: true },
  ];
}

/** For a pipe: name, sessions, subagents, bytes, last activity, version, directories. */
function tabbedLine(agent: AgentRow): string {
  const { name, sessions, subagents, bytes, lastActivity = '', version = '' } = agent;
  return [name, sessions, subagents, bytes, lastActivity, version, directoriesOf(agent)]
    .map((cell) => printableLine(String(cell)))
    .join('\t');
}

function directoriesOf({ places }: AgentRow): string {
  return places.flatMap(({ directory, exists }) => (exists ? [directory] : [])).join(', ');
}
