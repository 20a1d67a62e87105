// The proof of a handover, with small programs in place of Qwen Code: the files and addresses that a program can reach,
// and the report on one that sends the whole session, a part of it, or nothing. The real programs are in
// __tests__/handover/real-programs.test.ts.
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { type HandoverRequest, handOver } from '../../../lib/app/handover/hand-over.ts';
import { prove } from '../../../lib/app/handover/prove.ts';
import { findSandbox } from '../../../lib/tools/sandbox/find-sandbox.ts';
import { CLAUDE_FILE, CLAUDE_ID, lines, listingOf } from '../../support/agent-homes.ts';
import { claudeRecords } from '../../support/claude-conversation.ts';
import { createTree, type Tree } from '../../support/tree.ts';

const SOURCE = `claude:${CLAUDE_ID}`;
/** Sends its session as Qwen Code does, without a result where there is `left`. */
const SENDING = (left: boolean) => `#!/usr/bin/env node
const { readFileSync, globSync } = require('node:fs');
const id = process.argv[process.argv.indexOf('--resume') + 1];
const [file] = globSync(process.env.HOME + '/.qwen/projects/*/chats/' + id + '.jsonl');
const records = readFileSync(file, 'utf8').trim().split('\\n').map((line) => JSON.parse(line));
const messages = records.flatMap(({ message: { role, parts } }) => parts.map((part) => {
  const { functionCall: call, functionResponse: result } = part;
  if (result) return { role: 'tool', tool_call_id: result.id, content: result.response.output ?? result.response.error };
  const called = call && [{ id: call.id, function: { name: call.name, arguments: JSON.stringify(call.args) } }];
  return { role: role === 'model' ? 'assistant' : 'user', content: part.text ?? '', tool_calls: called };
}));
if (${left}) messages.splice(messages.findIndex(({ role }) => role === 'tool'), 1);
messages.push({ role: 'user', content: process.argv.at(-1) });
const body = JSON.stringify({ messages });
fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body }).then((answer) => process.exit(answer.status === 400 ? 0 : 1));
`;
/** Sends nothing, and prints the files and servers that it can reach. */
const LOOKING = (port: number) => `#!/usr/bin/env node
const { existsSync, readdirSync, writeFileSync } = require('node:fs');
const { HOME } = process.env;
const seen = ['notes.txt', '.claude', 'project/secret.txt', 'ollm'].filter((name) => existsSync(HOME + '/' + name));
writeFileSync(HOME + '/.qwen/made', 'x');
writeFileSync(process.cwd() + '/made', 'x');
fetch('http://127.0.0.1:${port}').then(() => 'reached', () => 'not reached').then((server) => {
  console.log(JSON.stringify({ seen, server, cwd: process.cwd() === HOME + '/project', variable: process.env.PRIVATE_KEY ?? 'none' }));
  process.exit(3);
});
`;

const { TMPDIR } = process.env;
const isConfined = (await findSandbox()).available;

(isConfined ? describe : describe.skip)('a proof (skipped where bubblewrap cannot confine a program)', () => {
  let tree: Tree;
  beforeEach(() => {
    tree = createTree({
      ...{ 'notes.txt': 'private', 'project/secret.txt': 'private', 'ollm/': '' },
      [CLAUDE_FILE]: lines(claudeRecords()),
    });
    mkdirSync(join(tree.root, '.qwen'));
    mkdirSync(join(tree.root, 'tmp'));
    process.env.TMPDIR = join(tree.root, 'tmp');
  });
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    const left = readdirSync(join(tree.root, 'tmp'));
    tree[Symbol.dispose]();
    expect(left).toEqual([]);
  });

  it('succeeds with a request that has every part, and the session is written then', async () => {
    program(SENDING(false));
    const { check, proof, path } = await hand({ prove: true });
    expect(check).toBe('equal');
    expect(proof).toMatchObject({ program: join(tree.root, 'bin/qwen'), counts: { calls: { written: 5, sent: 5 } } });
    expect(existsSync(path)).toBe(true);
    expect(await hand({ prove: true })).toMatchObject({ check: 'there', proof: { counts: proof!.counts } });
  });

  it('fails with a request that lacks a result, and nothing is written then', async () => {
    program(SENDING(true));
    const before = listingOf(tree.root, ['.qwen', 'project']);
    await expect(hand({ prove: true })).rejects.toMatchObject({
      ...{
        code: 'IO_FAILED',
        message: expect.stringContaining('does not send all of it to its model: not the result of'),
      },
      hint: expect.stringContaining('5 of 5 calls, 4 of 5 results'),
    });
    expect(listingOf(tree.root, ['.qwen', 'project'])).toEqual(before);
    // It can be written without a proof.
    expect(await hand({})).toMatchObject({ check: 'equal', proof: undefined });
  });

  it('hides the home, the project and other servers from the program', async () => {
    const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
    try {
      await new Promise((listens) => server.once('listening', listens));
      program(LOOKING((server.address() as AddressInfo).port));
      const before = listingOf(tree.root, ['.qwen', 'project']);
      await expect(hand({ prove: true })).rejects.toMatchObject({
        ...{
          code: 'AGENT_FAILED',
          message: expect.stringContaining('sent no request with the session: it ended with 3'),
        },
        hint: expect.stringContaining('{"seen":[],"server":"not reached","cwd":true,"variable":"none"}'),
      });
      expect(listingOf(tree.root, ['.qwen', 'project'])).toEqual(before);
    } finally {
      server.close();
    }
  });

  it('is refused for a session that the program continued', async () => {
    program(SENDING(false));
    const { path } = await hand({});
    tree.write({ [path.slice(tree.root.length + 1)]: '{}\n' });
    await expect(hand({ prove: true })).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('--again'),
    });
  });

  it('names the missing program, or the missing sandbox', async () => {
    await expect(hand({ prove: true })).rejects.toMatchObject({
      ...{ code: 'AGENT_NOT_INSTALLED', hint: expect.stringContaining('@qwen-code/qwen-code') },
    });
    expect(readdirSync(join(tree.root, '.qwen'))).toEqual([]);
    program(SENDING(false));
    const finding = Promise.resolve({ available: false, reason: 'bubblewrap is not installed.' } as const);
    await expect(withApp((app) => prove(app, { to: 'qwen' } as never, finding))).rejects.toMatchObject({
      ...{ code: 'AGENT_START_FAILED', message: expect.stringContaining('bubblewrap is not installed.') },
    });
  });

  function program(text: string): void {
    tree.write({ 'bin/qwen': text });
    chmodSync(join(tree.root, 'bin/qwen'), 0o755);
  }

  function hand(request: Partial<HandoverRequest>) {
    return withApp((app) => handOver(app, SOURCE, { to: 'qwen', ...request }));
  }

  async function withApp<Result>(work: (app: Awaited<ReturnType<typeof createApp>>) => Promise<Result>) {
    const path = [join(tree.root, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
    const app = await createApp({
      env: { HOME: tree.root, OLLM_HOME: join(tree.root, 'ollm'), PATH: path, PRIVATE_KEY: 'private' },
      cwd: join(tree.root, 'project'),
      flags: {},
      command: 'test',
    });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  }
});
