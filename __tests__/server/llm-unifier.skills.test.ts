// The skills of the LLM module, from a real server: those of each program with their scopes, names and invocations.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHome } from '../support/cli.ts';
import { serve } from '../support/served.ts';
import { createTree } from '../support/tree.ts';

it('the skills of each program are listed with scope, name, description, invocation and file', async () => {
  using home = createHome();
  using project = createTree({
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.claude/skills/build/SKILL.md': skill('build', 'Builds it'),
    '.agents/skills/release/SKILL.md': skill('release', 'Releases it'),
  });
  const plugin = join(home.path, '.claude/plugins/cache/market/tools/1');
  write(home.path, {
    '.claude/skills/mine/SKILL.md': skill('mine', 'Of the user'),
    '.claude/settings.json': JSON.stringify({ enabledPlugins: { 'tools@market': true } }),
    '.claude/plugins/installed_plugins.json': JSON.stringify({
      version: 2,
      plugins: { 'tools@market': [{ scope: 'user', installPath: plugin }] },
    }),
    '.claude/plugins/cache/market/tools/1/skills/check/SKILL.md': skill('check', 'Of a plugin'),
    '.codex/skills/.system/maker/SKILL.md': skill('maker', 'Of the system'),
    '.gemini/skills/gem/SKILL.md': skill('gem', 'Of the user'),
    '.cursor/skills/curse/SKILL.md': skill('curse', 'Of the user'),
  });
  await using server = await serve(home, [], { cwd: project.root });
  expect(await server.data('/api/llm/providers/claude/skills')).toEqual({
    provider: 'claude',
    problems: [],
    skills: [
      {
        ...{ provider: 'claude', scope: 'user', name: 'mine', description: 'Of the user', invocation: '/mine' },
        filePath: join(home.path, '.claude/skills/mine/SKILL.md'),
      },
      {
        ...{ provider: 'claude', scope: 'project', name: 'build', description: 'Builds it', invocation: '/build' },
        filePath: join(project.root, '.claude/skills/build/SKILL.md'),
      },
      {
        ...{ provider: 'claude', scope: 'plugin', name: 'tools:check', description: 'Of a plugin' },
        ...{ invocation: '/tools:check', filePath: join(plugin, 'skills/check/SKILL.md'), pluginName: 'tools' },
      },
    ],
  });
  const { providers } = await server.data('/api/llm/skills');
  const called = Object.entries(providers as Record<string, readonly Listed[]>).map(([name, skills]) => [
    name,
    skills.map(({ scope, invocation }) => `${scope} ${invocation}`),
  ]);
  expect(Object.fromEntries(called)).toEqual({
    claude: ['user /mine', 'project /build', 'plugin /tools:check'],
    codex: ['repo $release', 'system $maker'],
    cursor: ['project /release', 'project /build', 'user /curse', 'user /mine'],
    gemini: ['project /release', 'user /gem'],
  });
  expect(Object.keys((await server.data('/api/llm/skills?provider=codex')).providers)).toEqual(['codex']);
  // A new skill is there at the next request.
  project.write({ '.agents/skills/later/SKILL.md': skill('later', 'Came later') });
  const { skills } = await server.data('/api/llm/providers/codex/skills');
  expect(skills.map(({ name }: Listed) => name)).toEqual(['later', 'release', 'maker']);
});

it('skills are listed only for directories of workspaces, and unknown programs and other directories are refused', async () => {
  using home = createHome();
  using project = createTree();
  using allowed = createTree({ '.gemini/skills/there/SKILL.md': skill('there', 'In another workspace') });
  using secret = createTree({ '.gemini/skills/hidden/SKILL.md': skill('hidden', 'Not for this server') });
  symlinkSync(secret.root, join(allowed.root, 'link'));
  await using server = await serve(home, [], { cwd: project.root });
  expect((await server.post('/api/llm/workspaces', { path: allowed.root })).status).toBe(201);
  const of = (path: string) => `?workspacePath=${encodeURIComponent(path)}`;
  const at = '/api/llm/providers/gemini/skills';
  expect((await server.data(at)).skills).toEqual([]);
  expect((await server.data(`${at}${of(allowed.root)}`)).skills).toMatchObject([{ name: 'there' }]);
  const { providers } = await server.data(`/api/llm/skills${of(allowed.root)}`);
  expect(providers.gemini).toMatchObject([{ invocation: '/there' }]);
  for (const path of [secret.root, join(allowed.root, 'link'), '/', 'relative', `${allowed.root}/nowhere`]) {
    const { status, body, text } = await server.ask(`${at}${of(path)}`);
    expect([path, status, body.error?.code]).toEqual([path, 403, 'WORKSPACE_NOT_ALLOWED']);
    expect(text).not.toContain('hidden');
  }
  for (const name of ['ollm', 'nobody', 'constructor']) {
    for (const path of [`/api/llm/providers/${name}/skills`, `/api/llm/skills?provider=${name}`]) {
      const { status, body } = await server.ask(path);
      expect([path, status, body.error.code]).toEqual([path, 400, 'UNSUPPORTED_PROVIDER']);
      expect(body.error.details.providers).toEqual(['claude', 'codex', 'cursor', 'gemini']);
    }
  }
  expect((await server.ask(at, { isStranger: true })).status).toBe(401);
  expect((await server.ask(`${at}?wrong=1`)).body.error.code).toBe('INVALID_QUERY');
});

interface Listed {
  readonly scope: string;
  readonly name: string;
  readonly invocation: string;
}

function skill(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it.\n`;
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
