import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome } from '../../support/cli.ts';

// The examples of docs/mcp.md run the rest.
describe('ollm mcp add', () => {
  it('keeps a server of that name without --replace, and refuses a variable without a value', async () => {
    using home = createHome();
    const cwd = join(home.path, 'project');
    mkdirSync(cwd);
    const run = (...words: string[]) => home.here(['mcp', 'add', ...words], { cwd });
    const path = join(home.path, '.cursor/mcp.json');
    const user = ['--agent', 'cursor', '--scope', 'user'];
    expect(await run('docs', ...user, '--env', 'KEY=one', '--', 'docs-server', '--fast')).toMatchObject({
      exitCode: 0,
    });
    const before = readFileSync(path, 'utf8');
    expect(JSON.parse(before)).toEqual({
      mcpServers: { docs: { command: 'docs-server', args: ['--fast'], env: { KEY: 'one' } } },
    });
    const refused = await run('docs', ...user, 'other');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--replace')]);
    for (const wrong of [
      ['--env', 'KEY', '--', 'x'],
      ['--header', 'x', 'https://example.org'],
    ]) {
      expect(await run('more', ...user, ...wrong)).toMatchObject({ exitCode: 2 });
    }
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(await run('docs', ...user, '--replace', 'other')).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(path, 'utf8')).mcpServers.docs).toEqual({ command: 'other' });
    const local = await run('docs', '--agent', 'codex', '--scope', 'local', 'x');
    expect([local.exitCode, local.stderr]).toEqual([2, expect.stringContaining('codex has no servers of the scope')]);
    expect(existsSync(join(home.path, '.codex'))).toBe(false);
  });
});
