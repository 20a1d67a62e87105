// A program gets the request that a turn would send: the form of each vendor is held against the body that the vendor's
// own package makes of the same conversation, for any conversation.
import fc from 'fast-check';
import { assemble } from '../../../lib/context/assemble.ts';
import { createReplayer } from '../../../lib/projections/replayer.ts';
import { viewFold } from '../../../lib/projections/view.ts';
import { toCallOptions } from '../../../lib/providers/ai-sdk/prompt.ts';
import { FORMS } from '../../../lib/providers/forms/forms.ts';
import { loadBlobs } from '../../../lib/providers/load-blobs.ts';
import { arbitrarySession } from '../../support/arbitrary-session.ts';
import { type CheckingServer, startCheckingServer, WIRES } from '../../support/checking-server.ts';
import { event, stored } from '../../support/event-list.ts';
import { collect } from '../provider.contract.ts';

let server: CheckingServer;
beforeAll(async () => {
  server = await startCheckingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

type Json = Readonly<Record<string, unknown>>;

const PAIRS = [
  ['anthropic', 'anthropic'],
  ['openai-responses', 'openai'],
  ['gemini', 'gemini'],
  ['openai-chat', 'compatible'],
] as const;

it.each(PAIRS)('%s is the body that is sent over the wire %s', async (name, wire) => {
  const { model, provider: make } = WIRES[wire];
  const provider = make(server.url);
  await fc.assert(
    fc.asyncProperty(arbitrarySession(), async (events) => {
      const changed = { type: 'model.changed', data: { provider: provider.name, model } } as const;
      const replayer = createReplayer({ view: viewFold });
      for (const one of stored([...events, changed, event.said('user', 'Where were we?')])) replayer.see(one);
      const { system, messages, stable } = assemble(replayer.states.view, { reserveTokens: 0 });
      const readBlob = async (sha256: string) => (Number.parseInt(sha256[0]!, 16) < 8 ? PIXEL : undefined);
      const asked = { model, system, messages, tools: [], readBlob };
      server.requests.length = 0;
      await collect(provider, { ...asked, stable }).catch(() => []);
      const form = FORMS[name];
      const written = form.write(toCallOptions(await loadBlobs(asked), form.rules).prompt, model) as unknown as Json;
      const body = server.requests[0]?.body as Json;
      expect(plain({ ...body, ...written })).toEqual(plain(body));
    }),
  );
});

/** Without places for a cache; what can be said in two ways is said in one: the system prompt, and output of Gemini. */
function plain({ system, instructions, input, messages, ...rest }: Json): Json {
  const [first, ...others] = Array.isArray(input) ? input : [];
  const isSaidFirst = instructions === undefined && first?.role === 'developer';
  const text = Array.isArray(system) ? system.map((block) => block.text).join('\n\n') : system;
  return JSON.parse(
    JSON.stringify({
      ...rest,
      system: text ?? (isSaidFirst ? first.content : instructions),
      messages: messages ?? (isSaidFirst ? others : input),
    }),
    (key, value) => {
      if (key === 'cache_control') return undefined;
      if (key === 'role' && value === 'developer') return 'system';
      if (key !== 'response') return value;
      const { name: _, content, output = content, ...others } = value;
      return { ...others, output };
    },
  );
}

const PIXEL = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
);
