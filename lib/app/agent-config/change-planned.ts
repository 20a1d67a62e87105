// The planned change of a file of another program, after the yes. A copy of the file is kept before it is replaced.
import type { McpProgram } from '../../agent-config/programs.ts';
import type { SettingsFile } from '../../agent-config/settings-file.ts';
import { isOllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { changeSettingsFile } from './change-settings-file.ts';
import { exists } from './this-machine.ts';

/** A row with the change to its file; undefined if there is none to make. */
export interface Planned<Row> {
  readonly row: Row;
  readonly change: { readonly file: SettingsFile; readonly text: string } | undefined;
}

/** Programs whose settings can be changed, and which of them are asked for. */
interface ProgramsAsked<Program> {
  readonly programs: readonly Program[];
  /** Names of programs. Default: each that was ever started here. */
  readonly agents: readonly string[] | undefined;
}

/** The plan of each program that is asked for. `isUsed`: whether it was ever started here. */
export async function plansOf<Program extends { readonly name: string; roots: McpProgram['roots'] }, Row>(
  app: App,
  { programs, agents }: ProgramsAsked<Program>,
  planOf: (program: Program, isUsed: boolean) => Promise<Planned<Row>>,
): Promise<readonly Planned<Row>[]> {
  const plans: Planned<Row>[] = [];
  for (const program of programs) {
    const isUsed = program.roots(foreignPorts(app).surroundings).some((path) => exists(app, path));
    if (agents === undefined ? isUsed : agents.includes(program.name)) plans.push(await planOf(program, isUsed));
  }
  return plans;
}

/** A row after the change: `kept` is where the file as it was is; undefined if there was none. */
export type Changed<Row> = (Row | (Omit<Row, 'state' | 'reason'> & Refusal)) & { readonly kept: string | undefined };

interface Refusal {
  readonly state: 'refused';
  readonly reason: string;
}

/**
 * Makes the change of one plan. A change that fails is a row with the state `refused`, and the file is as it was.
 * `name`: of the copies of the file, lower-case letters and hyphens.
 *
 * @example
 * for (const plan of await planServers(app, { program: ['ollm'] })) {
 *   console.log(await changePlanned(app, plan, plan.row.name));
 * }
 */
export async function changePlanned<Row extends object>(
  app: App,
  { row, change }: Planned<Row>,
  name: string,
): Promise<Changed<Row>> {
  if (change === undefined) return { ...row, kept: undefined };
  try {
    return { ...row, kept: await changeSettingsFile(app, { name, ...change }) };
  } catch (error) {
    if (!isOllmError(error)) throw error;
    return { ...row, state: 'refused', reason: error.message, kept: undefined };
  }
}
