// The skills of other programs, read from real directories: the places of each, names and calls, and the
// bounds of a hostile repository.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from '../../support/cli.ts';
import { createTree } from '../../support/tree.ts';

const REPOSITORY = { '.git/HEAD': 'ref: refs/heads/main\n' };

it('skills are read from the places of each program in its order, with the way to call them there', async () => {
  using home = createHome();
  using project = createTree(REPOSITORY);
  const plugin = join(home.path, '.claude/plugins/cache/market/tools/1.2.0');
  write(home.path, {
    '.claude/skills/mine/SKILL.md': skill('another name', 'Mine'),
    '.claude/plugins/installed_plugins.json': JSON.stringify({
      version: 2,
      plugins: {
        'tools@market': [{ scope: 'user', installPath: plugin }],
        'off@market': [{ scope: 'user', installPath: plugin }],
      },
    }),
    '.claude/settings.json': JSON.stringify({ enabledPlugins: { 'tools@market': true, 'off@market': false } }),
    '.claude/plugins/cache/market/tools/1.2.0/skills/check it/SKILL.md': skill('x', 'Of a plugin'),
    '.claude/plugins/cache/market/tools/1.2.0/more/extra/SKILL.md': skill('x', 'Of its manifest'),
    '.claude/plugins/cache/market/tools/1.2.0/.claude-plugin/plugin.json':
      '{"skills": ["./more", "../../../../secret"]}',
    '.claude/plugins/secret/out/SKILL.md': skill('out', 'Out of it'),
    '.codex/skills/old/SKILL.md': skill('old', 'In the old place'),
    '.codex/skills/.system/maker/SKILL.md': skill('maker', 'Comes with Codex'),
    '.agents/skills/shared/SKILL.md': skill('shared words', 'For several'),
    '.gemini/skills/gem/SKILL.md': skill('gem', 'Of Gemini: with a colon'),
    '.cursor/skills/curse/SKILL.md': '---\ndescription: Without a name\n---\n',
  });
  write(project.root, {
    '.claude/skills/top/SKILL.md': skill('top', 'At the top'),
    'lib/.claude/skills/low/SKILL.md': skill('low', 'Where one works'),
    '.agents/skills/a/b/deep/SKILL.md': skill('deep', 'Far below'),
    'lib/.codex/skills/near/SKILL.md': skill('near', 'Near'),
    'lib/.gemini/skills/gem/SKILL.md': skill('gem', 'Of the workspace'),
  });
  const { skills, problems } = await listed(home, join(project.root, 'lib'));
  expect(
    skills.map(({ provider, scope, invocation, description }) => [provider, scope, invocation, description]),
  ).toEqual([
    ['claude', 'user', '/mine', 'Mine'],
    ['claude', 'project', '/low', 'Where one works'],
    ['claude', 'project', '/top', 'At the top'],
    ['claude', 'plugin', '/tools:check-it', 'Of a plugin'],
    ['claude', 'plugin', '/tools:extra', 'Of its manifest'],
    ['codex', 'repo', '$near', 'Near'],
    ['codex', 'repo', '$deep', 'Far below'],
    ['codex', 'user', '$old', 'In the old place'],
    ['codex', 'user', '$shared words', 'For several'],
    ['codex', 'system', '$maker', 'Comes with Codex'],
    ['cursor', 'project', '/low', 'Where one works'],
    ['cursor', 'project', '/near', 'Near'],
    ['cursor', 'user', '/shared words', 'For several'],
    ['cursor', 'user', '/curse', 'Without a name'],
    ['cursor', 'user', '/another name', 'Mine'],
    ['cursor', 'user', '/old', 'In the old place'],
    ['gemini', 'project', '/gem', 'Of the workspace'],
    ['gemini', 'user', '/shared-words', 'For several'],
  ]);
  expect(skills.filter(({ pluginName }) => pluginName !== undefined).map(({ name }) => name)).toEqual([
    'tools:check-it',
    'tools:extra',
  ]);
  expect(problems).toEqual([
    {
      provider: 'gemini',
      path: join(home.path, '.gemini/skills/gem/SKILL.md'),
      reason: `is not used: ${join(project.root, 'lib/.gemini/skills/gem/SKILL.md')} has the same name`,
    },
  ]);
  const one = await listed(home, join(project.root, 'lib'), '--agent', 'gemini');
  expect(one.skills.map(({ provider }) => provider)).toEqual(['gemini', 'gemini']);
});

it('skills follow the variables that move the places of a program', async () => {
  using home = createHome();
  write(home.path, {
    'c/skills/one/SKILL.md': skill('one', 'Moved'),
    'x/skills/two/SKILL.md': skill('two', 'Moved'),
    'g/.gemini/skills/three/SKILL.md': skill('three', 'Moved'),
  });
  const env = { CLAUDE_CONFIG_DIR: 'c', CODEX_HOME: 'x', GEMINI_CLI_HOME: 'g' };
  const moved = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, join(home.path, value)]));
  const { stdout } = await home.here(['skills', '--json'], { env: moved });
  expect(JSON.parse(stdout).skills.map(({ invocation }: Listed) => invocation)).toEqual(['/one', '$two', '/three']);
});

