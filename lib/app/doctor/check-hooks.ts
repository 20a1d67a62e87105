// What `ollm doctor` says of hooks: whether the program of each is there. None is run.
import { hookProgram } from '../../hooks/hook-program.ts';
import { HOOK_NAMES } from '../../hooks/question.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { StartFailure } from '../../platform/processes/start-failure.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from '../home-directory.ts';
import { toolEnvironment } from '../tools/tool-environment.ts';
import type { Check } from './check-data-directory.ts';

export function* checkHooks(app: App): Generator<Check, void, void> {
  for (const hook of HOOK_NAMES) for (const line of app.config.hooks[hook]) yield checkHook(app, hook, line);
}

function checkHook(app: App, hook: string, line: string): Check {
  const name = `hook ${hook}`;
  const remedy = `Correct hooks.${hook} in your configuration, or take it out.`;
  const program = hookProgram(line, { homeDirectory: homeDirectoryOf(app) });
  if (!program.ok) return { name, status: 'fail', text: `${line}: ${program.problem}`, remedy };
  const { paths, cwd } = app;
  try {
    const path = toolEnvironment(app).variables.PATH;
    return { name, status: 'ok', text: findProgram(program.words[0], { path, cwd, untrusted: [paths.project] }) };
  } catch (error) {
    if (error instanceof StartFailure) return { name, status: 'fail', text: error.message, remedy };
    throw error;
  }
}
