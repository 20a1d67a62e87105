// What newcomers ask of a project, and which files answer it: about eight packages that ship their sources or pages, as
// they are installed here, and about ollm itself. The questions were written before the ranking was tuned on one half
// of them, by a hash of the question.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProjectFiles } from '../../lib/discovery/index.ts';
import type { ProjectFiles } from '../../lib/discovery/types.ts';
import { isHeldOut, type ProjectSet } from './project-sets.ts';

interface NewcomersQuestion {
  /** A package, or `ollm`. */
  readonly project: string;
  readonly question: string;
  /** Paths and globs: any of them answers it. */
  readonly files: readonly string[];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** These files quote the questions. */
const QUESTIONS = /^(?:bench|__tests__\/bench)\//;

/** The sets of all projects, or of one. */
export function newcomerSets(only?: string): ProjectSet[] {
  const lines = readFileSync(new URL('newcomers.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const all = lines.map((line) => JSON.parse(line) as NewcomersQuestion);
  const projects = [...new Set(all.map(({ project }) => project))].filter((each) => (only ?? each) === each);
  return projects.map((project) => ({
    files: filesOf(project),
    questions: all
      .filter((each) => each.project === project)
      .map(({ question, files }) => ({ question, files, isHeldOut: isHeldOut(project + question) })),
  }));
}

function filesOf(project: string): ProjectFiles {
  if (project !== 'ollm') return createProjectFiles({ root: join(ROOT, 'node_modules', project) });
  const files = createProjectFiles({ root: ROOT });
  return {
    ...files,
    async list(options) {
      const listed = await files.list(options);
      return { ...listed, paths: listed.paths.filter((path) => !QUESTIONS.test(path)) };
    },
  };
}
