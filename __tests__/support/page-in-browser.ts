// The page in a real Chromium against a real server: one browser, one server and one home for the tests of a file.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createHome, type Home } from './cli.ts';
import { atRest, type Served, serve } from './served.ts';
import { inTime, until } from './until.ts';

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
/** Without a Chromium the page is not tried here: CI installs one. */
export const inBrowser = CHROMIUM === undefined ? describe.skip : describe;
export const QUIET = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
  '--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication',
];
const PATIENCE_MS = 120_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** Addresses outside of the server that were asked for, errors that were thrown, dialogs that were shown. */
  readonly faults: string[];
}

export interface ServedPage {
  readonly home: Home;
  /** The directory that the server was started in. */
  readonly project: string;
  readonly browser: Browser;
  readonly server: Served;
  /** A browser of its own that was let in. */
  open(path?: string, options?: BrowserContextOptions): Promise<OpenedPage>;
  /** A browser of its own that was not let in. */
  openStranger(path: string): Promise<OpenedPage>;
  /** Makes a session by `ollm append` in this process, in the project. */
  append(id: string, lines: readonly object[]): Promise<void>;
  /** A turn to its end; makes the session where there is none. */
  turn(id: string, prompt: string): Promise<void>;
  /** Runs the command line in this process, in the home of the server. */
  run(...args: readonly string[]): Promise<void>;
  /** Brings the catalogue up to date, once the server has ended its first sync. */
  sync(): Promise<void>;
  /** Starts the server again at its address, after it was ended. */
  serveAgain(): Promise<void>;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Called before the server starts, with the home and the project. */
  readonly prepare?: (home: Home, project: string) => void | Promise<void>;
}

export async function servePage({ env, prepare }: ServeOptions = {}): Promise<ServedPage> {
  const home = createHome();
  const project = join(home.path, 'garden');
  mkdirSync(project);
  await prepare?.(home, project);
  const options = { cwd: project, env: { OLLM_HOME: join(home.path, 'ollm'), ...env } };
  let server = await serve(home, [], options);
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: QUIET });
  let entered: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;

  const openIn = async (context: BrowserContext): Promise<OpenedPage> => {
    context.on('page', limitWaits);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.address)) faults.push(request.url());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('dialog', (dialog) => {
      faults.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    return { page, faults, [Symbol.asyncDispose]: () => context.close() };
  };
  /** The cookie of a browser that was let in once: each link works once. */
  const entry = async () => {
    if (entered !== undefined) return entered;
    const context = await browser.newContext();
    const { page } = await openIn(context);
    const { body } = await server.post('/api/auth/codes', {}, { headers: { origin: server.address } });
    await page.goto(server.address + body.data.path);
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
    const { cookies } = await context.storageState();
    await context.close();
    entered = { cookies, origins: [] };
    return entered;
  };

  return {
    home,
    project,
    browser,
    get server() {
      return server;
    },
    async open(path = '/', contextOptions = {}) {
      const opened = await openIn(
        await browser.newContext({
          viewport: { width: 1280, height: 800 },
          reducedMotion: 'reduce',
          storageState: await entry(),
          ...contextOptions,
        }),
      );
      await opened.page.goto(server.address + path);
      return opened;
    },
    async openStranger(path) {
      const opened = await openIn(await browser.newContext({ viewport: { width: 1280, height: 800 } }));
      await opened.page.goto(server.address + path);
      return opened;
    },
    async append(id, lines) {
      const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const { exitCode, stderr, stdout } = await home.here(['append', id, '--create'], { ...options, input });
      if (exitCode !== 0) throw new Error(`ollm append failed with ${exitCode}: ${stderr}${stdout}`);
    },
    async turn(id, prompt) {
      const known = await server.ask(`/api/llm/sessions/${id}`);
      const body = { prompt, answerer: 'offline' };
      const { status, text } =
        known.status === 200
          ? await server.post(`/api/llm/sessions/${id}/turns`, body)
          : await server.post('/api/llm/sessions', { ...body, name: id });
      if (status >= 300) throw new Error(`The turn was answered with ${status}: ${text}`);
      await atRest(server, id);
    },
    async run(...args) {
      const { exitCode, stderr } = await home.here(args, options);
      if (exitCode !== 0) throw new Error(`ollm ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
    },
    sync: () => until(async () => (await home.here(['sync', '--json'], options)).stdout !== ''),
    async serveAgain() {
      server = await serve(home, ['--port', new URL(server.address).port], options);
    },
    async close() {
      await inTime(browser.close(), 'The end of the browser').finally(async () => {
        await server[Symbol.asyncDispose]();
        home[Symbol.dispose]();
      });
    },
  };
}

/** Gives each wait in a page a limit. Playwright gives an evaluation none, and a browser that hangs answers none. */
export function limitWaits(page: Page): void {
  // A machine that does much else takes a multiple of what an idle one does.
  page.setDefaultTimeout(PATIENCE_MS);
  const evaluate = page.evaluate.bind(page) as (...given: unknown[]) => Promise<unknown>;
  const limited = (...given: unknown[]) => inTime(evaluate(...given), `The page, by ${String(given[0]).slice(0, 80)},`);
  page.evaluate = limited as Page['evaluate'];
}

/** Waits until a page has drawn some frames: two seconds at most, because one without a change may draw none. */
export async function framesDrawn(page: Page, count = 2): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    let left = ${count};
    const next = () => ((left -= 1) < 0 ? setTimeout(done) : requestAnimationFrame(next));
    next();
    setTimeout(done, 2000);
  })`);
}

/** A picture of one dot, as PNG. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The field that prompts are typed into. */
export const messageBox = (page: Page) => page.getByRole('textbox', { name: 'Message' });

/** Waits until an expression is true in the page. */
export function comesTrue(page: Page, expression: string, patienceMs?: number): Promise<void> {
  return until(async () => Boolean(await page.evaluate(expression)), patienceMs);
}

/** What axe-core finds, each with the first element. */
export async function violationsOf(page: Page): Promise<readonly unknown[]> {
  // Loading it takes several times as long as a run of it.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(`axe.run({ resultTypes: ['violations'] })`)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

/**
 * Watches the shifts of the layout that no input caused, from now on, by the browser's own count.
 * @returns the shifts since
 */
export async function watchShifts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`(() => {
    globalThis.shifted = [];
    const nameOf = (node) => (node?.nodeType === 1 ? node : node?.parentElement)?.className ?? 'gone';
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries())
        globalThis.shifted.push([value.toFixed(4), ...sources.map(({ node }) => nameOf(node))].join(' '));
    }).observe({ type: 'layout-shift' });
  })()`);
  return async () => {
    // What a frame moved is reported after the next.
    await framesDrawn(page);
    return (await page.evaluate('globalThis.shifted')) as string[];
  };
}

/** How much wider the page is than its window, in pixels. */
export async function overflowOf(page: Page): Promise<number> {
  return (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
}
