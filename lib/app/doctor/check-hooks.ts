// What `ollm doctor` says of hooks: whether the program of each is there, and whether only the user can change it. None
// is run.
import { shownText } from '../../environment/shown-words.ts';
import { HOOK_NAMES } from '../../hooks/question.ts';
import { hookProgram } from '../../hooks/split-words.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { StartFailure } from '../../platform/processes/start-failure.ts';
import type { App } from '../app.ts';
import { toolEnvironment } from '../policy/tool-environment.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';
import { programProblem } from '../start/program-problem.ts';
import { type Check, type DoctorFinding, fail, ok, warn } from './check.ts';

export function* checkHooks(app: App): Generator<Check, void, void> {
  for (const hook of HOOK_NAMES) {
    const remedy = `Correct hooks.${hook} in your configuration, or take it out.`;
    for (const line of app.config.hooks[hook]) yield { name: `hook ${hook}`, ...checkHook(app, line, remedy) };
  }
}

function checkHook(app: App, line: string, remedy: string): DoctorFinding {
  const program = hookProgram(line, { homeDirectory: homeDirectoryOf(app) });
  if (!program.ok) return fail(`${shownText(line)}: ${program.problem}`, remedy);
  const { paths, cwd } = app;
  try {
    const path = toolEnvironment(app).variables.PATH;
    const found = findProgram(program.words[0], { path, cwd, untrusted: [paths.project] });
    const problem = programProblem(app, [found, ...program.words.slice(1)]);
    return problem === undefined ? ok(found) : warn(problem.text, problem.remedy);
  } catch (error) {
    if (error instanceof StartFailure) return fail(error.message, remedy);
    throw error;
  }
}
