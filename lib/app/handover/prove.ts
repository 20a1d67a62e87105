// Proves that a program takes a conversation over: the installed program itself continues the session that was written
// for it, and its request to the model is compared. It runs in a sandbox whose only network is a loopback of its own,
// with an empty directory in the place of the user's home and of the project; nothing answers it, and it is ended as
// soon as its request was seen.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import { loadAgent } from '../../agents/registry.ts';
import { printableLine } from '../../display/printable.ts';
import { OllmError } from '../../errors/index.ts';
import { LOCAL_RUNS, type LocalRun } from '../../handover/proof/local-runs.ts';
import { type Comparison, compareRequest, type PartCounts } from '../../handover/proof/missing-parts.ts';
import { sentParts } from '../../handover/proof/sent-parts.ts';
import type { Target, WrittenSession } from '../../handover/target.ts';
import type { TargetName } from '../../handover/targets.ts';
import { isInside } from '../../platform/files/inside.ts';
import { realPathOf, removeTree, writeAll } from '../../platform/files/io.ts';
import { parseObject } from '../../platform/json.ts';
import { startProcess } from '../../platform/processes/child-process.ts';
import { absoluteEntries } from '../../platform/processes/find-program.ts';
import { temporaryDirectory } from '../../platform/processes/temporary-directory.ts';
import { workerFile } from '../../platform/processes/worker-file.ts';
import { waitFor } from '../../platform/waiting.ts';
import { installedProgram } from '../../runs/installed.ts';
import { createOutputBuffer } from '../../tools/output-buffer.ts';
import { findSandbox } from '../../tools/sandbox/find-sandbox.ts';
import { lookAt } from '../../tools/sandbox/look.ts';
import { toolchainPlaces } from '../../tools/sandbox/toolchain.ts';
import type { Sandbox, SandboxFinding } from '../../tools/sandboxing.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';

/** A session that is to be handed over. */
interface Proving {
  readonly to: TargetName;
  readonly target: Target;
  readonly session: WrittenSession;
  readonly content: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Proof {
  /** The path of the program. */
  readonly program: string;
  /** Parts of the session, and those of them that are in its request. */
  readonly counts: PartCounts;
}

/** Nothing else listens in the network of the sandbox. */
const PORT = 4711;
const PROMPT = 'Where did we stop? Answer with one word.';
const TIMEOUT_MS = 180_000;
const OUTPUT_BYTES = 64 * 1024;
const MAX_REQUEST_BYTES = 256 * 1024 * 1024;
const SHOWN_LINES = 3;

/**
 * @example
 * const { counts } = await prove(app, { to: 'qwen', target, session, content: target.contentOf(session) });
 * @throws OllmError AGENT_NOT_INSTALLED; AGENT_START_FAILED (a sandbox is missing); AGENT_FAILED (it sent no request);
 * IO_FAILED (its request lacks a part); INTERRUPTED
 */
export async function prove(app: App, proving: Proving, finding = findSandbox()): Promise<Proof> {
  const { to, session, signal } = proving;
  const { title } = await loadAgent(to);
  const run: LocalRun = LOCAL_RUNS[to];
  const program = installedProgram(
    { program: to, package: run.package, name: title },
    { home: app.paths.home, path: app.env.PATH, untrusted: [app.paths.project] },
  );
  const sandbox = usable(await finding, title);
  const parent = temporaryDirectory();
  const place = join(parent.length > LONGEST_PARENT ? '/tmp' : parent, `ollm-proof-${app.ids.token()}`);
  const asked = new Asked(session, run);
  const { fileSystem } = app;
  try {
    for (const name of [place, join(place, HOME), join(place, PROJECT), join(place, LINK)]) {
      fileSystem.makeDirectory(name, 0o700);
    }
    const socket = join(place, LINK, 'socket');
    await using _listening = await listen(asked, run.model, socket);
    const outcome = await inSandbox(app, { sandbox, program, run, proving, place, socket, asked, signal });
    const { best } = asked;
    if (best === undefined) throw noRequest(title, outcome);
    if (best.missing === undefined) return { program, counts: best.counts };
    throw new OllmError('IO_FAILED', `${title} does not send all of it to its model: not ${best.missing}.`, {
      hint: `It sends ${inWords(best.counts)}, and may shorten a long conversation. Nothing was written; without --prove it is.`,
      data: { ...best.counts },
    });
  } finally {
    removeTree(place);
  }
}

/** `15 of 15 texts, 3 of 5 calls` */
function inWords(counts: PartCounts): string {
  return Object.entries(counts)
    .flatMap(([kind, { written, sent }]) => (written === 0 ? [] : [`${sent} of ${written} ${kind}`]))
    .join(', ');
}

/** The path of a socket has at most 107 bytes. */
const LONGEST_PARENT = 50;
/** Below the private place. */
const HOME = 'home';
const PROJECT = 'project';
const LINK = 'link';

function usable(found: SandboxFinding, title: string): Sandbox {
  if (found.available && found.sandbox.hasStandIns) return found.sandbox;
  const reason = found.available
    ? `${found.sandbox.name} cannot give it a loopback and a home of its own.`
    : found.reason;
  throw new OllmError('AGENT_START_FAILED', `${title} was not started: a proof needs a sandbox. ${reason}`, {
    hint: 'Nothing was written. Without --prove the session is written, and read back by ollm.',
  });
}

function noRequest(title: string, { ended, output }: Outcome): OllmError {
  const lines = output
    .split('\n')
    .map(printableLine)
    .filter((line) => line.trim() !== '');
  const said = lines.length === 0 ? 'It printed nothing.' : `It printed: ${lines.slice(-SHOWN_LINES).join(' / ')}`;
  return new OllmError('AGENT_FAILED', `${title} sent no request with the session: ${ended}.`, {
    hint: `${said.slice(0, 1000)} Nothing was written; without --prove it is.`,
  });
}

/** The requests of the program to its model, as far as they are about the session. */
class Asked {
  readonly #session: WrittenSession;
  readonly #newNames: LocalRun['newNames'];
  readonly #complete = Promise.withResolvers<void>();
  best: Comparison | undefined;

