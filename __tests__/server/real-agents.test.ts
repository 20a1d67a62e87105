// Agents of other makers by the routes of `ollm serve`, offline: asked, answered for, stopped, killed and taken up
// again by another server.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copilot } from '../agents/programs/copilot.ts';
import { commandOf } from '../agents/programs/program.ts';
import { qwen } from '../agents/programs/qwen.ts';
import { OLLM } from '../support/cli.ts';
import { goOffline, type Offline } from '../support/offline.ts';
import type { ScriptedTurn } from '../support/scripted-turn.ts';
import type { Json } from '../support/served.ts';

const plain: ScriptedTurn = { prompt: 'Which port does the server take?', answer: 'The server takes port 4711.' };
const ports = Array.from({ length: 60 }, (_, index) => `Port ${1000 + index * 20}.`).join(' ');
const slow: ScriptedTurn = { prompt: 'List the ports below 2200.', answer: ports, isSlow: true };

describe.each([copilot, qwen])('$agent by the server', (program) => {
  const command = commandOf(program);
  const { agent } = program;
  if (command === undefined) {
    it.skip('(skipped where it is not installed: run .ci/install-agents)', () => {});
    return;
  }
  const call = program.call('echo run > made.txt && cat made.txt');
  const working: ScriptedTurn = { prompt: 'Make the file now.', call, answer: 'It is made.' };
  let offline: Offline;
  let report: Json;

  beforeAll(async () => {
    offline = await goOffline([plain, working, slow], program.files);
    const cwd = join(offline.home, 'project');
    mkdirSync(join(offline.home, '.ollm'));
    mkdirSync(cwd);
    const settings = { trustedDirectories: [cwd], server: { workspaces: [cwd] } };
    writeFileSync(join(offline.home, '.ollm', 'config.yaml'), JSON.stringify(settings));
    const PATH = `${dirname(command)}:${dirname(process.execPath)}:${process.env.PATH}`;
    const prompts = JSON.stringify({ plain: plain.prompt, working: working.prompt, slow: slow.prompt });
    const client = join(import.meta.dirname, 'runs-client.ts');
    const printed = await offline.run([process.execPath, '--no-warnings', client, agent, OLLM, prompts], {
      ...{ cwd, env: { ...program.env(offline.url), PATH } },
    });
    const [, json] = /^REPORT (.*)$/m.exec(printed) ?? [];
    if (json === undefined) throw new Error(printed);
    report = JSON.parse(json);
    expect(report.fault).toBeUndefined();
  });
  afterAll(() => offline?.[Symbol.asyncDispose]());

  it('is listed with the place of its program, and missing agents with the command that installs them', () => {
    const { providers } = report.providers.data;
    expect(providers[0]).toMatchObject({ id: 'ollm', family: 'sdk' });
    expect(providers.find(({ id }: Json) => id === agent)).toMatchObject({ family: 'acp', program: command });
    const missing = providers.find(({ id }: Json) => id === 'claude');
    expect(missing.install).toContain('npm install');
  });

  it('is started with its first prompt stored, in a directory that the server may use', () => {
    expect(report.outside).toMatchObject({ status: 403, error: { code: 'WORKSPACE_NOT_ALLOWED' } });
    expect(report.started).toMatchObject({ status: 202, data: { provider: agent, status: 'starting' } });
    expect(report.sessionId.startsWith(`${agent}:`)).toBe(true);
  });

  it('answers, and its words become messages of its own', () => {
    const { status, messages, transitions } = report.first.data;
    expect(status).toBe('completed');
    expect(transitions.map((each: Json) => each.status)).toEqual(['running', 'completed']);
    const said = messages.map(({ type, text, provider }: Json) => [type, text, provider]);
    expect(said).toContainEqual(['assistant_message', plain.answer, agent]);
  });

  it('waits for the answer to exactly its question, which the first client gives', () => {
    expect(report.waiting.data.status).toBe('waiting');
    expect(report.question).toMatchObject({ kind: 'call', answers: ['once', 'no'] });
    expect(JSON.stringify(report.question.call)).toContain('echo run > made.txt');
    expect(report.metrics.text).toContain(`ollm_active_sessions{provider="${agent}"} 1`);
    expect(report.wrongAnswer.error.code).toBe('QUESTION_CHANGED');
    expect(report.secondAnswer.error.code).toBe('ALREADY_DECIDED');
    expect([report.before, report.after]).toEqual([false, true]);
    expect(report.worked.data.transitions.map((each: Json) => each.status)).toEqual([
      ...['running', 'waiting', 'running', 'completed'],
    ]);
    const decided = report.worked.data.events.find(
      ({ data }: Json) => data.type === 'tool.decided' && data.data.actionHash,
    );
    expect(decided.data.data).toMatchObject({ decision: 'allow', by: 'user', actionHash: report.question.hash });
  });

  it('is denied without a question if the prompt says so, and runs unattended only with a setting', () => {
    const decided = report.denied.data.events.find(
      ({ data }: Json) => data.type === 'tool.decided' && data.data.actionHash,
    );
    expect(decided.data.data).toMatchObject({ decision: 'deny', by: 'policy' });
    expect(report.unattended).toMatchObject({ status: 403, error: { code: 'UNATTENDED_NOT_ALLOWED' } });
  });

  it('is stopped', () => {
    expect(report.stopped.data).toMatchObject({ provider: agent, sessionId: report.sessionId, stopped: true });
    expect(report.stoppedTurn.data.status).toBe('stopped');
    expect(report.listed.data.sessions.map(({ sessionId }: Json) => sessionId)).toEqual([report.sessionId]);
  });

  it('has prompts that wait in its journal, of which each can be taken out once', () => {
    expect(report.queue).toEqual([plain.prompt, working.prompt]);
    expect(report.removed).toMatchObject({ status: 200, data: { text: working.prompt } });
    expect(report.removedTwice).toMatchObject({ status: 404, error: { code: 'PROMPT_NOT_FOUND' } });
  });

  it('is shown as failed by a second server after the first was killed, and continues there', () => {
    expect(report.killed.data.status).toBe('running');
    expect(report.afterKill.data).toMatchObject({ status: 'failed', error: expect.stringContaining('INTERRUPTED') });
    expect(report.afterKill.data.instanceId).toBeUndefined();
    expect(report.again.data).toMatchObject({ status: 'completed', sessionId: report.sessionId });
    // The prompt that waited had its turn before the one that came later.
    expect(report.queued.data.status).toBe('starting');
    const asked = report.history.data.messages.filter(
      ({ type, synthetic }: Json) => type === 'user_message' && !synthetic,
    );
    expect(asked.slice(-3).map(({ text }: Json) => text)).toEqual([slow.prompt, plain.prompt, plain.prompt]);
  });
});
