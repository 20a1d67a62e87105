import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExternalEditor } from '../../../lib/repl/input/external-editor.ts';

const terminal = { lend: <Result>(work: () => Promise<Result>) => work() };
let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'ollm-test-'));
});
afterEach(() => rmSync(temporary, { recursive: true }));

const editorOf = (env: Record<string, string>) =>
  createExternalEditor({ env: { PATH: process.env.PATH!, TMPDIR: temporary, ...env }, terminal });
const { signal } = new AbortController();
const options = { extension: 'md', signal };
const leftovers = () => readdirSync(temporary);

describe("the user's own editor", () => {
  it.each([
    [['nano', 'vi'], 'vi'],
    [['nano'], 'nano'],
  ])('is found from %j on the PATH as %s if no variable names one', async (installed, used) => {
    const bin = mkdtempSync(join(temporary, 'bin-'));
    for (const name of installed) writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} > "$1"\n`, { mode: 0o755 });
    const editor = createExternalEditor({
      env: { PATH: bin, VISUAL: ' ', TMPDIR: temporary },
      terminal,
    })!;
    expect(await editor.edit('', options)).toBe(`${used}\n`);
  });

  it('does not exist if no variable names one and none is installed', () => {
    expect(createExternalEditor({ env: { PATH: temporary, VISUAL: ' ' }, terminal })).toBeUndefined();
  });

  it('is VISUAL before EDITOR, may have arguments, and returns the saved text', async () => {
    const editor = editorOf({ VISUAL: 'sed -i s/old/new/', EDITOR: 'false' })!;
    expect(await editor.edit('an old text\n', options)).toBe('an new text\n');
    expect(leftovers()).toEqual([]);
  });

  it('gets a file that only its user can read, in a directory with the same protection', async () => {
    const script = `stat -c "%a" "$1" "$(dirname "$1")" > ${temporary}/modes #`;
    await editorOf({ EDITOR: `sh -c '${script}' sh` })!.edit('secret', options);
    expect(readFileSync(join(temporary, 'modes'), 'utf8')).toBe('600\n700\n');
  });

  it.each([
    ['no-such-editor-here', 'the program was not found'],
    ['exit 3;', 'it ended with 3'],
    ['kill -9 $$;', 'it was ended'],
    ['rm -f', 'the file is gone'],
  ])('%s fails with an explanation, and leaves no file', async (command, why) => {
    await expect(editorOf({ EDITOR: command })!.edit('text', options)).rejects.toMatchObject({
      code: 'EDITOR_FAILED',
      message: expect.stringContaining(why),
    });
    expect(leftovers()).toEqual([]);
  });

  it('leaves no file if ollm itself ends while the editor runs', () => {
    const module = join(import.meta.dirname, '../../../lib/repl/input/external-editor.ts');
    const program = `
      const { createExternalEditor } = await import(${JSON.stringify(module)});
      const terminal = { lend: () => process.exit(0) };
      const editor = createExternalEditor({ env: { TMPDIR: ${JSON.stringify(temporary)}, EDITOR: 'true' }, terminal });
      await editor.edit('secret', { extension: 'md', signal: new AbortController().signal });`;
    expect(spawnSync(process.execPath, ['--input-type=module', '-e', program]).status).toBe(0);
    expect(leftovers()).toEqual([]);
  });

  it("gets its file in the system's temporary directory if TMPDIR is not set", async () => {
    const editor = editorOf({ TMPDIR: join(temporary, 'missing'), EDITOR: `sh -c 'printf %s "$1" > "$1"' sh` })!;
    expect(await editor.edit('', options)).toMatch(/^\/tmp\/ollm-edit-/);
  });

  it('is ended when the user gives up', async () => {
    const giveUp = new AbortController();
    const editing = editorOf({ EDITOR: 'exec sleep 60 #' })!.edit('text', { extension: 'md', signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 50);
    await expect(editing).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(leftovers()).toEqual([]);
  });
});
