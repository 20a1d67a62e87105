// The store under the Claude Agent SDK itself, at its newest version: it leads Claude Code against a model server of
// the test and mirrors the session, resumes it elsewhere, and reads, lists and deletes it. Its own store in memory is
// the model for each method. Skipped where the packages are not installed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { claudeSessionStore } from '../../lib/adapters/claude-agent-sdk.ts';
import { openFileStore, openMemoryStore } from '../../lib/index.ts';
import { claude } from '../agents/programs/claude.ts';
import { commandOf, PROGRAMS_FOLDER } from '../agents/programs/program.ts';
import { ROOT } from '../support/cli.ts';
import { goOffline } from '../support/offline.ts';
import { codeUnder, typeProblems } from './typed-against.ts';

const FOLDER = join(PROGRAMS_FOLDER, 'claude-sdk');
const PACKAGE = join(FOLDER, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');

const PROGRAM = (command: string) => `
import { deleteSession, getSessionMessages, listSessions, listSubagents, query } from ${JSON.stringify(pathToFileURL(PACKAGE).href)};
import { openFileStore } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/index.js')).href)};
import { claudeSessionStore } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/adapters/claude-agent-sdk.js')).href)};
const [what, given] = process.argv.slice(2);
await using sessionStore = claudeSessionStore({ store: openFileStore('./sessions') });
const dir = process.cwd();
if (what === 'ask') {
  const [prompt, resume] = JSON.parse(given);
  const options = { cwd: dir, sessionStore, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true,
    pathToClaudeCodeExecutable: ${JSON.stringify(command)}, ...(resume ? { resume } : {}) };
  for await (const message of query({ prompt, options })) {
    if (message.subtype === 'mirror_error') console.log('MIRROR', JSON.stringify(message));
    if (message.type === 'result') console.log(JSON.stringify({ id: message.session_id, result: message.result }));
  }
} else {
  const list = await listSessions({ dir, sessionStore });
  const messages = await getSessionMessages(given, { dir, sessionStore });
  const subagents = await listSubagents(given, { dir, sessionStore });
  if (what === 'delete') await deleteSession(given, { dir, sessionStore });
  console.log(JSON.stringify({ list, messages, subagents, after: await listSessions({ dir, sessionStore }) }));
}
`;

const command = commandOf(claude);
const describeInstalled = existsSync(PACKAGE) ? describe : describe.skip;
describeInstalled('the Claude Agent SDK (skipped where it is not installed: run .ci/install-agents)', () => {
  (command === undefined ? it.skip : it)('mirrors a session, and resumes it if its own files are gone', async () => {
    const turns = [
      {
        prompt: 'What do the notes say?',
        call: claude.call('cat notes.md'),
        answer: 'They say that the ferry leaves at nine.',
      },
      { prompt: 'And on Sunday?', answer: 'At ten.' },
    ];
    const files = (url: string) => ({
      'run.mjs': PROGRAM(command!),
      'notes.md': 'The ferry leaves at nine.\n',
      ...claude.files(url),
    });
    await using offline = await goOffline(turns, files);
    const run = async (home: string, ...args: string[]) => {
      const env = { ...claude.env(offline.url), CLAUDE_CONFIG_DIR: join(offline.home, home) };
      return offline.run([process.execPath, '--no-warnings', 'run.mjs', ...args], { cwd: offline.home, env });
    };
    const asked = await run('one', 'ask', JSON.stringify(['What do the notes say?']));
    expect(asked).not.toContain('MIRROR');
    const { id, result } = lastJson(asked);
    expect(result).toBe('They say that the ferry leaves at nine.');
    const again = await run('two', 'ask', JSON.stringify(['And on Sunday?', id]));
    expect(again).not.toContain('MIRROR');
    expect(lastJson(again)).toEqual({ id, result: 'At ten.' });
    expect(JSON.stringify(offline.requests().at(-1))).toContain('What do the notes say?');
    const { list, messages, after } = lastJson(await run('three', 'delete', id));
    expect(list).toMatchObject([{ sessionId: id, firstPrompt: 'What do the notes say?' }]);
    expect(after).toEqual([]);
    const texts = JSON.stringify(messages);
    for (const text of ['What do the notes say?', 'cat notes.md', 'at nine.', 'And on Sunday?', 'At ten.']) {
      expect(texts).toContain(text);
    }
    const store = openFileStore(join(offline.home, 'sessions'));
    expect((await store.listTrash()).map((entry) => entry.id)).toEqual([`claude-${id}`]);
  });

  it('gets the same entries as from its own store in memory after any sequence of calls', async () => {
    const { InMemorySessionStore } = (await import(PACKAGE)) as { InMemorySessionStore: new () => AnyStore };
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 10 }), async (list) => {
        const theirs = new InMemorySessionStore();
        const ours = claudeSessionStore({ store: openMemoryStore() }) as unknown as AnyStore;
        for (const { kind, key, entries } of list) {
          if (kind === 'close') await ours.close!();
          else for (const store of [theirs, ours]) await store[kind]!(key, entries);
          for (const one of KEYS) expect(await ours.load!(one)).toEqual(await theirs.load!(one));
          for (const projectKey of ['p', 'q'])
            expect(await namesOf(ours, projectKey)).toEqual(await namesOf(theirs, projectKey));
          const subkeys = async (store: AnyStore) => ((await store.listSubkeys!(KEYS[0])) as string[]).sort();
          expect(await subkeys(ours)).toEqual(await subkeys(theirs));
        }
        await ours.close!();
      }),
      { numRuns: 100 },
    );
  });

  it('accepts the store by its types', () => {
    const use = `
      import { query, type SessionStore } from '@anthropic-ai/claude-agent-sdk';
      import { openFileStore } from 'ollm';
      import { claudeSessionStore } from 'ollm/adapters/claude-agent-sdk';
      const sessionStore: SessionStore = claudeSessionStore({ store: openFileStore('s') });
      for await (const message of query({ prompt: 'Hello', options: { sessionStore } })) console.log(message.type);`;
    expect(typeProblems(FOLDER, use)).toBe('');
    expect(typeProblems(FOLDER, codeUnder('Claude Agent SDK'))).toBe('');
    expect(typeProblems(FOLDER, use.replace("openFileStore('s')", '1'))).toContain('TS2322');
  });
});

