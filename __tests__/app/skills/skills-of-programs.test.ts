// The skills that ollm lists for Codex and Gemini CLI are those that the programs themselves list, where they are
// installed: one home and one repository, asked by both.
import { spawn, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { commandOf } from '../../agents/programs/program.ts';
import { createHome, type Home } from '../../support/cli.ts';
import { createTree, type Tree } from '../../support/tree.ts';

const [codex, gemini] = [commandOf({ agent: 'codex' }), commandOf({ agent: 'gemini' })];
for (const [name, command] of Object.entries({ codex, gemini })) {
  if (command === undefined) console.log(`skipped: ${name} is not installed; .ci/install-agents does that`);
}

(codex === undefined ? it.skip : it)('the skills listed for Codex are those that Codex lists', async () => {
  using home = createHome();
  using project = filled(home);
  const cwd = join(project.root, 'lib');
  const own = await skillsOfCodex(codex!, home, cwd);
  expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(['deep', 'near', 'old', 'linked', 'unnamed']));
  const { skills } = JSON.parse((await home.here(['skills', '--agent', 'codex', '--json'], { cwd })).stdout);
  const shown = (skills as Own[]).map(({ name, scope }) => `${scope} ${name}`);
  expect(shown.sort()).toEqual(own.map(({ name, scope }) => `${scope} ${name}`).sort());
});

(gemini === undefined ? it.skip : it)('the skills listed for Gemini CLI are those that Gemini CLI lists', async () => {
  using home = createHome();
  using project = filled(home);
  const cwd = join(project.root, 'lib');
  const { stdout, stderr } = spawnSync(process.execPath, [gemini!, 'skills', 'list'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home.path, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    encoding: 'utf8',
  });
  const own = [...`${stdout}${stderr}`.matchAll(/^(\S.*) \[Enabled\]$/gm)].map(([, name = '']) => name);
  expect(own).toEqual(expect.arrayContaining(['gem', 'shared']));
  const { skills } = JSON.parse((await home.here(['skills', '--agent', 'gemini', '--json'], { cwd })).stdout);
  expect((skills as Own[]).map(({ name }) => name).sort()).toEqual(own.sort());
});

interface Own {
  readonly name: string;
  readonly scope: string;
}

function filled(home: Home): Tree {
  const tree = createTree({
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/objects/': '',
    '.git/refs/': '',
    '.agents/skills/a/b/deep/SKILL.md': skill('deep', 'Far below'),
    'lib/.codex/skills/near/SKILL.md': skill('near', 'Near'),
    'lib/.gemini/skills/gem/SKILL.md': skill('gem', 'Of the workspace'),
    'lib/.agents/skills/low/SKILL.md': skill('low', 'Of both'),
    'lib/.agents/skills/SKILL.md': skill('itself', 'In the directory itself'),
    'lib/.agents/skills/bad/SKILL.md': '---\nname: [\n---\n',
    'lib/.agents/skills/none/SKILL.md': 'No front matter',
    'lib/.agents/skills/colon/SKILL.md': skill('colon', 'Use when: it has a colon'),
    'linked/SKILL.md': skill('linked', 'Behind a link'),
  });
  symlinkSync('../../../linked', join(tree.root, 'lib/.agents/skills/linked'));
  const ofUser = {
    '.codex/skills/old/SKILL.md': skill('old', 'In the old place'),
    '.agents/skills/shared/SKILL.md': skill('shared', 'For several'),
    '.agents/skills/unnamed/SKILL.md': '---\ndescription: Without a name\n---\n',
    '.gemini/skills/gem/SKILL.md': skill('gem', 'Of the user'),
    '.gemini/skills/odd/SKILL.md': skill('"a/b: c"', 'With other characters'),
  };
  const copy = createTree(ofUser);
  spawnSync('cp', ['-r', `${copy.root}/.`, home.path]);
  copy[Symbol.dispose]();
  return tree;
}

function skill(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it.\n`;
}

/** By its own server of tools, which needs no network. */
async function skillsOfCodex(command: string, home: Home, cwd: string): Promise<Own[]> {
  const child = spawn(command, ['app-server'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home.path },
    stdio: 'pipe',
  });
  try {
    const requests = [
      { id: 1, method: 'initialize', params: { clientInfo: { name: 'ollm', version: '1' } } },
      { method: 'initialized' },
      { id: 2, method: 'skills/list', params: { cwds: [cwd], forceReload: true } },
    ];
    for (const request of requests) child.stdin.write(`${JSON.stringify(request)}\n`);
    for await (const line of createInterface(child.stdout)) {
      const message = JSON.parse(line);
      if (message.id === 2) return message.result.data[0].skills;
    }
    throw new Error('Codex ended without an answer.');
  } finally {
    child.kill();
  }
}
