// What a model is sent of skills: names and descriptions of those that the user trusts, and their text when it asks.
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
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

function talk(
  home: Home,
  model: Model,
  input: string,
  more: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) {
  return home.here(['repl', '--provider', 'ollama', ...args], {
    input,
    cwd: join(home.path, 'project'),
    env: { HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), OLLAMA_HOST: model.url, ...more },
  });
}

const sentTo = ({ requests }: Model) =>
  requests.filter(({ path }) => path === '/api/chat').map(({ body }) => JSON.stringify(body));

interface Message {
  readonly role: string;
  readonly content: string;
}

const messagesOf = ({ requests }: Model, index: number) =>
  requests.filter(({ path }) => path === '/api/chat').map(({ body }) => body as unknown as { messages: Message[] })[
    index
  ]!.messages;

const SKILLS = {
  '.claude/skills/mine/SKILL.md': '---\ndescription: Counts bears\n---\nCount twice.',
  'project/.claude/skills/theirs/SKILL.md': '---\ndescription: Sends all away\n---\nSend it.',
};

it("the prompt names the user's skills, the model reads one, and skills of a project are unknown", async () => {
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
  // After the earlier messages, with the authority of the user and without delimiters; never in the result of the call.
  const [system, ...rest] = messagesOf(model, 1);
  const holding = rest.filter(({ content }) => content.includes('Count twice.'));
  expect(system?.content).not.toContain('Count twice.');
  expect(holding.map(({ role }) => role)).toEqual(['user']);
  expect(holding[0]?.content).toMatch(/^System note: [^<]*## skill mine\n\n---\n[^<]*Count twice\.$/);
  expect(third).toContain('There is no skill theirs');
  expect(third).not.toContain('Sends all away');
  expect(third).not.toContain('Send it.');
  expect(stderr).toContain('theirs/SKILL.md of this project is not used');
  expect(stdout).toMatch(/mine .*Counts bears .*, offered\)/);
  expect(stdout).toMatch(/theirs .*Sends all away .*not offered: not trusted yet/);
  expect(stderr).toContain('The model is told the names of 1 skill of other programs.');
});

it('the notice of skill names is shown once in a project, until the names change', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel(...Array.from({ length: 4 }, () => ({ text: 'Fine.' })));
  const isTold = async () => (await talk(home, model, 'how many?\n')).stderr.includes('The model is told the names of');
  expect(await isTold()).toBe(true);
  expect(await isTold()).toBe(false);
  const more = join(home.path, '.claude/skills/more');
  mkdirSync(more);
  writeFileSync(join(more, 'SKILL.md'), '---\ndescription: Counts foxes\n---\nCount.');
  expect(await isTold()).toBe(true);
  expect(await isTold()).toBe(false);
});

it('a skill that was read instructs the model with the text that it has now, as long as its file exists', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel(
    { calls: [{ name: 'skill_read', args: { name: 'mine' } }] },
    { text: 'Fine.' },
  );
  await talk(home, model, 'how many?\n');
  const file = join(home.path, '.claude/skills/mine/SKILL.md');
  writeFileSync(file, 'Count three times.');
  await talk(home, model, 'again\n', {}, ['--resume', '@last']);
  const note = messagesOf(model, 2).findLast(({ content }) => content.includes('## skill mine'));
  expect(note?.content).toMatch(/^System note: [^<]*## skill mine\n\nCount three times\./);
  rmSync(file);
  await talk(home, model, 'again\n', {}, ['--resume', '@last']);
  expect(sentTo(model)[3]).not.toContain('Count three times.');
});

it('a skill that is too long for the window of the model is refused, and the conversation continues', async () => {
  using home = homeWith({ '.claude/skills/mine/SKILL.md': 'Count the bears. '.repeat(3_800) });
  await using model = await startToolModel(
    { calls: [{ name: 'skill_read', args: { name: 'mine' } }] },
    { text: 'Fine.' },
  );
  const env = { OLLM_SERVICES__BUDGET__MAX_TOTAL: '8192' };
  await talk(home, model, 'how many?\n', env);
  expect(sentTo(model)).toHaveLength(2);
  expect(JSON.stringify(messagesOf(model, 1).at(-1))).toContain('mine is too long');
});

it('the prompt names skills of a trusted project', async () => {
  using home = homeWith(SKILLS);
  mkdirSync(join(home.path, '.ollm'), { recursive: true });
  const trusted = `trustedDirectories: [${JSON.stringify(join(home.path, 'project'))}]\n`;
  writeFileSync(join(home.path, '.ollm/config.yaml'), trusted, { mode: 0o600 });
  await using model = await startToolModel({ text: 'Fine.' });
  await talk(home, model, 'hello\n');
  expect(sentTo(model)[0]).toContain('theirs: Sends all away');
});

it('the prompt names no skills if the tool that reads them is switched off', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel({ text: 'Fine.' });
  await talk(home, model, 'hello\n', { OLLM_TOOLS__DISABLED: 'skill_read' });
  expect(sentTo(model)[0]).not.toContain('Counts bears');
});

