// The search without a model, asked about this very project as its newcomers ask.
import { fileURLToPath } from 'node:url';
import { createProjectFiles } from '../../../lib/discovery/index.ts';
import { createOfflineProvider } from '../../../lib/providers/offline/index.ts';
import { ProjectSearch } from '../../../lib/retrieval/project-search.ts';
import { collect, requestOf, textOf } from '../provider.contract.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const files = createProjectFiles({ root });
const provider = createOfflineProvider({ files, search: new ProjectSearch({ files }) });

it.each([
  ['What is the format of a line in the journal, with its checksum?', 'docs/journal-format.md'],
  ['what does exit code 7 mean?', 'docs/commands.md'],
  ['how do I configure a llama.cpp server?', 'docs/providers.md'],
  ['How does the sandbox work?', 'docs/sandbox.md'],
  ['How are sessions encrypted?', 'docs/encryption.md'],
  ['What does this project do?', 'README.md'],
  ['Which licence does it have?', 'LICENSE'],
])(
  '%s The page that explains it is among the first three, before all code, and the question is not quoted',
  async (question, page) => {
    const answer = textOf(await collect(provider, requestOf(question)));
    const files = [...answer.matchAll(/^\*\*`([^`*:]+)/gm)].map(([, path]) => path!);
    expect(files.slice(0, 3)).toContain(page);
    expect(files.findIndex((file) => file.startsWith('lib/')) + 1 || 9).toBeGreaterThan(files.indexOf(page) + 1);
    expect(answer).not.toContain(question);
    expect(answer.match(/ollama pull/g)).toHaveLength(1);
  },
);
