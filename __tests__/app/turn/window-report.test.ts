// A number for the window: of the whole request, tools and system prompt included, whatever happened before.
import { lastValueFrom, toArray } from 'rxjs';
import { undoTurn } from '../../../lib/app/sessions/change/undo-turn.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { toolTokens } from '../../../lib/app/tools/toolbox.ts';
import { windowReport } from '../../../lib/app/turn/window-report.ts';
import { INSTRUCTION_TOKENS } from '../../../lib/context/assemble.ts';
import { ask } from '../../../lib/lead/ask.ts';
import { forever, type Script, says } from '../../support/scripted-provider.ts';
import { appWorld, tell } from '../world.ts';

async function opened(script: Script = () => says('ok')) {
  const { app } = await appWorld({ script });
  const conversation = await openSession(app, { kind: 'name', name: 'talk' });
  return { app, conversation, fixed: (await toolTokens(app, conversation)) + INSTRUCTION_TOKENS };
}

/** A provider that reports no usage, as one that is cancelled does. */
const silent: Script = async function* () {
  yield { type: 'text', text: 'ok' };
  yield { type: 'finish', reason: 'stop' };
};

it('the report of the window includes tools and instructions before the first message', async () => {
  const { app, conversation, fixed } = await opened();
  const { used, parts, definitionTokens } = await windowReport(app, conversation);
  expect(definitionTokens).toBeGreaterThan(500);
  expect(used).toEqual({ count: fixed, method: 'estimated' });
  expect(parts.system.count).toBe(INSTRUCTION_TOKENS);
});

it("the report of the window is the provider's, once it reported", async () => {
  const { app, conversation } = await opened();
  await tell(app, conversation, 'hi');
  expect((await windowReport(app, conversation)).used).toEqual({ count: 11, method: 'reported' });
});

it('the report of the window includes tools and instructions after an undo, and after a cancelled turn', async () => {
  const { app, conversation, fixed } = await opened(silent);
  await tell(app, conversation, 'hi');
  await undoTurn(app, conversation);
  expect((await windowReport(app, conversation)).used.count).toBeGreaterThanOrEqual(fixed);

  const slow = await opened(async function* () {
    yield { type: 'text', text: 'half' };
    await forever();
  });
  const stop = AbortSignal.timeout(50);
  await lastValueFrom(ask(slow.app, slow.conversation, { text: 'hi' }, { signal: stop }).pipe(toArray()));
  expect((await windowReport(slow.app, slow.conversation)).used.count).toBeGreaterThanOrEqual(slow.fixed);
});