  constructor(session: WrittenSession, { newNames }: LocalRun) {
    this.#session = session;
    this.#newNames = newNames;
  }

  get complete(): Promise<void> {
    return this.#complete.promise;
  }

  /** A request without the prompt, or with less of the session, is for something else: a title, for example. */
  add(body: unknown): void {
    const parts = sentParts(body);
    if (!parts.some((part) => part.kind === 'text' && part.role === 'user' && part.text.includes(PROMPT))) return;
    const comparison = compareRequest(this.#session.items, parts, this.#newNames);
    if (this.best === undefined || sentIn(comparison) > sentIn(this.best)) this.best = comparison;
    if (comparison.missing === undefined) this.#complete.resolve();
  }
}

function sentIn({ counts }: Comparison): number {
  return Object.values(counts).reduce((sum, { sent }) => sum + sent, 0);
}

async function listen(asked: Asked, model: string, socket: string): Promise<AsyncDisposable> {
  const server: Server = createServer((request, response) => {
    answer(request, response, { asked, model }).catch(() => response.destroy());
  });
  await new Promise<void>((listens, fails) => server.once('error', fails).listen(socket, listens));
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Lists the one model. Every question is refused, in a way that no program repeats. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { asked, model }: { readonly asked: Asked; readonly model: string },
): Promise<void> {
  const say = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (request.method !== 'POST') {
    say(200, { object: 'list', data: [{ id: model, object: 'model' }] });
    return;
  }
  const body = inflated(await buffer(request), request.headers['content-encoding']);
  asked.add(parseObject(body.toString()));
  const message = 'This is a test of ollm: nothing answers.';
  say(400, { type: 'error', error: { type: 'invalid_request_error', code: 400, status: 'INVALID_ARGUMENT', message } });
}

function inflated(bytes: Buffer, encoding: string | undefined): Buffer {
  const options = { maxOutputLength: MAX_REQUEST_BYTES };
  if (encoding === 'gzip') return zlib.gunzipSync(bytes, options);
  if (encoding === 'zstd') return zlib.zstdDecompressSync(bytes, options);
  return bytes;
}

interface Outcome {
  /** How it ended, as the end of a sentence. */
  readonly ended: string;
  readonly output: string;
}

async function inSandbox(
  app: App,
  given: {
    readonly sandbox: Sandbox;
    readonly program: string;
    readonly run: LocalRun;
    readonly proving: Proving;
    readonly place: string;
    readonly socket: string;
    readonly asked: Asked;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Outcome> {
  const { sandbox, program, run, proving, place, socket, asked, signal } = given;
  const { cwd, id: uuid } = proving.session;
  const home = realPathOf(app.fileSystem, homeDirectoryOf(app)) ?? homeDirectoryOf(app);
  const url = `http://127.0.0.1:${PORT}`;
  for (const [path, text] of Object.entries(run.files(url))) write(app, join(place, HOME, path), text);
  if (isInside(home, cwd) && cwd !== home) app.fileSystem.makeDirectory(join(place, HOME, cwd.slice(home.length)));
  const path = await writeSession(app, proving, { home, privateHome: join(place, HOME) });
  const id = proving.target.idOf?.(uuid) ?? uuid;
  const [, ...takesIn] = proving.target.takesIn?.(path) ?? [];
  const commands = [...(takesIn.length === 0 ? [] : [takesIn]), run.turn(PROMPT, id)];
  const relay = workerFile('app/handover/relay', import.meta.url);
  const node = process.execPath;
  const words = JSON.stringify({ socket, port: PORT, commands: commands.map((args) => [program, ...args]) });
  const search = absoluteEntries(app.env.PATH ?? '').filter((entry) => !isInside(home, entry));
  const folders = [dirname(program), ...search, dirname(node)];
  const confined = sandbox.confine(
    [node, '--no-warnings', relay, words],
    {
      ...{ writable: [join(place, LINK)], protected: [], hidden: [], network: false },
      visible: [...placesOf(app, program, { folders, home }), ...CERTIFICATES, node, relay],
      standIns: [
        { path: home, by: join(place, HOME) },
        ...(isInside(home, cwd) || cwd === '/' ? [] : [{ path: cwd, by: join(place, PROJECT) }]),
      ],
    },
    cwd,
  );
  const output = createOutputBuffer(OUTPUT_BYTES);
  try {
    const env = { HOME: home, PATH: folders.join(':'), LANG: 'C.UTF-8', TERM: 'dumb', USER: 'me', ...run.env(url) };
    const { argv, inherited } = confined;
    const child = await startProcess({ argv, inherited, cwd: '/', env, errors: 'merged', name: program });
    child.output.on('data', (chunk: Uint8Array) => output.add(chunk));
    child.output.on('error', () => undefined);
    const waited = await waitFor(Promise.race([child.exited, asked.complete]), { signal, timeoutMs: TIMEOUT_MS });
    child.signalGroup('SIGKILL');
    await child.exited;
    child.output.destroy();
    if (waited.kind === 'aborted') throw new OllmError('INTERRUPTED', 'Stopped.');
    const exit = waited.kind === 'done' ? waited.value : undefined;
    const ended =
      waited.kind === 'timeout'
        ? `it was ended after ${TIMEOUT_MS / 1000} seconds`
        : `it ended with ${exit?.exitCode ?? exit?.killedBy}`;
    return { ended, output: Buffer.from(output.bytes()).toString() };
  } finally {
    confined.end?.();
  }
}

/** The path of the session as the program sees it. The bytes are those that are handed over. */
async function writeSession(
  app: App,
  { to, target, session, content }: Proving,
  { home, privateHome }: { readonly home: string; readonly privateHome: string },
): Promise<string> {
  const seen = async (): Promise<string> => {
    const [at = home] = (await loadAgent(to)).places({ env: {}, home, platform: process.platform });
    // No project has a name there yet.
    return join(
      at,
      target.pathOf({ ...session, folder: target.folder(session.cwd, at, { readSmall: () => undefined }) }),
    );
  };
  const path = target.takesIn === undefined ? await seen() : join(home, basename(target.pathOf(session)));
  write(app, join(privateHome, path.slice(home.length)), content);
  return path;
}

function write({ fileSystem }: App, path: string, text: string): void {
  fileSystem.makeDirectory(dirname(path), 0o700);
  using handle = fileSystem.open(path, 'create', 0o600);
  writeAll(handle, Buffer.from(text));
}

/** The program with all packages that were installed together with it, and the toolchain. */
function placesOf(
  { fileSystem }: App,
  program: string,
  { folders, home }: { readonly folders: readonly string[]; readonly home: string },
): readonly string[] {
  const look = lookAt(fileSystem);
  const real = realPathOf(fileSystem, program) ?? program;
  const packages = [program, real].map((path) => {
    const end = path.indexOf(`/${MODULES}/`);
    return end < 0 ? dirname(path) : path.slice(0, end + MODULES.length + 1);
  });
  return [...packages, ...toolchainPlaces({ platform: process.platform, path: folders, home, look })];
}

const MODULES = 'node_modules';
/** Without them some programs ask no server at all, not even one that needs none. */
const CERTIFICATES = [
  ...['/etc/ssl/certs', '/etc/ssl/cert.pem', '/etc/ssl/openssl.cnf', '/etc/ca-certificates'],
  ...['/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted'],
];
