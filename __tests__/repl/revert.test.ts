import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, parseLines } from '../support/cli.ts';
import { linesWith, pressKey } from '../support/press-key.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { createTree } from '../support/tree.ts';
import { openPipedRepl } from './piped-repl.ts';
import { startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;

/** A terminal on which a model has changed greet.ts, after the user said yes. */
async function changed(columns: number) {
  const home = createHome();
  const project = createTree({ 'greet.ts': 'export const hi = 1;\n', '.git/HEAD': 'ref: refs/heads/main\n' });
  const edit = { path: 'greet.ts', old_string: 'hi = 1', new_string: 'hi = 2' };
  const model = await startToolModel({ calls: [{ name: 'file_edit', args: edit }] }, { text: 'Changed.' });
  const terminal = openTerminalHere(['repl', '--provider', 'ollama', '--name', 'talk'], {
    columns,
    rows: 30,
    cwd: project.root,
    env: {
      PATH: process.env.PATH!,
      HOME: home.path,
      OLLM_HOME: home.path,
      OLLAMA_HOST: model.url,
      OLLM_TOOLS__ALLOW: 'file_edit',
    },
  });
  await terminal.waitFor(PROMPT);
  terminal.type('Say two\r');
  await terminal.waitFor(/Changed\./);
  await terminal.waitFor(PROMPT);
  return {
    terminal,
    run: (...args: string[]) => home.run(args, { cwd: project.root }),
    content: () => readFileSync(join(project.root, 'greet.ts'), 'utf8'),
    change: (text: string) => writeFileSync(join(project.root, 'greet.ts'), text),
    reverts: () =>
      parseLines(readFileSync(home.journal('talk'), 'utf8')).filter(({ type }) => type === 'files.reverted'),
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      project[Symbol.dispose]();
    },
  };
}

describe('/undo after tools changed files', () => {
  it.each([40, 80, 120])('shows the diff and restores the file after a yes, in %d columns', async (columns) => {
    await using scene = await changed(columns);
    const { terminal } = scene;
    terminal.type('/undo\r');
    await terminal.waitFor(/Put it back\?/);
    expect(terminal.lines().join('\n')).toMatch(
      /restore: greet\.ts \(\+1 −1\)[\s\S]*-export const hi = 2[\s\S]*\+export const hi = 1/,
    );
    await pressKey(terminal, 'y', () => linesWith(terminal, 'restored: greet.ts') > 0);
    expect(scene.content()).toBe('export const hi = 1;\n');
    expect(scene.reverts()).toHaveLength(2);
  });

  it('keeps the file after a no, and /revert offers it later, unless it changed since', async () => {
    await using scene = await changed(80);
    const { terminal } = scene;
    terminal.type('/undo\r');
    await terminal.waitFor(/Put it back\?/);
    await pressKey(terminal, 'n', () => linesWith(terminal, 'Nothing was changed.') > 0);
    expect(scene.content()).toBe('export const hi = 2;\n');
    expect(scene.reverts()).toHaveLength(0);
    scene.change('export const hi = 3;\n');
    terminal.type('/revert\r');
    await terminal.waitFor(/not put back: greet\.ts was changed after/);
    expect(scene.content()).toBe('export const hi = 3;\n');
  });
});

describe('/diff', () => {
  it('shows each file that tools changed, from before the session until now, and changes nothing', async () => {
    await using scene = await changed(80);
    const { terminal } = scene;
    terminal.type('/diff\r');
    await terminal.waitFor(/greet\.ts \+1 −1/);
    await terminal.waitFor(/-export const hi = 1/);
    await terminal.waitFor(/\+export const hi = 2/);
    await terminal.waitFor(PROMPT);
    expect(scene.content()).toBe('export const hi = 2;\n');
    scene.change('export const hi = 3;\n');
    terminal.type('/diff greet.ts\r');
    await terminal.waitFor(/changed after the tools had changed it/);
    await terminal.waitFor(/\+export const hi = 3/);
    expect(scene.reverts()).toHaveLength(0);
  });
});

describe('/revert through a pipe', () => {
  it('reports that nothing was changed, and changes nothing', async () => {
    using repl = await openPipedRepl();
    repl.enter('/revert');
    repl.end();
    expect(await repl.exitCode).toBe(0);
    expect(repl.shown.output).toContain('No file is changed by tools of this session, or all were put back.');
  });
});

it('ollm revert of a session that a REPL holds changes nothing and names /revert, which restores the file', async () => {
  await using scene = await changed(80);
  const { terminal } = scene;
  const { stderr, exitCode } = await scene.run('revert', 'talk', '--yes');
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/Session talk is open in ollm repl \(pid \d+\)\.[\s\S]*Type \/revert in that REPL/);
  expect(scene.content()).toContain('hi = 2');
  expect((await scene.run('revert', 'talk', '--dry-run')).stdout).toContain('restore: greet.ts');
  terminal.type('/revert\r');
  await terminal.waitFor(/Put it back\?/);
  await pressKey(terminal, 'y', () => linesWith(terminal, 'restored: greet.ts') > 0);
  expect(scene.content()).toContain('hi = 1');
});
