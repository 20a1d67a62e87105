// A whole turn over OpenAI's wire, at a server on 127.0.0.1: the window is nearly full, the vendor compacts, and its
// result is sent with each later request.
import { lastValueFrom, toArray } from 'rxjs';
import { DEFAULT_COMPACTION } from '../../../lib/context/compaction/due.ts';
import { silentLog, systemClock } from '../../../lib/platform/index.ts';
import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { estimatingCounter } from '../../../lib/tokens/estimate.ts';
import { runTurn, type TurnDependencies } from '../../../lib/turn/run-turn.ts';
import { responsesDialect } from '../../providers/openai/dialect.ts';
import { memoryWorld, turnEvents } from '../../session/world.ts';
import { startFaultServer } from '../../support/fault-server.ts';

const MODEL = 'gpt-5';
const WINDOW = 4000;

test('a conversation that the vendor compacted continues with the result', async () => {
  const output = [
    { type: 'message', id: 'm1', role: 'user', content: [{ type: 'input_text', text: 'what the vendor kept' }] },
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'SMALL==' },
  ];
  const compaction = {
    id: 'r',
    object: 'response.compaction',
    output,
    usage: { input_tokens: 3000, output_tokens: 50 },
  };
  const { begin = '', says, end = '' } = responsesDialect;
  await using server = await startFaultServer({
    '/v1/responses/compact': { type: 'application/json', steps: [JSON.stringify(compaction)] },
    '/v1/responses': { type: 'text/event-stream', steps: [begin, says('fine'), end] },
  });
  const provider = createAiSdkProvider(responsesDialect.vendor(server.url), { timeoutSeconds: 20 });
  const { create, store } = memoryWorld();
  const session = await create('notes', {
    created: { provider: 'openai', model: MODEL, ollm: '0.0.0', contextWindow: WINDOW },
    system: { text: 'You are terse.', tokens: { count: 4, method: 'counted' } },
  });
  for (let turn = 1; turn <= 8; turn++) {
    const words = 'word '.repeat(200);
    await session.append(turnEvents(turn, `question ${turn} ${words}`, `answer ${turn} ${words}`));
  }
  const dependencies: TurnDependencies = {
    provider,
    model: MODEL,
    contextWindow: WINDOW,
    counter: estimatingCounter,
    store,
    clock: systemClock,
    log: silentLog,
    compaction: { ...DEFAULT_COMPACTION, preserveRecentTokens: 100 },
  };
  const ask = (text: string) => lastValueFrom(runTurn(session, { text }, dependencies).pipe(toArray()));
  expect((await ask('And now?')).at(-1)?.type).toBe('done');
  expect((await ask('And then?')).at(-1)?.type).toBe('done');

  expect(server.requests.map(({ path }) => path)).toEqual(['/v1/responses/compact', '/v1/responses', '/v1/responses']);
  const [compacted, first, second] = server.requests.map(({ body }) => JSON.stringify(body));
  expect(compacted).toContain('question 1 ');
  expect(compacted).not.toContain('And now?');
  for (const request of [first, second]) {
    expect(request).toContain('{"type":"compaction","id":"cmp_1","encrypted_content":"SMALL=="}');
    expect(request).toContain('what the vendor kept');
    expect(request).toContain('You are terse.');
    expect(request).not.toContain('question 1 ');
  }
  expect(first).toContain('And now?');
  expect(second).toContain('And then?');
});
