// Sessions as Claude Code's own library reads them and as ollm does: the same texts in the same order.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Source } from '../../../lib/agents/agent.ts';
import { claude } from '../../../lib/agents/claude/claude.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { replay } from '../../../lib/projections/replay.ts';
import { countedEntries } from '../../../lib/projections/timeline.ts';
import { viewFold } from '../../../lib/projections/view.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { PROGRAMS_FOLDER } from '../programs/program.ts';

const LIBRARY = join(PROGRAMS_FOLDER, 'claude-sdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');
const SHARED = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
const CASES = fileURLToPath(new URL('cases/', import.meta.url));
/** Texts that are no part of the conversation here: fillers, errors, which end a turn, and summaries. */
const NOT_SAID = /^(?:No response requested\.$|API Error|This session is being continued)/;
const COMMAND = /^<command-message>[^<]*<\/command-message>\s*<command-name>([^<]+)<\/command-name>/;

/** Asks for all of them in one process, whose home holds nothing else. */
const ASK = `
  import { getSessionMessages, listSessions } from ${JSON.stringify(LIBRARY)};
  const said = {};
  for (const id of JSON.parse(process.argv[1])) said[id] = (await getSessionMessages(id)).map(({ type, message }) => ({ type, content: message?.content }));
  process.stdout.write(JSON.stringify({ said, list: await listSessions({}) }));`;

interface Asked {
  readonly said: Readonly<Record<string, readonly { readonly type: string; readonly content: unknown }[]>>;
  readonly list: readonly {
    readonly sessionId: string;
    readonly customTitle?: string;
    readonly firstPrompt?: string;
  }[];
}

const paths = [
  ...recorded(),
  ...['one-turn', 'parallel-calls', 'titles'].map((name) => join(CASES, name, 'record.jsonl')),
];
const sessions = paths.map((path, index) => ({
  name: path.includes(SHARED) ? path.slice(SHARED.length) : basename(join(path, '..')),
  path,
  // It takes files only with the name of a UUID.
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
}));

const describeInstalled = existsSync(LIBRARY) ? describe : describe.skip;
describeInstalled('Claude Code’s own library (skipped where it is not installed: run .ci/install-agents)', () => {
  let tree: Tree;
  let asked: Asked;

  beforeAll(() => {
    tree = createTree();
    const folder = join(tree.root, '.claude/projects/-p');
    mkdirSync(folder, { recursive: true });
    for (const { path, id } of sessions) copyFileSync(path, join(folder, `${id}.jsonl`));
    const args = ['--input-type=module', '-e', ASK, JSON.stringify(sessions.map(({ id }) => id))];
    const env = { HOME: tree.root, PATH: process.env.PATH };
    const output = execFileSync(process.execPath, args, { cwd: tree.root, env, maxBuffer: 2 ** 30 });
    asked = JSON.parse(output.toString()) as Asked;
  });
  afterAll(() => tree?.[Symbol.dispose]());

  it.each(sessions)('reads the same texts of $name', async ({ id, path }) => {
    const theirs = textsIn(asked.said[id] ?? []);
    const ours = (await textsOf({ agent: 'claude', id, path })).filter(
      ({ text, isSynthetic }) => !isSynthetic || theirs.includes(text),
    );
    expect(theirs.length).toBeGreaterThan(0);
    expect(ours.map(({ text }) => text)).toEqual(theirs);
  });

  it('lists the same titles', () => {
    const titles = (one: (id: string, path: string) => string | undefined) =>
      sessions.flatMap(({ id, path }) => (titled.has(id) ? [[path, one(id, path)]] : []));
    const titled = new Map(
      asked.list.flatMap(({ sessionId, customTitle }) => (customTitle ? [[sessionId, customTitle]] : [])),
    );
    expect(titled.size).toBeGreaterThan(0);
    const ours = (id: string, path: string) => readHead(claude, { agent: 'claude', id, path }, files).title;
    expect(titles(ours)).toEqual(titles((id) => titled.get(id)));
  });

  const files = { fileSystem: nodeFileSystem, uid: undefined };

  async function textsOf(source: Source) {
    const { states } = await replay(openForeign(claude, source, files), { view: viewFold });
    return countedEntries(states.view.timeline).flatMap((entry) =>
      entry.kind !== 'message'
        ? []
        : entry.parts.flatMap((part) =>
            part.type === 'text'
              ? [{ text: `${entry.role}: ${part.text}`, isSynthetic: entry.synthetic === true }]
              : [],
          ),
    );
  }
});

function textsIn(messages: Asked['said'][string]): readonly string[] {
  return messages.flatMap(({ type, content }) =>
    (typeof content === 'string' ? [content] : blocksOf(content))
      .filter((text) => /\S/.test(text) && !NOT_SAID.test(text))
      .map((text) => `${type}: ${COMMAND.exec(text)?.[1] ?? text}`),
  );
}

function blocksOf(content: unknown): readonly string[] {
  const blocks = (content ?? []) as readonly { readonly type: string; readonly text?: string }[];
  return blocks.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : []));
}

/** Sessions of all versions, without those of subagents. */
function recorded(): readonly string[] {
  if (!existsSync(SHARED)) return [];
  return readdirSync(SHARED, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\/claude\/.*\.jsonl$/.test(`/${name}`) && !/stream-json\/|agent-/.test(name))
    .map((name) => join(SHARED, name))
    .filter((path) => path.includes('/agents/claude/') || path.includes('/agents-lab/claude/'))
    .sort();
}
