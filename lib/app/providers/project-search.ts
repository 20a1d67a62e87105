// The search of this project for the offline provider: in the index of passages, or in memory where there is none, as
// for a session in memory, and where the project is a whole home directory or a whole machine.
import { dirname } from 'node:path';
import { ProjectSearch } from '../../retrieval/project-search.ts';
import type { App } from '../app.ts';
import type { projectFiles } from '../repository/project-files.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';

export function projectSearch(app: App, files: ReturnType<typeof projectFiles>): ProjectSearch {
  const isProject = files.root !== dirname(files.root) && files.root !== homeDirectoryOf(app);
  return new ProjectSearch({
    files,
    async clean() {
      const redact = await app.redactor();
      return (text) => redact(text).text;
    },
    store: async () => (isProject ? app.passages() : undefined),
  });
}
