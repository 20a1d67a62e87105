// The examples of docs/examples, run as they are: against the built package, by its own name.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';

const EXAMPLES = join(ROOT, 'docs', 'examples');

/** The library as it is published. Its types are checked by "npm run check". */
function run(example: string, ...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--no-warnings', join(EXAMPLES, example), ...args], {
    encoding: 'utf8',
    cwd: ROOT,
  });
  return { lines: stdout.trimEnd().split('\n'), stderr, status };
}

it('append-and-replay keeps a conversation and reads it back', () => {
  using tree = createTree();
  expect(run('append-and-replay.ts', join(tree.root, 'sessions'))).toEqual({
    lines: [
      '3 events, 2 messages',
      'user: What is a journal?',
      'assistant: A file to which facts are added, and from which none is taken.',
    ],
    stderr: '',
    status: 0,
  });
});

it('live-projection shows the tokens grow with each message', () => {
  const { lines, stderr, status } = run('live-projection.ts');
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const counts = lines.map((line) => Number(/^(\d+) tokens in the window$/.exec(line)?.[1]));
  expect(counts).toHaveLength(4);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(counts.at(-1)).toBe((counts[1] ?? 0) + 10);
});

it('own-provider runs a turn and stores it', () => {
  using tree = createTree();
  const { lines, stderr, status } = run('own-provider.ts', join(tree.root, 'sessions'));
  expect({ lines, stderr, status }).toEqual({
    lines: ['WHO IS THERE ', 'done, and 6 events are in echo.jsonl'],
    stderr: '',
    status: 0,
  });
  const journal = readFileSync(join(tree.root, 'sessions', 'echo.jsonl'), 'utf8');
  expect(journal).toContain('WHO IS THERE');
});

it('own-tool lets a model call a function', () => {
  expect(run('own-tool.ts')).toEqual({
    lines: ['runs: roll_dice {"sides":6}', 'ok: It shows 6.', 'The die was rolled 1 time.'],
    stderr: '',
    status: 0,
  });
});

it.each<[string, readonly string[]]>([
  [
    'current-view.ts',
    ['Be terse. | What is a journal? | A diary.', 'Be terse. | What is a journal? | A file to which facts are added.'],
  ],
  ['make-room.ts', ['smaller: true, fewer: true', '### Preferences - user: Please never touch lib/vendor.']],
  [
    'notice-loops.ts',
    ['null', 'The tool file_read was called 3 times in a row with the same arguments and the same result.', 'null'],
  ],
  ['add-context.ts', ['## style Answer in one sentence. ## rota']],
  ['clean-environment.ts', ['CI_TOKEN EDITOR']],
])('%s prints its documented output', (example, lines) => {
  expect(run(example)).toEqual({ lines, stderr: '', status: 0 });
});

it.each<[string, readonly string[]]>([
  ['keep-a-conversation.ts', ['Not today: there is frost.', 'Garden: turns 1, $0.00028']],
  ['record-a-conversation.ts', ['llama3.2: 2 messages', 'file_read: Buy milk.']],
  ['whole-program.ts', ['done, and it said something', 'tour: 2 messages']],
])('%s keeps the conversation in the given directory', (example, lines) => {
  using tree = createTree();
  expect(run(example, join(tree.root, 'new'))).toEqual({ lines, stderr: '', status: 0 });
});

it('recall-passages.ts finds the passage that answers each question', () => {
  expect(run('recall-passages.ts')).toEqual({
    lines: ['harbour#7: server, listen', 'docs/locks.md:1: lock, released'],
    stderr: '',
    status: 0,
  });
});

it('find-files.ts lists files that are not ignored, and sees new ones', () => {
  using tree = createTree({ 'a.ts': 'const a = 1;\n', 'b.md': '', '.gitignore': 'out/\n', 'out/c.ts': '' });
  expect(run('find-files.ts', tree.root)).toEqual({ lines: ['a.ts: 13 bytes', 'add'], stderr: '', status: 0 });
});

// sqlite-store.ts is held against the contracts: contracts.test.ts.
it('every example is run here, except the store in a database', () => {
  expect(readdirSync(EXAMPLES).sort()).toEqual([
    ...['add-context.ts', 'append-and-replay.ts', 'clean-environment.ts', 'current-view.ts', 'find-files.ts'],
    ...[
      'keep-a-conversation.ts',
      'live-projection.ts',
      'make-room.ts',
      'notice-loops.ts',
      'own-provider.ts',
      'own-tool.ts',
    ],
    ...['recall-passages.ts', 'record-a-conversation.ts', 'sqlite-store.ts', 'whole-program.ts'],
  ]);
});

it('the examples in comments await each asynchronous function whose result they use', () => {
  const files = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const texts = files.map((name) => ({ name, text: readFileSync(join(ROOT, 'lib', name), 'utf8') }));
  const asynchronous = new Set(
    texts.flatMap(({ text }) => [...text.matchAll(/export async function (\w+)/g)].map(([, name]) => name)),
  );
  const examples = texts.flatMap(({ name, text }) =>
    [...text.matchAll(/@example\n(?: +\*.*\n)+/g)].map(([example]) => ({ name, example })),
  );
  expect(examples.length).toBeGreaterThan(50);
  const forgotten = examples.flatMap(({ name, example }) =>
    [...example.matchAll(/= (\w+)\(/g)]
      .filter(([, called]) => asynchronous.has(called))
      .map(([call]) => `${name}: ${call}`),
  );
  expect(forgotten).toEqual([]);
});
