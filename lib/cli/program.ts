// The command line as a whole: global flags, and each command from its own file, loaded when it is needed. Help,
// completion, the reference in docs/commands.md and the tests all read this definition.
import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import { parseText } from './arguments.ts';
import type { Finish } from './command.ts';
import { defineList } from './commands/list.ts';
import { defineSearch } from './commands/search.ts';

type Define = (program: Command, finish: Finish) => void;

/** The headings of the help, each with its commands and how the definition of one is loaded, in order. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<Define>>>>> = {
  Talk: {
    repl: async () => (await import('./commands/repl.ts')).defineRepl,
    resume: async () => (await import('./commands/repl.ts')).defineResume,
    ask: async () => (await import('./commands/ask.ts')).defineAsk,
    serve: async () => (await import('./commands/serve.ts')).defineServe,
    open: async () => (await import('./commands/open.ts')).defineOpen,
    acp: async () => (await import('./commands/acp.ts')).defineAcp,
  },
  Look: {
    // This one and the search are loaded with the program, to be there without delay.
    list: async () => defineList,
    show: async () => (await import('./commands/show.ts')).defineShow,
    search: async () => defineSearch,
    stats: async () => (await import('./commands/stats.ts')).defineStats,
    recall: async () => (await import('./commands/recall.ts')).defineRecall,
    blame: async () => (await import('./commands/blame.ts')).defineBlame,
    tail: async () => (await import('./commands/tail.ts')).defineTail,
    replay: async () => (await import('./commands/replay.ts')).defineReplay,
    export: async () => (await import('./commands/export.ts')).defineExport,
    share: async () => (await import('./commands/share.ts')).defineShare,
    diff: async () => (await import('./commands/diff.ts')).defineDiff,
    audit: async () => (await import('./commands/audit.ts')).defineAudit,
    loop: async () => (await import('./commands/loop.ts')).defineLoop,
    files: async () => (await import('./commands/files.ts')).defineFiles,
    env: async () => (await import('./commands/env.ts')).defineEnv,
  },
  'Sessions of other programs': {
    agents: async () => (await import('./commands/agents.ts')).defineAgents,
    sync: async () => (await import('./commands/sync.ts')).defineSync,
    import: async () => (await import('./commands/import.ts')).defineImport,
    watch: async () => (await import('./commands/watch.ts')).defineWatch,
    handover: async () => (await import('./commands/handover.ts')).defineHandover,
    skills: async () => (await import('./commands/skills.ts')).defineSkills,
  },
  'Keep and repair': {
    title: async () => (await import('./commands/title.ts')).defineTitle,
    fork: async () => (await import('./commands/fork.ts')).defineFork,
    copy: async () => (await import('./commands/copy.ts')).defineCopy,
    append: async () => (await import('./commands/append.ts')).defineAppend,
    revert: async () => (await import('./commands/revert.ts')).defineRevert,
    verify: async () => (await import('./commands/verify.ts')).defineVerify,
    seal: async () => (await import('./commands/seal.ts')).defineSeal,
    repair: async () => (await import('./commands/repair.ts')).defineRepair,
    delete: async () => (await import('./commands/delete.ts')).defineDelete,
    restore: async () => (await import('./commands/restore.ts')).defineRestore,
    prune: async () => (await import('./commands/prune.ts')).definePrune,
    reset: async () => (await import('./commands/reset.ts')).defineReset,
    rebuild: async () => (await import('./commands/rebuild.ts')).defineRebuild,
  },
  'Set up': {
    models: async () => (await import('./commands/providers.ts')).defineModels,
    providers: async () => (await import('./commands/providers.ts')).defineProviders,
    mcp: async () => (await import('./commands/mcp.ts')).defineMcp,
    config: async () => (await import('./commands/config.ts')).defineConfig,
    doctor: async () => (await import('./commands/doctor.ts')).defineDoctor,
    store: async () => (await import('./commands/store.ts')).defineStore,
    completion: async () => (await import('./commands/completion.ts')).defineCompletion,
  },
};

const COMMANDS = new Map(Object.values(GROUPS).flatMap((group) => Object.entries(group)));
export const COMMAND_NAMES: readonly string[] = [...COMMANDS.keys()];

export function isCommand(name: string | undefined): name is string {
  return name !== undefined && COMMANDS.has(name);
}

const GLOBAL_OPTIONS_HELP = '\nGlobal options: see "ollm --help".';

/** Completion offers all the others. */
const NEED_ALL = ['completion'];

/**
 * The program with one command, which is all that a run of it needs, or with every command: for the help, for an
 * unknown name, for completion and the reference. `finish` is handed the command's work; it runs it and keeps the
 * exit code.
 */
export async function createProgram(finish: Finish, only?: string): Promise<Command> {
  const program = createBareProgram();
  const load = only === undefined || NEED_ALL.includes(only) ? undefined : COMMANDS.get(only);
  const defines = await Promise.all(load ? [load()] : [...COMMANDS.values()].map((loadEach) => loadEach()));
  for (const define of defines) define(program, finish);
  for (const [heading, group] of Object.entries(GROUPS)) {
    for (const command of program.commands) if (Object.hasOwn(group, command.name())) command.helpGroup(`${heading}:`);
  }
  for (const command of program.commands) {
    takeNoFlagsAsValues(command);
    for (const each of [command, ...command.commands]) each.addHelpText('after', GLOBAL_OPTIONS_HELP);
  }
  return program;
}

/** Only the global flags. */
export function createBareProgram(): Command {
  const program = new Command('ollm')
    .description('Conversations with language models, each kept in an append-only journal.')
    .usage('[options] [command]')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--home <directory>', 'directory of sessions and settings (OLLM_HOME; default ~/.ollm)')
    .option('--config <file>', 'use this configuration file and ignore all others')
    .addOption(
      new Option('--log-level <level>', 'least serious level that is logged').choices([
        'error',
        'warn',
        'info',
        'debug',
      ]),
    )
    .option('--allow-network-fs', 'also write sessions on NFS, SMB or 9p, where locks and syncs are unreliable')
    .option('--no-color', 'print without colours (NO_COLOR)')
    .option('-q, --quiet', 'print only results and problems')
    .option('--json', 'print results as JSON: one document, or one line each for a stream')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', '\nWithout a command the REPL starts. ID is an id, a unique prefix of one, a name, or @last.')
    .configureOutput({ outputError: () => {}, writeOut: printHelp })
    .exitOverride();
  return takeNoFlagsAsValues(program);
}

/** Prints to a reader that may have gone (`ollm --help | head -1`). */
function printHelp(text: string): void {
  process.stdout.on('error', () => {}).write(text);
}

/** Where a flag has no parser of its own, commander takes any word after it, another flag too. */
function takeNoFlagsAsValues(command: Command): Command {
  for (const option of command.options) {
    if (option.required && !option.parseArg) option.argParser(parseText);
  }
  return command;
}
