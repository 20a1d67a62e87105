// Runs the commands of a page. A fenced block marked ```console holds lines that begin with "$ ", which are run by bash
// in one shell from top to bottom, and under each the output that it must print. In the expected output "…" represents
// anything within a line, a line with only "…" any lines.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface DocumentedCommand {
  readonly command: string;
  readonly expected: readonly string[];
  /** Line of the page, from 1. */
  readonly line: number;
}

/** The commands of all console blocks of a Markdown page, in order. */
export function documentedCommands(page: string): readonly DocumentedCommand[] {
  const found: { command: string; expected: string[]; line: number }[] = [];
  let inside = false;
  readFileSync(page, 'utf8')
    .split('\n')
    .forEach((text, index) => {
      if (text.startsWith('```')) {
        inside = text.trim() === '```console';
        return;
      }
      if (!inside) return;
      if (text.startsWith('$ ')) found.push({ command: text.slice(2), expected: [], line: index + 1 });
      else found.at(-1)?.expected.push(text);
    });
  return found;
}

export interface CommandRun {
  readonly output: string;
  readonly exitCode: number;
}

/** Runs the commands in one bash, so that variables and background jobs live on from one to the next. */
export async function runInOneShell(
  commands: readonly DocumentedCommand[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<readonly CommandRun[]> {
  const mark = `--end-of-command-${process.pid}--`;
  const last = `${mark} the end`;
  const script = [...commands.map(({ command }) => `${command}\necho "${mark} $?"`), `echo "${last}"`].join('\n');
  const output = await new Promise<string>((resolve, reject) => {
    let text = '';
    // Aliases, as in the shell of the reader.
    const shell = spawn('bash', ['-O', 'expand_aliases', '-c', `exec 2>&1\n${script}`], {
      ...options,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    shell.stdout.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8');
      // What still runs in the background may hold the pipe open for longer.
      if (text.includes(last)) resolve(text);
    });
    shell.on('error', reject);
    shell.on('close', () => resolve(text));
  });
  const runs: CommandRun[] = [];
  let rest = output;
  for (let index = 0; index < commands.length; index++) {
    const match = new RegExp(`${mark} (\\d+)\n`).exec(rest);
    if (!match) {
      runs.push({ output: rest, exitCode: -1 });
      rest = '';
      continue;
    }
    runs.push({ output: rest.slice(0, match.index), exitCode: Number(match[1]) });
    rest = rest.slice(match.index + match[0].length);
  }
  return runs;
}

/** Whether `output` equals the output on the page. */
export function outputFits(output: string, expected: readonly string[]): boolean {
  const wanted = trimBlankEnds(expected);
  const pattern = wanted
    .map((line) =>
      line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${line.split('…').map(literally).join('[^\\n]*')}\\s*\\n`,
    )
    .join('');
  return new RegExp(`^\\s*${pattern}\\s*$`).test(`${output.trim()}\n`);
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function trimBlankEnds(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1]?.trim() === '') end--;
  return lines.slice(0, end);
}
