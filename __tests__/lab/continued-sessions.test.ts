// Every session of other programs that is at hand can be continued over every wire. Reads ../shared/data where that is
// there, and what $TEST_AGENT_SESSIONS names: a home of the programs, such as an unpacked archive.
import { type CheckingServer, startCheckingServer } from '../support/checking-server.ts';
import { continueElsewhere, type StoredElsewhere } from '../support/continued-session.ts';
import { areSessionsAtHand, sessionsAtHand } from '../support/sessions-at-hand.ts';
import { isExample } from '../support/times.ts';

(areSessionsAtHand ? describe : describe.skip)('each session at hand', () => {
  let server: CheckingServer;
  let sessions: readonly StoredElsewhere[];
  beforeAll(async () => {
    server = await startCheckingServer();
    sessions = await sessionsAtHand();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const WINDOWS = [
    { contextWindow: 1_000_000, withTools: true },
    { contextWindow: 200_000, withTools: false },
    { contextWindow: 32_000, withTools: true },
    { contextWindow: 8_000, withTools: false },
  ];
  it.each(WINDOWS)(
    'sessions at hand can be continued with a window of $contextWindow tokens, tools: $withTools',
    async (how) => {
      const faults: Record<string, readonly string[]> = {};
      let conversations = 0;
      for (const [place, one] of sessions.entries()) {
        // Each session with two of them, a large one and a small one.
        if (!isExample(place + WINDOWS.indexOf(how), 2)) continue;
        const continued = await continueElsewhere(one, server, how).catch((error: unknown) => ({
          isConversation: true,
          faults: [String(error)],
        }));
        if (continued.isConversation) conversations += 1;
        if (continued.faults.length > 0) faults[one.source.path] = continued.faults;
      }
      console.log(`${conversations} sessions of ${sessions.length} were continued over six wires.`);
      expect(faults).toEqual({});
      expect(conversations).toBeGreaterThan(0);
    },
    3_600_000,
  );
});
