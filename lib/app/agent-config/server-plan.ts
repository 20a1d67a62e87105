// What `ollm agents --mcp` would change: for each program that was ever started here, whether its settings have ollm as
// an MCP server already, and the text of the file with it, or without it.
import { editedSettings, type SettingsFormat } from '../../agent-config/edited.ts';
import { MCP_PROGRAMS, type McpProgram } from '../../agent-config/programs.ts';
import { partsOfOllm, type StartedServer, startedBy, wordsOfOllm } from '../../agent-config/server-entry.ts';
import { loadAgent } from '../../agents/registry.ts';
import { isOllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { type Planned, plansOf } from './change-planned.ts';
import { formatOf } from './settings-format.ts';
import { exists, ownVariables, readForeignSettings } from './this-machine.ts';

/** The wanted change of the settings of other programs. */
interface ServerRequest {
  /** Names of programs. Default: each that was ever started here. */
  readonly agents?: readonly string[] | undefined;
  /** The words that start this program, such as `['ollm']`. */
  readonly program: readonly string[];
  /** The server opens the sessions of every project. */
  readonly allProjects?: boolean | undefined;
  /** Take the server out. */
  readonly remove?: boolean | undefined;
}

/**
 * - `add`, `change`, `remove`: to be done; `change`: an entry that starts another ollm, or opens fewer projects
 * - `done`: an entry is there that needs no change, or none is there to remove
 * - `taken`: a different server has the name; `refused`: the file cannot be changed
 * - `unused`: the program was never started here
 */
type ServerState = 'add' | 'change' | 'remove' | 'done' | 'taken' | 'refused' | 'unused';

/** A program and its file. */
export interface ServerRow {
  readonly name: string;
  /** As its maker writes it. */
  readonly title: string;
  /** The file of its settings. */
  readonly path: string;
  readonly state: ServerState;
  /** The name of the server there. */
  readonly server: string;
  /** How the program starts it: after the change, or as it is. Undefined if the file has no server of ollm. */
  readonly command: readonly string[] | undefined;
  /** Why it is `refused`, as a sentence. */
  readonly reason: string | undefined;
}

type ServerPlan = Planned<ServerRow>;

/** The name that a new entry gets. */
const SERVER = 'ollm';
const ALL_PROJECTS = '--all-projects';
/** Members of an entry that say how it is started. */
const STARTING = ['command', 'args', 'env', 'environment'];

/** Reads the settings and changes nothing. A file that cannot be read is a row, and no error. */
export function planServers(app: App, request: ServerRequest): Promise<readonly ServerPlan[]> {
  return plansOf(app, { programs: MCP_PROGRAMS, agents: request.agents }, (program, isUsed) =>
    planOf(app, program, { ...request, isUsed }),
  );
}

async function planOf(
  app: App,
  program: McpProgram,
  request: ServerRequest & { readonly isUsed: boolean },
): Promise<ServerPlan> {
  const { title } = await loadAgent(program.name);
  const paths = program.files(foreignPorts(app).surroundings);
  const base = { name: program.name, title, server: SERVER, command: undefined, reason: undefined };
  const path = paths.findLast((each) => exists(app, each)) ?? paths[0]!;
  if (!request.isUsed) return { row: { ...base, path, state: 'unused' }, change: undefined };
  try {
    const format = await formatOf(program.format);
    const files = paths
      .filter((each) => each === path || exists(app, each))
      .map((each) => readForeignSettings(app, each));
    const found = files.map((file) => ({ file, ...serversIn(file.text, program, format) }));
    const { file, problem, entries, ours } = found.find((each) => each.ours !== undefined) ?? found.at(-1)!;
    const refused = (reason: string): ServerPlan => ({
      row: { ...base, path: file.path, state: 'refused', reason },
      change: undefined,
    });
    if (problem !== undefined) return refused(`${file.path} ${problem}: it was left as it is.`);
    const step = stepOf(app, program, { ours, entry: entries[ours ?? SERVER], request });
    const row = { ...base, path: file.path, server: ours ?? SERVER, ...step.row };
    if (step.value === KEEP) return { row, change: undefined };
    const edit = { path: [program.member], name: row.server, value: step.value };
    const text = editedSettings(file.text, edit, format);
    if (text !== undefined) return { row, change: { file, text } };
    return refused(
      `${file.path} cannot be changed as it is written: "${program.member}" is not a plain group there. ` +
        `Change it in an editor.`,
    );
  } catch (error) {
    if (!isOllmError(error)) throw error;
    return { row: { ...base, path, state: 'refused', reason: error.message }, change: undefined };
  }
}

/** The servers of a file by their names, and the name of the one that is an ollm. */
function serversIn(
  text: string,
  { member, format: kind }: McpProgram,
  format: SettingsFormat,
): {
  readonly entries: Readonly<Record<string, unknown>>;
  readonly ours: string | undefined;
  readonly problem: string | undefined;
} {
  const settings = format.parse(text);
  const none = { entries: {}, ours: undefined };
  if (settings === undefined) return { ...none, problem: `is not valid ${kind.toUpperCase()}` };
  const entries = isObject(settings[member]) ? settings[member] : {};
  const isOurs = (name: string) => partsOfOllm(startedBy(entries[name])?.words ?? []) !== undefined;
  const ours = [SERVER, ...Object.keys(entries)].find((name) => Object.hasOwn(entries, name) && isOurs(name));
  return { entries, ours, problem: undefined };
}

const KEEP = Symbol('keep');

interface Step {
  readonly row: Pick<ServerRow, 'state' | 'command'>;
  /** The new entry; undefined takes it out. */
  readonly value: Readonly<Record<string, unknown>> | undefined | typeof KEEP;
}

function stepOf(
  app: App,
  program: McpProgram,
  given: { readonly ours: string | undefined; readonly entry: unknown; readonly request: ServerRequest },
): Step {
  const { ours, entry, request } = given;
  const wantedFlags = request.allProjects ? [ALL_PROJECTS] : [];
  const env = ownVariables(app);
  if (ours === undefined) {
    const command = wordsOfOllm(request.program, wantedFlags);
    if (request.remove) return { row: { state: 'done', command: undefined }, value: KEEP };
    if (entry !== undefined) return { row: { state: 'taken', command: undefined }, value: KEEP };
    return { row: { state: 'add', command }, value: program.entryOf({ words: command, env }) };
  }
  const started = startedBy(entry)!;
  const { program: present, flags } = partsOfOllm(started.words)!;
  if (request.remove) return { row: { state: 'remove', command: started.words }, value: undefined };
  const more = wantedFlags.filter((flag) => !flags.includes(flag));
  const command = wordsOfOllm(request.program, [...flags, ...more]);
  const isSame =
    present.join('\0') === request.program.join('\0') && more.length === 0 && started.env.OLLM_HOME === env.OLLM_HOME;
  if (isSame) return { row: { state: 'done', command: started.words }, value: KEEP };
  const { OLLM_HOME: _, ...others } = started.env;
  const server = { words: command, env: { ...others, ...env } };
  return { row: { state: 'change', command }, value: changedEntry(program, entry as object, server) };
}

/** The members that say how it is started are new, all others are as they were. */
function changedEntry(program: McpProgram, entry: object, server: StartedServer): Readonly<Record<string, unknown>> {
  const made = program.entryOf(server);
  const isStarting = ([name]: [string, unknown]) => STARTING.includes(name);
  const kept = Object.entries(entry).filter((pair) => !isStarting(pair));
  return { ...made, ...Object.fromEntries(kept), ...Object.fromEntries(Object.entries(made).filter(isStarting)) };
}
