// `ollm agents`: the other programs whose sessions can be read here.
import { type Command, Option } from 'commander';
import { HOOK_PROGRAM_NAMES, MCP_PROGRAM_NAMES } from '../../agent-config/program-names.ts';
import type { AgentRow } from '../../app/list/list-agents.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf, formatBytes } from '../../display/quantities.ts';
import { relativeTime } from '../../display/relative-time.ts';
import type { Column } from '../../display/table.ts';
import { OllmError } from '../../errors/index.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import { progressDrawer } from '../progress-bar.ts';
import type { AgentsHooksOptions } from './agents-hooks.ts';
import type { AgentsMcpOptions } from './agents-mcp.ts';

interface Options extends AgentsMcpOptions, AgentsHooksOptions {
  readonly report?: boolean;
}

const MAX_UNREADABLE_SHOWN = 10;
const MAX_NAMES_SHOWN = 5;

export function defineAgents(program: Command, finish: Finish): void {
  const command = program
    .command('agents')
    .description(
      'show which other programs keep sessions here, how many, what of them is kept and not understood, and which can be run',
    )
    .option('--report', 'look for records that are not understood in all sessions, not only the newest of each program')
    .addOption(
      new Option('--mcp [agents...]', 'add ollm as an MCP server to the settings of these, or of all that are here')
        .choices(MCP_PROGRAM_NAMES)
        .conflicts('report'),
    )
    .addOption(
      new Option('--hooks [agents...]', 'have these, or all that are here, call ollm after each turn')
        .choices(HOOK_PROGRAM_NAMES)
        .conflicts(['report', 'mcp']),
    )
    .option('--remove', 'with --mcp or --hooks: take it out of their settings')
    .option('--all-projects', 'with --mcp: the sessions of every project, not only of the one they work in')
    .option('--dry-run', 'with --mcp or --hooks: say what would be changed, and change nothing')
    .option('-y, --yes', 'with --mcp or --hooks: do not ask')
    .action(
      action<Options, []>(finish, async (shell, options) => {
        const { output, openApp, signal } = shell;
        const { report } = options;
        if (options.mcp) return (await import('./agents-mcp.ts')).agentsMcp(shell, options);
        if (options.hooks && !options.allProjects)
          return (await import('./agents-hooks.ts')).agentsHooks(shell, options);
        refuseOthers(options);
        const app = await openApp('agents');
        const { listAgents } = await import('../../app/list/list-agents.ts');
        const draw = progressDrawer(output);
        const agents = await listAgents(app, {
          report,
          signal,
          onProgress({ done, total, address }) {
            if (total > 1) draw({ done, total, text: address });
          },
        });
        output.progress('');
        if (output.json) {
          await output.document(agents);
          return 0;
        }
        const [here, elsewhere] = [agents.filter(isHere), agents.filter((agent) => !isHere(agent))];
        await output.list(here, cellsOf, () => tableOf(here, app.clock.now()));
        for (const agent of here) tellNotUnderstood(output, agent);
        const unreadable = here.flatMap((agent) => agent.unreadable);
        for (const { path, reason } of unreadable.slice(0, MAX_UNREADABLE_SHOWN)) output.note(`${path} ${reason}.`);
        const more = unreadable.length - MAX_UNREADABLE_SHOWN;
        if (more > 0) output.note(`${countOf(more, 'place')} more cannot be read; --json lists all.`);
        if (elsewhere.length > 0) {
          output.note(`Not found here: ${elsewhere.map(({ title }) => title).join(', ')}.`);
        }
        tellRunnable(output, agents);
      }),
    );
  withExamples(command, [
    { line: 'ollm agents', does: 'Claude Code, Codex and others: their sessions, and where they are' },
    {
      line: 'ollm agents --report',
      does: 'after an update of one of them: looks for new records in all sessions',
    },
    { line: 'ollm agents --mcp', does: 'let them search the stored sessions: asks before it changes their settings' },
    { line: 'ollm agents --mcp claude codex --all-projects --dry-run', does: 'only what would be changed for two' },
    {
      line: 'ollm agents --hooks',
      does: 'have them call "ollm sync" after each turn, so that searches know the newest messages',
    },
    { line: 'ollm agents --json | jq -r ".[].places[].directory"', does: 'where each of them is looked for' },
  ]);
}

