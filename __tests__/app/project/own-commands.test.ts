// Commands that a user or a project wrote as files: those that are found, the reason for those that are refused, and
// the message that one becomes.
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../../lib/app/app.ts';
import { expandCommand, ownCommands } from '../../../lib/app/project/own-commands.ts';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { createTree, type Tree } from '../../support/tree.ts';

async function read({ root }: Tree, { project = join(root, 'project'), trustedDirectories = [] as string[] } = {}) {
  const { commands, problems } = await ownCommands({
    paths: { home: join(root, '.ollm'), project },
    fileSystem: nodeFileSystem,
    process: { uid: process.getuid?.() },
    config: { trustedDirectories },
  } as unknown as App);
  return { commands, problems: problems.map((problem) => problem.replaceAll(`${root}/`, '')) };
}

describe('the commands of files', () => {
  it('are none without the directory', async () => {
    using tree = createTree({ 'project/': '' });
    expect(await read(tree)).toEqual({ commands: [], problems: [] });
  });

  it('come from the user and the project, the user first if both have one', async () => {
    using tree = createTree({
      '.ollm/commands/review.md': '---\ndescription: Reviews\nmodel: big\n---\nReview $1.',
      'project/.ollm/commands/review.md': 'Delete everything.',
      'project/.ollm/commands/deploy.md': 'Deploy it.\nSoon.',
      'project/.ollm/commands/notes.txt': 'not a command',
    });
    const { commands, problems } = await read(tree);
    expect(commands).toMatchObject([
      { name: 'deploy', place: 'project', description: 'Deploy it.', text: 'Deploy it.\nSoon.' },
      { name: 'review', place: 'user', description: 'Reviews', model: 'big', text: 'Review $1.' },
    ]);
    expect(problems).toEqual([
      'project/.ollm/commands/review.md is not used: .ollm/commands/review.md has the same name.',
    ]);
  });

  it("are the user's if the project is the user’s own directory", async () => {
    using tree = createTree({ '.ollm/commands/review.md': '---\nmodel: big\n---\nReview.' });
    expect(await read(tree, { project: tree.root })).toMatchObject({
      commands: [{ place: 'user', model: 'big' }],
      problems: [],
    });
  });

  it('of a project name a model only if the user trusts it', async () => {
    using tree = createTree({ 'project/.ollm/commands/deploy.md': '---\nmodel: costly\n---\nDeploy.' });
    const { commands, problems } = await read(tree);
    expect(commands[0]?.model).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining('deploy.md: model is not used')]);
    const trusted = await read(tree, { trustedDirectories: [join(tree.root, 'project')] });
    expect(trusted).toMatchObject({ commands: [{ model: 'costly' }], problems: [] });
  });

  it.each([
    ['is too long', { 'project/.ollm/commands/a.md': 'x'.repeat(64 * 1024 + 1) }, 'a.md is longer than 64 KiB'],
    ['is empty', { 'project/.ollm/commands/a.md': '---\ndescription: A\n---\n' }, 'a.md has no text'],
    ['is not text', { 'project/.ollm/commands/a.md': 'a\0b' }, 'a.md is not text'],
    ['is a directory', { 'project/.ollm/commands/a.md/': '' }, 'a.md is not a regular file'],
    ['has a name that deceives', { 'project/.ollm/commands/a\u202eb.md': 'x' }, 'its name must be letters'],
  ])('leave out a file that %s, and keep the others', async (_what, files, words) => {
    using tree = createTree({ 'project/.ollm/commands/good.md': 'Good.', ...files });
    const { commands, problems } = await read(tree);
    expect(commands.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toEqual([expect.stringContaining(words)]);
  });

  it('of the user are not used if other users can write the file, or its directory', async () => {
    using tree = createTree({ '.ollm/commands/a.md': 'A.', '.ollm/commands/b.md': 'B.' });
    chmodSync(join(tree.root, '.ollm/commands/a.md'), 0o666);
    const { commands, problems } = await read(tree);
    expect(commands.map(({ name }) => name)).toEqual(['b']);
    expect(problems).toEqual([expect.stringContaining('a.md can be written by other users')]);
    chmodSync(join(tree.root, '.ollm/commands'), 0o777);
    expect((await read(tree)).commands).toEqual([]);
  });

  it('of a project follow no link out of it, and those of the user may be links', async () => {
    using tree = createTree({ 'secret.txt': 'private', 'project/.ollm/commands/': '', '.ollm/commands/': '' });
    symlinkSync(join(tree.root, 'secret.txt'), join(tree.root, 'project/.ollm/commands/leak.md'));
    symlinkSync(join(tree.root, 'secret.txt'), join(tree.root, '.ollm/commands/mine.md'));
    const { commands, problems } = await read(tree);
    expect(commands.map(({ name }) => name)).toEqual(['mine']);
    expect(problems).toEqual([expect.stringContaining('leak.md is a link that leads out of the project')]);
  });

  it('of a project are not read through a directory that leads out of it', async () => {
    using tree = createTree({ 'elsewhere/leak.md': 'private', 'project/.ollm/': '' });
    symlinkSync(join(tree.root, 'elsewhere'), join(tree.root, 'project/.ollm/commands'));
    expect((await read(tree)).commands).toEqual([]);
  });

  (process.getuid?.() === 0 ? it.skip : it)('are reported if they cannot be read', async () => {
    using tree = createTree({ 'project/.ollm/commands/a.md': 'A.', '.ollm/commands/b.md': 'B.' });
    chmodSync(join(tree.root, 'project/.ollm/commands/a.md'), 0);
    chmodSync(join(tree.root, '.ollm/commands'), 0);
    expect((await read(tree)).problems).toEqual([
      '.ollm/commands cannot be read (EACCES).',
      'project/.ollm/commands/a.md cannot be read (EACCES): it is not a command.',
    ]);
  });
});

it.each([
  ['Look at $1.', 'a.ts b.ts', 'Look at a.ts.'],
  ['Compare $2 with $1.', '"a b" \'c d\'', 'Compare c d with a b.'],
  ['Do: $ARGUMENTS!', '  x  y ', 'Do: x  y!'],
  ['$1 costs $10, $ARGUMENTSX and $0.', '$2 z', '$2 costs $10, $ARGUMENTSX and $0.'],
  ['From $1 to $2.', 'a', 'From a to .'],
  ['Review it.', 'only lib', 'Review it.\n\nonly lib'],
  ['Review it.', ' ', 'Review it.'],
])('the command %j with %j becomes the message %j', (text, argument, message) => {
  expect(expandCommand(text, argument)).toBe(message);
});
