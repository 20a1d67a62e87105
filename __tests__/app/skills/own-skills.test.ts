// Which skills there are: those of the user are trusted, those of a project only with a text that the user said yes to.
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../../lib/app/app.ts';
import { openTrustedTexts } from '../../../lib/app/project/trusted-texts.ts';
import { readSkills } from '../../../lib/app/skills/own-skills.ts';
import { projectSkills } from '../../../lib/app/skills/project-skills.ts';
import { trustedSkillPlaces } from '../../../lib/app/skills/skill-places.ts';
import { nodeFileSystem, systemIds } from '../../../lib/platform/index.ts';
import { createTree, type Tree } from '../../support/tree.ts';

const skill = (description: string) => `---\ndescription: ${description}\n---\nDo it.`;

function appIn({ root }: Tree, { projectInstructions = true, project = join(root, 'project') } = {}): App {
  return {
    mode: 'global',
    env: { HOME: root },
    cwd: project,
    paths: { home: join(root, '.ollm'), project },
    fileSystem: nodeFileSystem,
    ids: systemIds,
    clock: { now: () => 0, monotonic: () => 0 },
    process: { uid: process.getuid?.() },
    config: { trustedDirectories: [], projectInstructions, skills: 'all' },
  } as unknown as App;
}

const namesOf = async (app: App) =>
  (await readSkills(app)).skills.map(({ name, trusted }) => `${name} ${trusted ?? 'unasked'}`);

it('no skills exist without directories', async () => {
  using tree = createTree({ 'project/': '' });
  expect(await readSkills(appIn(tree))).toEqual({ skills: [], problems: [] });
});

it("skills come from ollm and the agents, and the user's wins if two have one name", async () => {
  using tree = createTree({
    '.ollm/skills/notes/SKILL.md': skill('Mine'),
    '.claude/skills/draw/SKILL.md': `---\nname: paint\ndescription: |\n  Two\n  lines\n---\nPaint.`,
    'project/.codex/skills/notes/SKILL.md': skill('Theirs'),
    'project/.agents/skills/ship/SKILL.md': 'Ship it.',
    'project/.agents/skills/README.md': 'not a skill',
  });
  const { skills, problems } = await readSkills(appIn(tree));
  expect(skills.map(({ name, description, place }) => [name, description, place])).toEqual([
    ['notes', 'Mine', 'user'],
    ['paint', 'Two lines', 'user'],
    ['ship', 'Ship it.', 'project'],
  ]);
  expect(problems).toEqual([expect.stringContaining('has the same name')]);
});

it('a skill of a project is trusted only with the text that the user accepted', async () => {
  using tree = createTree({ '.claude/skills/mine/SKILL.md': 'Mine.', 'project/.claude/skills/ship/SKILL.md': 'Ship.' });
  const app = appIn(tree);
  expect(await namesOf(app)).toEqual(['mine true', 'ship unasked']);
  await openTrustedTexts(app, app.paths.project).decide(projectSkills(app), true);
  expect(await namesOf(app)).toEqual(['mine true', 'ship true']);
  tree.write({ 'project/.claude/skills/ship/SKILL.md': 'Ship everything.' });
  expect(await namesOf(app)).toEqual(['mine true', 'ship unasked']);
  expect(await namesOf(appIn(tree, { projectInstructions: false }))).toEqual(['mine true', 'ship unasked']);
});

it('the places of trusted skills are resolved, and one of a project opens nothing outside it', async () => {
  using tree = createTree({
    '.claude/skills/mine/SKILL.md': 'Mine.',
    'elsewhere/': '',
    'project/ship.md': 'Ship.',
    'project/.claude/skills/': '',
    'project/.claude/skills/theirs/SKILL.md': 'Theirs.',
  });
  const project = join(tree.root, 'project');
  symlinkSync(join(tree.root, 'elsewhere'), join(project, '.claude/skills/ship'));
  symlinkSync(join(project, 'ship.md'), join(tree.root, 'elsewhere/SKILL.md'));
  const app = appIn(tree);
  const mine = [join(tree.root, '.claude/skills/mine'), join(tree.root, '.claude/skills/mine/SKILL.md')];
  expect(trustedSkillPlaces(app)).toEqual(mine);
  await openTrustedTexts(app, project).decide(projectSkills(app), true);
  const theirs = [join(project, '.claude/skills/theirs'), join(project, '.claude/skills/theirs/SKILL.md')];
  expect(trustedSkillPlaces(app)).toEqual([...mine, join(project, 'ship.md'), ...theirs]);
});

it('skills in the user’s own directory are the user’s, even if that is the project', async () => {
  using tree = createTree({ '.claude/skills/mine/SKILL.md': 'Mine.', '.ollm/skills/notes/SKILL.md': 'Notes.' });
  expect(await namesOf(appIn(tree, { project: tree.root }))).toEqual(['notes true', 'mine true']);
});

it('a skill that a link of the user’s finds in the project is the project’s', async () => {
  using tree = createTree({ '.claude/skills/': '', 'project/tools/ship/SKILL.md': 'Ship.' });
  symlinkSync(join(tree.root, 'project/tools/ship'), join(tree.root, '.claude/skills/ship'));
  const app = appIn(tree);
  expect(await namesOf(app)).toEqual(['ship unasked']);
  expect(projectSkills(app)).toMatchObject([{ path: 'tools/ship/SKILL.md' }]);
  await openTrustedTexts(app, app.paths.project).decide(projectSkills(app), true);
  expect(await namesOf(app)).toEqual(['ship true']);
});

it('an invalid skill is left out, and the others stay', async () => {
  using tree = createTree({
    'secret.txt': 'private',
    'project/.claude/skills/good/SKILL.md': skill('Good'),
    'project/.claude/skills/huge/SKILL.md': 'x'.repeat(64 * 1024 + 1),
    'project/.claude/skills/bad/SKILL.md': '---\ndescription: a: b\n---\nStill used.',
    'project/.claude/skills/leak/': '',
  });
  symlinkSync(join(tree.root, 'secret.txt'), join(tree.root, 'project/.claude/skills/leak/SKILL.md'));
  const { skills, problems } = await readSkills(appIn(tree));
  expect(skills.map(({ name, description }) => [name, description])).toEqual([
    ['bad', 'Still used.'],
    ['good', 'Good'],
  ]);
  expect(problems).toEqual([
    expect.stringContaining('huge/SKILL.md is longer than 64 KiB'),
    expect.stringContaining('leak/SKILL.md is a link that leads out of the project'),
    expect.stringMatching(/bad\/SKILL\.md:2: not valid YAML/),
  ]);
});

it.each([
  ['the file', 'mine/SKILL.md', 0o666],
  ['its directory', 'mine', 0o777],
  ['the directory of all', '.', 0o777],
])('a skill of the user’s is not used if other users can write %s', async (_what, path, mode) => {
  using tree = createTree({ '.claude/skills/mine/SKILL.md': 'Mine.', '.codex/skills/good/SKILL.md': 'Good.' });
  chmodSync(join(tree.root, '.claude/skills', path), mode);
  const { skills, problems } = await readSkills(appIn(tree));
  expect(skills.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toEqual([expect.stringMatching(/mine\/SKILL\.md .*can be written by other users/)]);
});
