// The defaults that a program gets for everything that it leaves open.
import { lastValueFrom, toArray } from 'rxjs';
import { createSession, defineTool, openMemoryStore, openSession, runTurn } from '../../lib/index.ts';
import type { ProviderSignal } from '../../lib/providers/provider.ts';
import type { Approver, UserDecision } from '../../lib/tools/decision.ts';
import { eventsOf } from '../session/world.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';

async function* notes(): AsyncGenerator<ProviderSignal> {
  yield { type: 'tool-call', call: { callId: 'c', name: 'note', args: {} } };
  yield { type: 'finish', reason: 'tool-calls' };
}

/** Turns that each call one tool which changes something; the answers of the user by their order. */
async function conversation(...answers: readonly UserDecision['kind'][]) {
  const store = openMemoryStore();
  const settings = { provider: 'scripted', model: 'm-1', name: 'notes' };
  let session = await createSession(store, settings);
  const asked: string[] = [];
  const approver: Approver = {
    async ask({ action }) {
      const kind = answers[asked.length];
      asked.push(action.tool);
      return { kind: kind ?? 'no' } as UserDecision;
    },
  };
  let runs = 0;
  const note = defineTool({
    name: 'note',
    description: 'Writes a note.',
    parameters: { type: 'object', properties: {} },
    isReadOnly: false,
    run: async () => {
      runs += 1;
      return `Note ${runs}.`;
    },
  });
  return {
    asked,
    runs: () => runs,
    async turn() {
      const provider = scriptedProvider((_request, _signal, round) => (round === 0 ? notes() : says('Done.')));
      await lastValueFrom(runTurn(session, 'Note it.', { provider, store, tools: [note], approver }).pipe(toArray()));
    },
    async reopen() {
      await session.close('exit');
      session = await openSession(store, 'notes');
    },
    async decisions() {
      const events = await eventsOf(store, 'notes');
      return events.filter(({ type }) => type === 'tool.decided').map(({ data }) => [data.decision, data.by]);
    },
  };
}

describe("the user's answer about a tool, in turns without a policy", () => {
  it('is asked for once, and granted for later turns', async () => {
    const { turn, asked, runs, decisions } = await conversation('always');
    for (let turns = 0; turns < 3; turns += 1) await turn();
    expect(asked).toEqual(['note']);
    expect(runs()).toBe(3);
    expect(await decisions()).toEqual([
      ['allow', 'user'],
      ['allow', 'grant'],
      ['allow', 'grant'],
    ]);
  });

  it('stays a denial: later turns neither ask nor run the tool', async () => {
    const { turn, asked, runs, decisions } = await conversation('never', 'always');
    for (let turns = 0; turns < 3; turns += 1) await turn();
    expect(asked).toEqual(['note']);
    expect(runs()).toBe(0);
    expect((await decisions()).map(([decision]) => decision)).toEqual(['deny', 'deny', 'deny']);
  });

  it('is asked for again if it was for once', async () => {
    const { turn, asked, runs } = await conversation('once', 'no', 'once');
    for (let turns = 0; turns < 3; turns += 1) await turn();
    expect(asked).toEqual(['note', 'note', 'note']);
    expect(runs()).toBe(2);
  });

  it('is asked for again in a session that was closed and opened', async () => {
    const { turn, reopen, asked } = await conversation('always', 'always');
    await turn();
    await reopen();
    await turn();
    await turn();
    expect(asked).toEqual(['note', 'note']);
  });

  it('applies to one session, and a second one asks for itself', async () => {
    const [one, other] = [await conversation('always'), await conversation('no')];
    await one.turn();
    await other.turn();
    expect(one.asked).toEqual(['note']);
    expect(other.asked).toEqual(['note']);
    expect(other.runs()).toBe(0);
  });
});