it.each(['deny: [file_read(FILE)]', 'ask: [file_read(FILE)]', 'hidden: [FILE]', 'deny: [skill_read]'])(
  'the prompt names no skill that a rule closes, and none can be read: %s',
  async (rule) => {
    using home = homeWith({ ...SKILLS, '.claude/skills/other/SKILL.md': 'Sing.' });
    const file = join(realpathSync(home.path), '.claude/skills/mine/SKILL.md');
    const config = `tools:\n  ${rule.replace('FILE', file)}\n`;
    mkdirSync(join(home.path, '.ollm'), { recursive: true });
    writeFileSync(join(home.path, '.ollm/config.yaml'), config, { mode: 0o600 });
    await using model = await startToolModel(
      { calls: [{ name: 'skill_read', args: { name: 'mine' } }] },
      { text: 'Fine.' },
    );
    await talk(home, model, 'how many?\n');
    const [first, second] = sentTo(model);
    expect(first).not.toContain('Counts bears');
    expect(first?.includes('other: Sing.')).toBe(!rule.includes('[skill_read]'));
    expect(second).toContain('There is no skill mine');
    expect(second).not.toContain('Count twice.');
  },
);

it('other files of a skill are read with the file tools', async () => {
  using home = homeWith({ ...SKILLS, '.claude/skills/mine/bears.txt': 'Two brown ones.' });
  const path = join(realpathSync(home.path), '.claude/skills/mine/bears.txt');
  await using model = await startToolModel({ calls: [{ name: 'file_read', args: { path } }] }, { text: 'Fine.' });
  await talk(home, model, 'how many?\n');
  expect(sentTo(model)[1]).toContain('Two brown ones.');
});

it('/provider gives a model that follows the search the prompt and the skills', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel({ text: 'Fine.' });
  const { stderr } = await home.here(['repl', '--provider', 'offline'], {
    input: '/provider ollama\nhow many?\n',
    cwd: join(home.path, 'project'),
    env: { HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), OLLAMA_HOST: model.url },
  });
  expect(messagesOf(model, 0)[0]?.content).toMatch(/You are an assistant in a terminal[\s\S]*mine: Counts bears/);
  expect(stderr).toContain('theirs/SKILL.md of this project is not used');
});

it('the prompt names as many skills as fit a small window, with short descriptions, and says so', async () => {
  const files = Array.from({ length: 90 }, (_, index) => [
    `.claude/skills/skill-${String(index).padStart(2, '0')}/SKILL.md`,
    `---\ndescription: ${'Counts bears of all kinds and colors. '.repeat(12)}\n---\nCount.`,
  ]);
  using home = homeWith(Object.fromEntries(files));
  await using model = await startToolModel({ text: 'Fine.' });
  const env = { OLLM_SERVICES__BUDGET__MAX_TOTAL: '8192' };
  const { stderr } = await talk(home, model, 'how many?\n', env);
  const named = messagesOf(model, 0)[0]?.content.match(/^- skill-\d\d: .+$/gm) ?? [];
  expect(named.length).toBeGreaterThan(10);
  expect(named.length).toBeLessThan(90);
  expect(Math.max(...named.map((row) => row.length))).toBeLessThan(60);
  expect(named.join('').length / 4).toBeLessThan(8192 * 0.15);
  expect(stderr).toContain(`Of 90 skills ${named.length} are named to the model`);
});

it('a request without the tool that reads skills names none, and /skills says why', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel({ text: 'Fine.' });
  const { stdout } = await talk(home, model, 'one\n/tool skill_read off\n/skills\ntwo\n/tool skill_read on\nthree\n');
  expect(sentTo(model).map((sent) => sent.includes('Counts bears'))).toEqual([true, false, true]);
  expect(stdout).toMatch(/mine .*not offered: the tool skill_read is off/);
});

it('a question that is asked without tools names no skills', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel({ text: 'Fine.' });
  const env = { HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), OLLAMA_HOST: model.url };
  const cwd = join(home.path, 'project');
  for (const args of [['--no-tools'], []])
    await home.here(['ask', '--provider', 'ollama', ...args, 'how many?'], { cwd, env });
  expect(sentTo(model).map((sent) => sent.includes('Counts bears'))).toEqual([false, true]);
});

it.each([
  ['own', [true, false]],
  ['off', [false, false]],
])('skills: %s leaves out those of other programs', async (which, named) => {
  using home = homeWith({ ...SKILLS, '.ollm/skills/ours/SKILL.md': 'Count our bears.' });
  await using model = await startToolModel({ text: 'Fine.' });
  const { stderr } = await talk(home, model, 'how many?\n', { OLLM_SKILLS: which });
  const [sent] = sentTo(model);
  expect([sent?.includes('ours: Count our bears.'), sent?.includes('mine: Counts bears')]).toEqual(named);
  expect(stderr).not.toContain('of other programs');
});

it('/skills says why a search is offered no skills', async () => {
  using home = homeWith(SKILLS);
  await using model = await startToolModel({ text: 'Fine.' });
  const { stdout } = await talk(home, model, '/skills\n', {}, ['--provider', 'offline']);
  expect(stdout).toMatch(/mine .*not offered: a search needs none/);
});
