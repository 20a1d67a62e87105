import { setTimeout } from 'node:timers/promises';
import { createRedactor } from '../../lib/environment/redact.ts';
import { OllmError } from '../../lib/errors/index.ts';
import { ToolFailure } from '../../lib/tools/tool.ts';
import { forever, says } from '../support/scripted-provider.ts';
import { ALLOW, ASK, asksOnce, callsTools, DENY, resultsOf, testTool, toolSteps, toolWorld } from './tool-world.ts';

describe('a call of a tool', () => {
  it('runs, and its result is in the next request of the model', async () => {
    const { turn, events, provider } = await toolWorld({ script: asksOnce({}) });
    const signals = await turn('Say hi');
    expect(signals.map(({ type }) => type)).toEqual([
      ...['start', 'tool_call', 'tool_started', 'tool_result', 'delta', 'done'],
    ]);
    expect(toolSteps(await events())).toEqual(['requested c1', 'decided c1 allow', 'started c1', 'finished c1 ok']);
    expect(resultsOf(provider.requests[1])[0]).toMatch(
      /<<<untrusted \S+ output of echo>>>\necho \{"text":"hi"\}\n<<<end/,
    );
    expect((await events()).findLast(({ type }) => type === 'turn.ended')?.data).toMatchObject({
      status: 'completed',
      steps: 2,
    });
  });

  it('is stored as started before it runs, bound to the decision', async () => {
    let synced: string[] = [];
    const world = await toolWorld({
      script: asksOnce({}),
      tools: [
        testTool({
          command: 'echo hi',
          run: async () => {
            const { seq } = world.session.writer.synced;
            synced = toolSteps((await world.events()).filter((event) => event.seq <= seq));
            return { content: 'ran' };
          },
        }),
      ],
    });
    await world.turn('Say hi');
    expect(synced).toEqual(['requested c1', 'decided c1 allow', 'started c1']);
    const [decided, started] = (await world.events()).filter(({ type }) => /^tool\.(decided|started)$/.test(type));
    expect(started?.data).toMatchObject({
      command: 'echo hi',
      cwd: '/project',
      sandbox: 'none',
      envRemoved: ['SECRET'],
    });
    expect(started?.data.actionHash).toMatch(/^[0-9a-f]{64}$/);
    expect(started?.data.actionHash).toBe(decided?.data.actionHash);
  });

  it('is not offered if the definitions would leave no room for a conversation, and the user is told', async () => {
    const parameters = { type: 'object', properties: { text: { type: 'string', description: 'word '.repeat(300) } } };
    const large = { script: () => says('ok'), tools: [testTool({ parameters })] };
    const small = await toolWorld({ ...large, more: { contextWindow: 600 } });
    const signals = await small.turn('Hi');
    expect(signals.at(-1)?.type).toBe('done');
    expect(signals).toContainEqual({ type: 'notice', text: expect.stringMatching(/^No tools are offered: .* of 600/) });
    expect(small.provider.requests[0]?.tools).toEqual([]);
    const roomy = await toolWorld({ ...large, more: { contextWindow: 6_000 } });
    await roomy.turn('Hi');
    expect(roomy.provider.requests[0]?.tools).toHaveLength(1);
  });

  it('leaves the beginning of the request unchanged: system prompt, tools and earlier messages', async () => {
    const { turn, provider } = await toolWorld({ script: asksOnce({}) });
    await turn('Say hi');
    await turn('And again');
    const [first, ...later] = provider.requests;
    expect(later).toHaveLength(2);
    for (const { system, tools, messages, cacheKey } of later) {
      expect({ system, tools, cacheKey }).toEqual({
        system: first?.system,
        tools: first?.tools,
        cacheKey: first?.cacheKey,
      });
      expect(cacheKey).toMatch(/^[0-9a-f]{32}$/);
      expect(messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    }
    expect(later[1]?.messages.slice(0, later[0]?.messages.length)).toEqual(later[0]?.messages);
  });

  it('is offered with its definition, and not any more once it is switched off', async () => {
    const { turn, provider, session, events } = await toolWorld({ script: asksOnce({}) });
    await session.append({ type: 'tools.changed', data: { name: 'echo', enabled: false } });
    await turn('Say hi');
    expect(provider.requests[0]?.tools).toEqual([]);
    expect(toolSteps(await events()).at(-1)).toBe('finished c1 denied');
    await session.append({ type: 'tools.changed', data: { name: 'echo', enabled: true } });
    await turn('Again');
    expect(provider.requests.at(-1)?.tools).toMatchObject([{ name: 'echo', parameters: { type: 'object' } }]);
  });
});

describe('a tool that fails', () => {
  it.each<[string, Parameters<typeof testTool>[0], string, RegExp]>([
    [
      'in words',
      { run: () => Promise.reject(new ToolFailure('No such file: a.txt')) },
      'error',
      /No such file: a\.txt/,
    ],
    ['by throwing', { run: () => Promise.reject(new TypeError('x is null')) }, 'error', /broke down: x is null/],
    ['by answering nothing', { run: () => undefined as never }, 'error', /nothing that could be understood/],
    ['by never ending', { run: () => forever() }, 'timeout', /longer than 0\.05 seconds.*may still have an effect/s],
    ['while it plans', { plan: () => Promise.reject(new Error('no plan')) }, 'error', /broke down before it ran/],
    ['by never planning', { plan: () => forever() }, 'error', /could not say in time/],
  ])('%s has a readable result, and the turn continues', async (_, like, status, words) => {
    const { turn, events, provider } = await toolWorld({
      script: asksOnce({}),
      tools: [testTool(like)],
      toolSettings: { timeoutMs: 50 },
    });
    expect((await turn('Go')).at(-1)?.type).toBe('done');
    expect(toolSteps(await events()).at(-1)).toBe(`finished c1 ${status}`);
    expect(resultsOf(provider.requests[1])[0]).toMatch(words);
  });

  it.each<[string, object, RegExp]>([
    ['an unknown tool', { name: 'fly' }, /There is no tool fly\. There are: echo\./],
    ['arguments that are not an object', { args: '{"text":' }, /not valid JSON.*corrected arguments/s],
    ['a name that no provider takes back', { name: 'a b\n' }, /There is no tool a_b_\./],
  ])('or is called wrongly gets a readable answer: %s', async (_, call, words) => {
    const { turn, provider, events } = await toolWorld({ script: asksOnce(call) });
    expect((await turn('Go')).at(-1)?.type).toBe('done');
    expect(resultsOf(provider.requests[1])[0]).toMatch(words);
    expect(toolSteps(await events()).slice(1)).toEqual(['decided c1 deny', 'finished c1 error']);
  });
});

describe('the decision of the policy', () => {
  it('is obeyed: a denied call does not run, and the model is told why', async () => {
    let ran = false;
    const { turn, events, provider } = await toolWorld({
      script: asksOnce({}),
      decision: DENY,
      tools: [
        testTool({
          run: () => {
            ran = true;
            return { content: 'ran' };
          },
        }),
      ],
    });
    const signals = await turn('Go');
    expect(ran).toBe(false);
    expect(signals.at(-1)?.type).toBe('done');
    expect(toolSteps(await events()).slice(1)).toEqual(['decided c1 deny', 'finished c1 denied']);
    expect(resultsOf(provider.requests[1])[0]).toMatch(/not allowed: Not here\./);
  });

  it('that throws denies the call', async () => {
    const { turn, events } = await toolWorld({
      script: asksOnce({}),
      decision: () => {
        throw new TypeError('x is null');
      },
    });
    expect((await turn('Go')).at(-1)?.type).toBe('done');
    expect(toolSteps(await events()).slice(1)).toEqual(['decided c1 deny', 'finished c1 denied']);
  });

  it('to ask is a denial without a user, and the turn continues and says so', async () => {
    const { turn, events } = await toolWorld({ script: asksOnce({}), decision: ASK });
    const signals = await turn('Go');
    expect(signals).toContainEqual(expect.objectContaining({ type: 'tool_result', status: 'denied', unasked: true }));
    expect(signals.at(-1)?.type).toBe('done');
    expect((await events()).find(({ type }) => type === 'tool.decided')?.data).toMatchObject({
      decision: 'deny',
      by: 'policy',
      rule: 'ask:all',
      reason: 'It writes. No user could be asked.',
    });
  });

  it("to ask is answered by the user, and stored as the user's", async () => {
    const { turn, events, granted } = await toolWorld({
      script: asksOnce({}, { args: { text: 'two' } }),
      decision: ASK,
      answer: async ({ callId }) => (callId === 'c1' ? { kind: 'always' } : { kind: 'no', words: 'Use git.' }),
    });
    await turn('Go');
    expect(granted).toEqual(['echo']);
    const decided = (await events()).filter(({ type }) => type === 'tool.decided');
    expect(decided.map(({ data }) => [data.callId, data.decision, data.by])).toEqual([
      ['c1', 'allow', 'user'],
      ['c2', 'deny', 'user'],
    ]);
  });

  it('to ask offers no grant that would store a secret', async () => {
    const grants: (string | undefined)[] = [];
    for (const secret of [`ghp_${'a1B2'.repeat(9)}`, 'nothing']) {
      const { turn } = await toolWorld({
        script: asksOnce({}),
        decision: { kind: 'ask', rule: 'ask:all', reason: 'It runs.', grant: `bash(curl -H ${secret})` },
        answer: async ({ decision }) => {
          grants.push(decision.grant);
          return { kind: 'always' };
        },
        more: { redactor: createRedactor() },
      });
      await turn('Go');
    }
    expect(grants).toEqual([undefined, 'bash(curl -H nothing)']);
  });

  it('is made again about arguments that the user changed, which the journal and the model receive', async () => {
    const asked: string[] = [];
    const { turn, events, provider } = await toolWorld({
      script: asksOnce({}),
      decision: ASK,
      answer: async ({ action }) => {
        asked.push(action.summary);
        return asked.length === 1 ? { kind: 'edit', args: { text: 'ho' } } : { kind: 'once' };
      },
    });
    await turn('Go');
    expect(asked).toEqual(['Run echo with {"text":"hi"}', 'Run echo with {"text":"ho"}']);
    expect((await events()).find(({ type }) => type === 'tool.decided')?.data).toMatchObject({
      args: { text: 'ho' },
      by: 'user',
    });
    expect(resultsOf(provider.requests[1])[0]).toMatch(
      /changed the arguments to \{"text":"ho"\}\.\necho \{"text":"ho"\}/,
    );
  });

  it.each([
    ['once', 'allow'],
    ['no', 'deny'],
  ] as const)('stays after two changes by the user, also if the last answer is %s', async (last, decision) => {
    let questions = 0;
    const { turn, events } = await toolWorld({
      script: asksOnce({}),
      decision: ASK,
      answer: async () => (++questions > 2 ? { kind: last } : { kind: 'edit', args: { text: `${questions}` } }),
    });
    await turn('Go');
    expect((await events()).find(({ type }) => type === 'tool.decided')?.data).toMatchObject({
      decision,
      by: 'user',
      args: { text: '2' },
    });
  });

  it('is not asked of a program any more that changes the arguments each time', async () => {
    let questions = 0;
    const { turn, events } = await toolWorld({
      script: asksOnce({}, { args: { text: 'b' } }),
      decision: ASK,
      answer: async ({ callId }) => {
        questions += 1;
        return { kind: 'edit', args: callId === 'c1' ? 'nonsense' : { text: `${questions}` } };
      },
    });
    expect((await turn('Go')).at(-1)?.type).toBe('done');
    expect(questions).toBeLessThan(100);
    expect(toolSteps(await events()).filter((step) => step.startsWith('finished'))).toEqual([
      ...['finished c1 denied', 'finished c2 denied'],
    ]);
  });

  it('is asked for again if the changed arguments are invalid', async () => {
    let questions = 0;
    const { turn, events } = await toolWorld({
      script: asksOnce({}),
      decision: ASK,
      answer: async () => (++questions === 1 ? { kind: 'edit', args: 'nonsense' } : { kind: 'once' }),
    });
    const signals = await turn('Go');
    expect(signals).toContainEqual({ type: 'notice', text: expect.stringMatching(/changed arguments cannot be used/) });
    expect(toolSteps(await events()).at(-1)).toBe('finished c1 ok');
  });
});

describe('several calls of one reply', () => {
  it('run side by side if they only read, a few together, and one at a time if they write', async () => {
    let running = 0;
    const seen: string[] = [];
    const run = async (name: string) => {
      running += 1;
      seen.push(`${name} with ${running}`);
      await setTimeout(10);
      running -= 1;
      return { content: name };
    };
    const { turn, session } = await toolWorld({
      script: asksOnce(...['r', 'r', 'r', 'r', 'r', 'w', 'w', 'r'].map((name) => ({ name }))),
      tools: [testTool({ name: 'r', reads: true, run: () => run('r') }), testTool({ name: 'w', run: () => run('w') })],
    });
    await turn('Go');
    expect(seen.filter((line) => line.startsWith('w'))).toEqual(['w with 1', 'w with 1']);
    expect(seen.slice(0, 5)).toEqual(['r with 1', 'r with 2', 'r with 3', 'r with 4', 'r with 4']);
    expect(session.states.openEnds.calls).toEqual([]);
  });

  it('are asked about one after the other, and a grant applies to the next', async () => {
    const granted = new Set<string>();
    let questions = 0;
    let open = 0;
    const { turn } = await toolWorld({
      script: asksOnce({}, { args: { text: 'b' } }),
      tools: [testTool({ reads: true })],
      answer: async () => {
        questions += 1;
        expect(++open).toBe(1);
        await setTimeout(5);
        open -= 1;
        return { kind: 'always' };
      },
      toolSettings: {
        policy: { decide: () => (granted.has('echo') ? ALLOW : ASK), grant: (rule) => granted.add(rule) },
      },
    });
    expect((await turn('Go')).at(-1)?.type).toBe('done');
    expect(questions).toBe(1);
  });
});

describe('cancelling during tools', () => {
  it.each([
    ['a tool that listens', true],
    ['a tool that does not', false],
  ])('ends %s, and every call of the answer has a result', async (_, listens) => {
    const cancel = new AbortController();
    const { turn, events, session } = await toolWorld({
      script: (_request, _signal, round) => (round === 0 ? callsTools({}, {}, {}) : says('after')),
      tools: [
        testTool({
          run: async (_args, { signal }) => {
            cancel.abort();
            if (!listens) return forever();
            expect(signal.aborted).toBe(true);
            return { content: 'half' };
          },
        }),
      ],
    });
    expect((await turn('Go', { signal: cancel.signal })).at(-1)).toEqual({ type: 'cancelled' });
    expect(toolSteps(await events()).filter((step) => step.startsWith('finished'))).toEqual([
      ...['finished c1 cancelled', 'finished c2 cancelled', 'finished c3 cancelled'],
    ]);
    expect((await events()).at(-1)).toMatchObject({ type: 'turn.ended', data: { status: 'cancelled' } });
    expect(session.states.openEnds.calls).toEqual([]);
    expect((await turn('And now?')).at(-1)?.type).toBe('done');
  });

  it('keeps the output of a tool that takes a moment to stop', async () => {
    const cancel = new AbortController();
    const { turn, events } = await toolWorld({
      script: asksOnce({}),
      tools: [
        testTool({
          run: async () => {
            cancel.abort();
            await setTimeout(1000);
            return { content: 'as far as it came' };
          },
        }),
      ],
    });
    await turn('Go', { signal: cancel.signal });
    const finished = (await events()).find(({ type }) => type === 'tool.finished')?.data;
    expect(finished).toMatchObject({ status: 'cancelled' });
    expect(JSON.stringify(finished)).toContain('as far as it came');
  });

  it('during a question to the user runs nothing', async () => {
    const cancel = new AbortController();
    const { turn, events } = await toolWorld({
      script: asksOnce({}),
      decision: ASK,
      answer: () => {
        cancel.abort();
        return forever();
      },
    });
    expect((await turn('Go', { signal: cancel.signal })).at(-1)).toEqual({ type: 'cancelled' });
    expect(toolSteps(await events())).toEqual(['requested c1', 'finished c1 cancelled']);
  });
});

describe('a full disk during calls of tools', () => {
  it.each([
    ['before a tool runs: it does not run', 'tool.started', false, 'cancelled'],
    ['after it ran: its effect is not known', 'tool.finished', true, 'unknown'],
  ])('%s', async (_, type, runs, status) => {
    let ran = false;
    let isFull = true;
    const world = await toolWorld({
      script: (_request, _signal, round) => (round === 0 ? callsTools({}, { args: { text: 'b' } }) : says('fine')),
      tools: [
        testTool({
          run: () => {
            ran = true;
            return { content: 'ran' };
          },
        }),
      ],
    });
    const { writer } = world.session;
    const append = writer.append.bind(writer);
    writer.append = (events, options) =>
      isFull && [events].flat().some((event) => event.type === type)
        ? Promise.reject(new OllmError('JOURNAL_FULL', 'The disk is full.'))
        : append(events, options);
    expect((await world.turn('Go')).at(-1)).toMatchObject({ type: 'error', error: { code: 'JOURNAL_FULL' } });
    expect(ran).toBe(runs);
    isFull = false;
    expect((await world.turn('And now?')).at(-1)?.type).toBe('done');
    expect(toolSteps(await world.events()).filter((step) => step.startsWith('finished'))).toEqual([
      ...[`finished c1 ${status}`, 'finished c2 cancelled'],
    ]);
  });
});
