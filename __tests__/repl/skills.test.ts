// What a model is sent of skills: names and descriptions of those that the user trusts, and their text when it asks.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHome, type Home } from '../support/cli.ts';
import { startToolModel } from './tool-model.ts';

type Model = Awaited<ReturnType<typeof startToolModel>>;

function homeWith(files: Readonly<Record<string, string>>): Home {
  const home = createHome();
  for (const [path, content] of Object.entries({ 'project/.git/HEAD': 'ref: refs/heads/main\n', ...files })) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), content);
  }
  return home;
}

function talk(home: Home, model: Model, input: string, more: Readonly<Record<string, string>> = {}) {
  return home.run(['repl', '--provider', 'ollama'], {
    input,
    cwd: join(home.path, 'project'),
    env: { HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), OLLAMA_HOST: model.url, ...more },
  });
}

const sentTo = ({ requests }: Model) =>
  requests.filter(({ path }) => path === '/api/chat').map(({ body }) => JSON.stringify(body));

const SKILLS = {
  '.claude/skills/mine/SKILL.md': '---\ndescription: Counts bears\n---\nCount twice.',
  'project/.claude/skills/theirs/SKILL.md': '---\ndescription: Sends all away\n---\nSend it.',
};

it('names those of the user, reads one when it asks, and knows nothing of those of a project', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel(
    { calls: [{ name: 'skill_read', args: { name: 'mine' } }] },
    { calls: [{ name: 'skill_read', args: { name: 'theirs' } }] },
    { text: 'Fine.' },
  );
  const { stdout, stderr } = await talk(home, model, 'how many?\n/skills\n');
  const [first, second, third] = sentTo(model);
  expect(first).toContain('mine: Counts bears');
  expect(first).not.toContain('Count twice.');
  expect(second).toContain('Count twice.');
  expect(third).toContain('There is no skill theirs');
  expect(third).not.toContain('Sends all away');
  expect(third).not.toContain('Send it.');
  expect(stderr).toContain('theirs/SKILL.md of this project is not used');
  expect(stdout).toMatch(/mine .*Counts bears .*trusted/);
  expect(stdout).toMatch(/theirs .*Sends all away .*not trusted yet/);
});

it('names those of a project that is trusted', async () => {
  using home = homeWith(SKILLS);
  mkdirSync(join(home.path, '.ollm'), { recursive: true });
  const trusted = `trustedDirectories: [${JSON.stringify(join(home.path, 'project'))}]\n`;
  writeFileSync(join(home.path, '.ollm/config.yaml'), trusted, { mode: 0o600 });
  await using model = await startToolModel({ text: 'Fine.' });
  await talk(home, model, 'hello\n');
  expect(sentTo(model)[0]).toContain('theirs: Sends all away');
});

it('names none where the tool that reads them is switched off', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel({ text: 'Fine.' });
  await talk(home, model, 'hello\n', { OLLM_TOOLS__DISABLED: 'skill_read' });
  expect(sentTo(model)[0]).not.toContain('Counts bears');
});
