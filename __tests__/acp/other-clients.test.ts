// `ollm acp` asked by a client of another maker: acpx, which drives the agents of editors from a shell.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf } from '../agents/programs/program.ts';
import { createHome, OLLM } from '../support/cli.ts';

interface Message {
  readonly method?: string;
  readonly params?: { readonly update?: { readonly sessionUpdate: string; readonly content?: unknown } };
  readonly result?: { readonly stopReason?: string };
}

const command = commandOf({ agent: 'acpx' });
const WRITE = 'file_write {"path":"light.txt","content":"green\\n"}';

if (command === undefined) it.skip('acpx (skipped where it is not installed: run .ci/install-agents)', () => {});
else {
  const ask = async (options: readonly string[], prompt: string) => {
    using home = createHome();
    const project = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-acpx-')));
    try {
      mkdirSync(join(project, '.git'));
      writeFileSync(join(project, 'notes.md'), 'The harbour light is green.\n');
      const agent = `${process.execPath} ${OLLM} acp --provider offline`;
      const words = ['--agent', agent, '--cwd', project, '--timeout', '60', ...options, 'exec', prompt];
      const env = { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path };
      const output = await new Promise<string>((resolve) =>
        execFile(process.execPath, [command, ...words], { cwd: project, env }, (_, stdout) => resolve(stdout)),
      );
      const written = join(project, 'light.txt');
      return { output, written: existsSync(written) ? readFileSync(written, 'utf8') : undefined };
    } finally {
      rmSync(project, { recursive: true });
    }
  };

  it('acpx begins a session, sends a prompt and shows the answer', async () => {
    const { output } = await ask(['--format', 'text'], 'Where is the harbour light?');
    expect(output).toContain('The harbour light is green.');
    expect(output).toContain('[done] end_turn');
  });

  it('acpx is asked for permission with a diff, and its yes lets the call run', async () => {
    const { output, written } = await ask(['--approve-all', '--format', 'json'], WRITE);
    const messages = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Message);
    expect(messages.filter(({ method }) => method === 'session/request_permission')).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain('"type":"diff"');
    expect(messages.at(-1)?.result?.stopReason).toBe('end_turn');
    expect(written).toBe('green\n');
  });

  it('acpx answers no, and nothing is written', async () => {
    const { output, written } = await ask(['--deny-all', '--format', 'text'], WRITE);
    expect(output).toContain('The user did not allow the call');
    expect(written).toBeUndefined();
  });
}
