// `ollm serve`: sessions over HTTP, and the page for a browser, until it is stopped.
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { OllmError } from '../../errors/index.ts';
import { onAbort } from '../../platform/waiting.ts';
import type { Certificate } from '../../server/listen.ts';
import type { RunningServer } from '../../server/serve.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly host?: string;
  readonly port?: number;
  readonly tokenFile?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly behindProxy?: boolean;
  readonly open?: boolean;
}

export function defineServe(program: Command, finish: Finish): void {
  const command = program
    .command('serve')
    .description('serve sessions over HTTP, with a page for a browser, until it is stopped')
    .option('--host <address>', 'listen on this address (server.host; default 127.0.0.1)')
    .option('--port <number>', 'listen on this port; 0 takes any that is free (server.port; default 4700)', parseCount)
    .option('--token-file <file>', 'read the token from this file, or make it there (server.tokenFile)')
    .option('--cert <file>', 'speak HTTPS with this certificate, in PEM')
    .option('--key <file>', 'key of the certificate, in PEM')
    .option('--behind-proxy', 'a proxy speaks HTTPS for it; server.hosts names the host that browsers use')
    .option('--open', 'open the page in a browser')
    .action(action<Options, []>(finish, serve));
  withExamples(command, [
    { line: 'ollm serve --open', does: 'read all sessions in a browser' },
    { line: 'ollm serve --port 0 --json', does: 'for a program: one line with the address and the file of the token' },
    { line: 'ollm serve --host 0.0.0.0 --cert cert.pem --key key.pem', does: 'from other machines too, by HTTPS' },
  ]);
}

async function serve(shell: Shell, options: Options): Promise<number> {
  const { output, signal } = shell;
  const { host, port, cert, key, behindProxy } = options;
  if (port !== undefined && port > 65_535) throw new OllmError('USAGE', `${port} is not a port: they end at 65535.`);
  await shell.readSettings('serve');
  const program = await import('../../server/program.ts');
  const server = await program.serve(shell.settingsOptions('serve'), {
    host,
    port,
    tokenFile: options.tokenFile === undefined ? undefined : resolve(options.tokenFile),
    certificate: certificateIn(cert, key),
    isBehindProxy: behindProxy,
    pageDirectory: join(dirname(realpathSync(process.argv[1] ?? '.')), '..', 'dist', 'page'),
  });
  try {
    await announce(shell, server);
    if (options.open) await openPage(shell, server);
    await new Promise<void>((resolve) => onAbort(signal, resolve));
    output.note('Stopping.');
  } finally {
    await server.close();
  }
  return 0;
}

async function announce({ output }: Shell, { address, tokenFile }: RunningServer): Promise<void> {
  if (output.json) await output.line(JSON.stringify({ address, tokenFile, pid: process.pid }));
  else await output.line(`Serving at ${address}`);
  output.note(`Programs come in with the token in ${tokenFile}, a browser with "ollm serve --open". Ctrl-C ends it.`);
}

async function openPage({ output }: Shell, server: RunningServer): Promise<void> {
  const { openInBrowser } = await import('../open-in-browser.ts');
  const link = server.makeLink();
  const isOpened = await openInBrowser(link);
  if (!isOpened) await output.line(`Open this in a browser; it works once: ${link}`);
}

function certificateIn(cert: string | undefined, key: string | undefined): Certificate | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new OllmError('USAGE', '--cert and --key belong together.', { hint: 'Give both.' });
  }
  return { cert: contentOf(cert), key: contentOf(key) };
}

function contentOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new OllmError('IO_FAILED', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
