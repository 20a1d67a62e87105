// The search without a model, asked about this very project as its newcomers ask.
import { fileURLToPath } from 'node:url';
import { createProjectFiles } from '../../../lib/discovery/index.ts';
import { createOfflineProvider } from '../../../lib/providers/offline/index.ts';
import { collect, requestOf, textOf } from '../provider.contract.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const provider = createOfflineProvider({ files: createProjectFiles({ root }) });

it.each([
  ['Where is the chain of checksums explained?', 'docs/journal-format.md'],
  ['what does exit code 7 mean?', 'docs/errors.md'],
  ['how do I configure a llama.cpp server?', 'docs/providers.md'],
  ['How does the sandbox work?', 'docs/sandbox.md'],
  ['How are sessions encrypted?', 'docs/encryption.md'],
])(
  '%s The page that explains it comes first, before all code, and the question is not quoted',
  async (question, page) => {
    const answer = textOf(await collect(provider, requestOf(question)));
    const files = [...answer.matchAll(/^\*\*`([^`*:]+)/gm)].map(([, path]) => path!);
    expect(files[0]).toBe(page);
    expect(answer).not.toContain(question);
    expect(answer.match(/ollama pull/g)).toHaveLength(1);
  },
);