it('a hostile skill of a repository is named with its fault, and the others are listed', async () => {
  using home = createHome();
  using outside = createTree({ 'SKILL.md': skill('outside', 'PRIVATE'), id_ed25519: 'PRIVATE KEY' });
  using project = createTree(REPOSITORY);
  const { root } = project;
  write(root, {
    '.agents/skills/good/SKILL.md': skill('good', 'Stays'),
    '.agents/skills/huge/SKILL.md': `${skill('huge', 'Huge')}${'x'.repeat(1024 * 1024)}`,
    '.agents/skills/escape/SKILL.md': '---\nname: "red\\e[31m"\ndescription: Turns red\n---\n',
    '.agents/skills/turned/SKILL.md': skill('evil\u202egnp', 'Turned round'),
    '.agents/skills/words/SKILL.md': '---\nname: words\ndescription: "a\\e]0;title\\a b"\n---\n',
    '.agents/skills/laughs/SKILL.md': `---\na: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nname: *c\ndescription: Laughs\n---\n`,
    '.agents/skills/binary/SKILL.md': '---\nname: bin\0\ndescription: x\n---\n',
    '.agents/skills/colon/SKILL.md': '---\nname: colon\ndescription: Use when: it has a colon\n  and goes on\n---\n',
    '.agents/skills/endless/SKILL.md': '---\nname: endless\ndescription: x\n',
    '.agents/skills/listed/SKILL.md': '---\n- a\n- b\n---\n',
  });
  const skills = join(root, '.agents/skills');
  symlinkSync(outside.root, join(skills, 'linked'));
  mkdirSync(join(skills, 'key'));
  symlinkSync(join(outside.root, 'id_ed25519'), join(skills, 'key/SKILL.md'));
  mkdirSync(join(skills, 'circle'));
  symlinkSync(skills, join(skills, 'circle/again'));
  symlinkSync(join(skills, 'self'), join(skills, 'self'));
  mkdirSync(join(skills, 'folder/SKILL.md'), { recursive: true });
  mkdirSync(join(skills, 'pipe'));
  spawnSync('mkfifo', [join(skills, 'pipe/SKILL.md')]);
  const { skills: found, problems, text } = await listed(home, root, '--agent', 'codex');
  expect(found.map(({ name, description }) => [name, description])).toEqual([
    ['colon', 'Use when: it has a colon and goes on'],
    ['good', 'Stays'],
    ['laughs', 'Laughs'],
    ['words', 'a\u001b]0;title\u0007 b'],
  ]);
  expect(text).not.toContain('PRIVATE');
  expect(Object.fromEntries(problems.map(({ path, reason }) => [path.slice(skills.length + 1), reason]))).toEqual({
    'binary/SKILL.md': 'is not text',
    'endless/SKILL.md': 'has no description in its front matter, which the program asks for',
    'escape/SKILL.md': 'has a name that is empty, too long, or does not print',
    'folder/SKILL.md': 'is not a regular file',
    'huge/SKILL.md': 'is longer than 1024 KiB',
    'key/SKILL.md': `is a link that leads out of ${root}`,
    linked: `is a link that leads out of ${root}`,
    'listed/SKILL.md': 'has no description in its front matter, which the program asks for',
    'pipe/SKILL.md': 'is not a regular file',
    'turned/SKILL.md': 'has a name that is empty, too long, or does not print',
  });
  // The line for a terminal or a pipe holds no control character but its own.
  const { stdout } = await home.here(['skills', '--agent', 'codex'], { cwd: root });
  expect([...stdout].filter((each) => each < ' ' && each !== '\t' && each !== '\n')).toEqual([]);
});

it('a very deep or very wide directory of skills is read up to a bound', async () => {
  using home = createHome();
  using project = createTree(REPOSITORY);
  const wide = Object.fromEntries(
    Array.from({ length: 2_100 }, (_, index) => [`.agents/skills/d${String(index).padStart(4, '0')}/`, '']),
  );
  project.write({
    ...wide,
    [`.codex/skills/${'deeper/'.repeat(8)}SKILL.md`]: skill('deep', 'Too deep'),
    '.agents/skills/a/SKILL.md': skill('first', 'Found'),
  });
  const { skills, problems } = await listed(home, project.root, '--agent', 'codex');
  expect(skills.map(({ name }) => name)).toEqual(['first']);
  expect(problems.map(({ reason }) => reason)).toEqual(['holds too much: the rest of it was not looked into']);
});

it('secrets in the descriptions of skills are redacted', async () => {
  using home = createHome();
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  write(home.path, { '.claude/skills/s/SKILL.md': skill('s', `Calls with ${secret}`) });
  const { text } = await listed(home, home.path);
  expect(text).toContain('Calls with');
  expect(text).not.toContain(secret);
});

interface Listed {
  readonly provider: string;
  readonly scope: string;
  readonly name: string;
  readonly description?: string;
  readonly invocation: string;
  readonly filePath: string;
  readonly pluginName?: string;
}

async function listed(home: Home, cwd: string, ...more: readonly string[]) {
  const { stdout, exitCode } = await home.here(['skills', '--json', ...more], { cwd });
  expect(exitCode).toBe(0);
  const { skills, problems } = JSON.parse(stdout) as {
    skills: Listed[];
    problems: { path: string; reason: string; provider: string }[];
  };
  return { skills, problems, text: stdout };
}

function skill(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it.\n`;
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, text);
  }
}
