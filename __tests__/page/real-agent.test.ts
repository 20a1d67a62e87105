// An agent of another maker, as .ci/install-agents installs it, worked with in the page: offline, with a model server
// of the test. The server of the page and the browser are where the agent is, so that nothing reaches further.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Page } from 'playwright-core';
import { claude } from '../agents/programs/claude.ts';
import { codex } from '../agents/programs/codex.ts';
import { qwen } from '../agents/programs/qwen.ts';
import { askedCall, foldersOf } from '../lead/runs/run-programs.ts';
import { OLLM } from '../support/cli.ts';
import { endWithTests } from '../support/end-with-tests.ts';
import { goOffline, type Offline } from '../support/offline.ts';
import { CHROMIUM, limitWaits, messageBox, QUIET } from '../support/page-in-browser.ts';

const plain = { prompt: 'Which port does the server take?', answer: 'The server takes port 4711.' };
const ports = Array.from({ length: 40 }, (_, index) => `Port ${1000 + index * 20}.`).join(' ');
const slow = { prompt: 'List the ports below 2000.', answer: ports, isSlow: true };
const next = { prompt: 'And which one does the other take?', answer: 'The other takes port 4712.' };

const AGENTS = [
  { program: qwen, title: 'Qwen Code' },
  { program: claude, title: 'Claude Code' },
  { program: codex, title: 'Codex' },
];
const SCENE = 'a real $title is started, asked, answered for, queued for, stopped and taken up again in the page';
it.each(AGENTS)(SCENE, async ({ program, title }) => {
  const folders = foldersOf(program);
  if (folders === undefined || CHROMIUM === undefined) return console.warn(`${title} or Chromium is not installed`);
  const call = askedCall(program, 'echo run >> made.txt && cat made.txt');
  const working = { prompt: 'Make the file now.', call, answer: 'It is made.' };
  await using offline = await goOffline([plain, working, slow, next], program.files);
  const cwd = join(offline.home, 'project');
  for (const folder of ['project', '.ollm']) mkdirSync(join(offline.home, folder));
  const services = { environment: { allowList: Object.keys(program.env(offline.url)) } };
  writeFileSync(join(offline.home, '.ollm', 'config.yaml'), JSON.stringify({ trustedDirectories: [cwd], services }));
  const env = {
    ...program.env(offline.url),
    PATH: [...folders, dirname(process.execPath), process.env.PATH].join(':'),
  };

  await using browser = await chromium.launch({ executablePath: commandInside(offline, CHROMIUM), args: QUIET });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  limitWaits(page);
  const enter = async (): Promise<() => Promise<unknown>> => {
    const { address, token, end } = await serveInside(offline, { cwd, env });
    const ask = `fetch('${address}/api/auth/codes', { method: 'POST', body: '{}', headers: {
      origin: '${address}', authorization: 'Bearer ${token}', 'content-type': 'application/json' } })
      .then((answer) => answer.json()).then(({ data }) => console.log(data.path))`;
    const path = await offline.run([process.execPath, '-e', ask], { cwd, env: {} });
    await page.goto(`${address}${path.trim()}`);
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
    return end;
  };
  const endServer = await enter();

  await page.getByRole('link', { name: 'New', exact: true }).first().click();
  await page.getByRole('combobox', { name: 'Agent' }).selectOption(program.agent);
  await send(page, plain.prompt);
  await page.waitForURL(new RegExp(`/s/${program.agent}%3A`));
  await replied(page, plain.answer);

  await send(page, working.prompt);
  const question = page.getByRole('alertdialog');
  await question.getByText('made.txt').first().waitFor();
  expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
  await question.getByRole('button', { name: 'Allow once' }).click();
  await replied(page, working.answer);
  expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('run\n');

  await send(page, slow.prompt);
  await page.locator('.streaming', { hasText: 'Port 1000.' }).waitFor();
  // A message that is sent meanwhile has its turn after the one that is stopped.
  await send(page, next.prompt);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('p.fact', { hasText: 'Stopped.' }).waitFor();
  await replied(page, next.answer);

  // The next server takes the session up, and the agent goes on with its own.
  await endServer();
  await enter();
  await page.locator('.session-row', { hasText: plain.prompt }).getByRole('link').first().click();
  await replied(page, working.answer);
  await page.getByRole('button', { name: /^Answered by/ }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${title}`) }).click();
  await send(page, plain.prompt);
  await page.locator('article.reply', { hasText: plain.answer }).nth(1).waitFor();
  expect(JSON.stringify(offline.requests().at(-1))).toContain(working.answer);
});

/** A script that runs a program where the agent is. */
function commandInside(offline: Offline, program: string): string {
  const script = join(offline.home, 'inside');
  const { argv } = offline.inside([program]);
  writeFileSync(script, `#!/bin/sh\nexec ${argv.map((each) => `'${each}'`).join(' ')} "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}

async function serveInside(offline: Offline, options: { cwd: string; env: Record<string, string> }) {
  const { argv, env } = offline.inside([process.execPath, OLLM, 'serve', '--port', '0', '--json']);
  const child = spawn(argv[0]!, argv.slice(1), { cwd: options.cwd, env: { ...env, ...options.env } });
  endWithTests(() => child.kill('SIGKILL'));
  const ended = once(child, 'close').then(() => Promise.reject(new Error('The server ended.')));
  child.stderr.pipe(process.stderr);
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
  const { address, tokenFile } = JSON.parse(line) as { address: string; tokenFile: string };
  const end = async (): Promise<void> => {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  };
  return { address, token: readFileSync(tokenFile, 'utf8').trim(), end };
}

async function send(page: Page, text: string): Promise<void> {
  await messageBox(page).fill(text);
  await page.keyboard.press('Enter');
}

function replied(page: Page, text: string): Promise<void> {
  return page.locator('article.reply', { hasText: text }).first().waitFor();
}
