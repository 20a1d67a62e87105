// The clipboard of the user's terminal, also over SSH: by the sequence OSC 52, which most terminals take. tmux ignores
// it by default; there, tmux itself is asked (`load-buffer -w`, since tmux 3.2).
import { startProcess } from '../../platform/processes/child-process.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { StartFailure } from '../../platform/processes/start-failure.ts';

interface Clipboard {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to the terminal as it is. */
  write(text: string): void;
}

/** Hands the text over. No terminal says whether it took it. */
export async function copyToClipboard(text: string, { env, write }: Clipboard): Promise<void> {
  if (env.TMUX && (await copyByTmux(text, env))) return;
  write(`\x1b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\x07`);
}

/** False where tmux cannot be started or refuses: an older one does not know `-w`. */
async function copyByTmux(text: string, env: Clipboard['env']): Promise<boolean> {
  try {
    const program = findProgram('tmux', { path: env.PATH, cwd: '/', untrusted: [process.cwd()] });
    const { TMUX = '', TMUX_TMPDIR } = env;
    const { exited, output } = await startProcess({
      argv: [program, 'load-buffer', '-w', '-'],
      cwd: '/',
      env: { TMUX, ...(TMUX_TMPDIR === undefined ? {} : { TMUX_TMPDIR }) },
      input: text,
      errors: 'merged',
    });
    output.resume();
    return (await exited).exitCode === 0;
  } catch (error) {
    if (error instanceof StartFailure) return false;
    throw error;
  }
}
