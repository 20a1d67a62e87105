import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { installedAgent } from '../../lib/runs/installed.ts';
import { profileOf } from '../../lib/runs/profiles.ts';
import { createTree, type Tree } from '../support/tree.ts';

const put = (tree: Tree, path: string) => {
  tree.write({ [path]: '#!/bin/sh\n' });
  chmodSync(join(tree.root, path), 0o755);
};
const options = ({ root }: Tree) => ({
  home: join(root, 'home'),
  path: `${root}/project/bin:${root}/bin`,
  untrusted: [join(root, 'project')],
});
const OWN = 'home/agents/node_modules/.bin';

describe('the program of an agent', () => {
  it('is the one in the home of ollm, or else in PATH, and never one of a project', () => {
    using tree = createTree({});
    put(tree, 'project/bin/qwen');
    const found = () => installedAgent(profileOf('qwen')!, options(tree)).path;
    expect(found).toThrow(expect.objectContaining({ code: 'AGENT_NOT_INSTALLED' }));
    put(tree, 'bin/qwen');
    expect(found()).toBe(join(tree.root, 'bin/qwen'));
    put(tree, `${OWN}/qwen`);
    expect(found()).toBe(join(tree.root, OWN, 'qwen'));
    chmodSync(join(tree.root, OWN, 'qwen'), 0o644);
    expect(found()).toBe(join(tree.root, 'bin/qwen'));
  });

  it("is an adapter with the user's own program, and not with the launcher that the adapter brought", () => {
    using tree = createTree({});
    put(tree, `${OWN}/codex-acp`);
    put(tree, `${OWN}/codex`);
    const found = () => installedAgent(profileOf('codex')!, options(tree));
    expect(found()).toMatchObject({ path: join(tree.root, OWN, 'codex-acp') });
    put(tree, 'bin/codex');
    expect(found().env).toEqual({ CODEX_PATH: join(tree.root, 'bin/codex') });
  });

  it('is the command of Claude Code itself if its adapter is missing, or if the settings name it', () => {
    using tree = createTree({});
    put(tree, 'bin/claude');
    const found = (program?: string) => installedAgent(profileOf('claude')!, { ...options(tree), program });
    expect(found()).toMatchObject({ path: join(tree.root, 'bin/claude'), command: { family: 'cli' }, env: {} });
    put(tree, 'bin/claude-agent-acp');
    expect(found()).toMatchObject({ command: { family: 'acp' } });
    expect(found(join(tree.root, 'bin/claude'))).toMatchObject({ command: { family: 'cli' } });
  });

  it('is one that is spoken to as the settings say', () => {
    using tree = createTree({});
    put(tree, 'bin/claude');
    put(tree, 'bin/claude-agent-acp');
    const found = (family: 'acp' | 'cli') => installedAgent(profileOf('claude')!, { ...options(tree), family });
    expect(found('cli')).toMatchObject({ path: join(tree.root, 'bin/claude'), command: { family: 'cli' } });
    expect(found('acp')).toMatchObject({ path: join(tree.root, 'bin/claude-agent-acp') });
    rmSync(join(tree.root, 'bin/claude-agent-acp'));
    expect(() => found('acp')).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining('--omit=optional @agentclientprotocol/claude-agent-acp'),
      }),
    );
  });

  it('is refused if it, or the program that an adapter starts, is older than those that were tried', () => {
    using tree = createTree({});
    put(tree, 'bin/codex');
    put(tree, 'bin/codex-acp');
    const found = (versions: Readonly<Record<string, string>>) =>
      installedAgent(profileOf('codex')!, { ...options(tree), versionOf: (path) => versions[basename(path)] });
    const fine: readonly Readonly<Record<string, string>>[] = [
      {},
      { codex: '9.0.0', 'codex-acp': '10.1.0' },
      { codex: 'nightly' },
      { codex: '1.0' },
    ];
    for (const versions of fine) {
      expect(found(versions).env).toEqual({ CODEX_PATH: join(tree.root, 'bin/codex') });
    }
    for (const [program, version] of [
      ['codex', '0.9.999'],
      ['codex-acp', 'v0.0.1-beta.3'],
    ] as const) {
      expect(() => found({ [program]: version })).toThrow(
        expect.objectContaining({
          code: 'AGENT_TOO_OLD',
          message: expect.stringContaining(`${program} ${version} is older than`),
          hint: expect.stringMatching(/npm install .*codex/),
        }),
      );
    }
  });

  it('is reported with the command of its vendor if no registry has it', () => {
    using tree = createTree({});
    expect(() => installedAgent(profileOf('cursor')!, options(tree))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Install it: curl https://cursor.com/install') }),
    );
  });

  it('is reported with the command that installs it, without a second copy of its program', () => {
    using tree = createTree({});
    const hint = () => {
      try {
        installedAgent(profileOf('codex')!, options(tree));
        return '';
      } catch (error) {
        return (error as { hint?: string }).hint ?? '';
      }
    };
    expect(hint()).toContain(`npm install --prefix ${tree.root}/home/agents @agentclientprotocol/codex-acp`);
    put(tree, 'bin/codex');
    expect(hint()).toContain('--omit=optional @agentclientprotocol/codex-acp');
    writeFileSync(join(tree.root, 'bin/codex-acp'), '');
    expect(hint()).toContain('npm install');
  });
});