/** Options that say how settings are changed, where none is to be. */
function refuseOthers({ remove, allProjects, dryRun, yes }: Options): void {
  if (allProjects) throw new OllmError('USAGE', '--all-projects belongs to --mcp.');
  if (!(remove || dryRun || yes)) return;
  throw new OllmError('USAGE', '--remove, --dry-run and --yes belong to --mcp and --hooks.', {
    hint: '"ollm agents --mcp" adds ollm to the settings of other programs, "ollm agents --hooks" their calls of it.',
  });
}

function isHere({ places, sessions, gone, imports }: AgentRow): boolean {
  return sessions + gone + imports.sessions > 0 || places.some(({ exists }) => exists);
}

function tableOf(agents: readonly AgentRow[], nowMs: number): readonly Column[] {
  return [
    { title: 'AGENT', cells: agents.map(({ name }) => name), style: 'cyan' },
    { title: 'SESSIONS', cells: agents.map(({ sessions }) => String(sessions)), align: 'right' },
    { title: 'SUBAGENTS', cells: agents.map(({ subagents }) => String(subagents)), align: 'right', dropAt: 90 },
    { title: 'SIZE', cells: agents.map(({ bytes }) => formatBytes(bytes)), align: 'right', dropAt: 60 },
    { title: 'SEARCHABLE', cells: agents.map(({ catalogued }) => String(catalogued)), align: 'right', dropAt: 100 },
    { title: 'IMPORTED', cells: agents.map(importedText), align: 'right', dropAt: 70 },
    {
      title: 'ACTIVITY',
      cells: agents.map(({ lastActivity }) => (lastActivity === undefined ? '' : relativeTime(lastActivity, nowMs))),
      style: 'dim',
      dropAt: 50,
    },
    { title: 'VERSION', cells: agents.map(({ version = '' }) => version), style: 'dim', dropAt: 80 },
    { title: 'WHERE', cells: agents.map(directoriesOf), grows: true },
  ];
}

function importedText({ imports: { sessions, bytes } }: AgentRow): string {
  return sessions === 0 ? '' : `${sessions} (${formatBytes(bytes)})`;
}

/**
 * For a pipe: name, sessions, subagents, bytes, last activity, version, directories, sessions in the catalogue,
 * imported ones, bytes of these, types and members that are not understood.
 */
function cellsOf(agent: AgentRow): readonly unknown[] {
  const { name, sessions, subagents, bytes, lastActivity, version, catalogued, imports } = agent;
  const known = [name, sessions, subagents, bytes, lastActivity, version, directoriesOf(agent)];
  const unknown = Object.keys(agent.understanding?.notUnderstood ?? {}).length;
  return [...known, catalogued, imports.sessions, imports.bytes, unknown];
}

function tellNotUnderstood(output: Output, { title, gone, understanding }: AgentRow): void {
  if (gone > 0) output.note(`${title}: ${countOf(gone, 'session')} more vanished, and can only be found by a search.`);
  const { sessions, notUnderstood } = understanding ?? { sessions: 0, notUnderstood: {} };
  const names = Object.entries(notUnderstood).sort(([, a], [, b]) => b - a);
  if (names.length === 0) return;
  const shown = names.slice(0, MAX_NAMES_SHOWN).map(([name, count]) => `${printableLine(name)} (${count})`);
  const more = names.length - shown.length;
  const where = sessions === 1 ? 'its newest session' : countOf(sessions, 'session');
  output.note(
    `${title}: in ${where}, not understood yet: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}. ` +
      'It is kept by an import.',
  );
}

/** Which of them "ollm repl --agent" can start. The JSON has the commands that install the others. */
function tellRunnable(output: Output, agents: readonly AgentRow[]): void {
  const missing = agents.filter(({ run }) => run !== undefined && 'code' in run && run.code === 'AGENT_NOT_INSTALLED');
  for (const { name, title, run } of agents) {
    if (run !== undefined && 'install' in run && run.code === 'AGENT_TOO_OLD') output.note(`${title}: ${run.install}`);
    if (run === undefined || 'install' in run) continue;
    const { program, version = '', starts } = run;
    const started = [program, version].filter(Boolean).join(' ');
    const what = starts === undefined ? '' : `, which starts ${starts}`;
    output.note(`${title} can be run: "ollm repl --agent ${name}" starts ${started}${what}.`);
  }
  if (missing.length === 0) return;
  output.note(`Not installed: ${missing.map(({ title }) => title).join(', ')}. --json has what installs each of them.`);
}

function directoriesOf({ places }: AgentRow): string {
  return places.flatMap(({ directory, exists }) => (exists ? [directory] : [])).join(', ');
}