// biome-ignore lint/suspicious/noExplicitAny: two stores of whatever entries
type AnyStore = { readonly [method: string]: (...args: any[]) => Promise<any> };

const KEYS = [
  { projectKey: 'p', sessionId: 's' },
  { projectKey: 'p', sessionId: 's', subpath: 'subagents/agent-1' },
  { projectKey: 'q', sessionId: 's' },
  { projectKey: 'p', sessionId: 't', subpath: 'subagents/agent-1' },
];
/** Each has a uuid of its own: the store in memory stores an entry twice. */
let count = 0;
const entries = fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 3 }).map((values) =>
  values.map((value) => {
    count += 1;
    // JSON has one zero.
    return { type: 'user', uuid: `u${count}`, value: JSON.parse(JSON.stringify(value)) as unknown };
  }),
);
const steps = fc.record({
  kind: fc.constantFrom('append', 'append', 'append', 'delete', 'close'),
  key: fc.constantFrom(...KEYS),
  entries,
});

async function namesOf(store: AnyStore, projectKey: string): Promise<string[]> {
  const list = (await store.listSessions!(projectKey)) as { readonly sessionId: string }[];
  return list.map(({ sessionId }) => sessionId).sort();
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the program above
function lastJson(output: string): any {
  const line = output
    .trim()
    .split('\n')
    .findLast((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`No JSON was printed: ${output}`);
  return JSON.parse(line);
}
