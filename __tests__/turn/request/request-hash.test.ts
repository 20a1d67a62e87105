// The fingerprint of a request: what others can make of the same JSON.
import fc from 'fast-check';
import xxhash from 'xxhash-wasm';
import { toJson } from '../../../lib/journal/line/line-buffer.ts';
import type { ModelRequest } from '../../../lib/providers/provider.ts';
import { hashRequest } from '../../../lib/turn/request/request-hash.ts';

const { h64 } = await xxhash();

function requestOf(changes: Partial<ModelRequest>): ModelRequest {
  return { model: 'm-1', system: 'You are terse.', messages: [], tools: [], readBlob: () => undefined, ...changes };
}

const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] }) as const;

const requests = fc
  .record(
    {
      system: fc.string({ unit: 'binary' }),
      messages: fc.array(fc.string({ unit: 'binary', maxLength: 2000, size: 'max' }).map(said), { maxLength: 3 }),
      tools: fc.array(
        fc.record({
          name: fc.string(),
          description: fc.string(),
          parameters: fc.dictionary(fc.string(), fc.jsonValue()),
        }),
        { maxLength: 2 },
      ),
      contextWindow: fc.option(fc.nat(), { nil: undefined }),
      maxOutputTokens: fc.nat(),
    },
    { requiredKeys: [] },
  )
  .map((changes) => requestOf(changes as Partial<ModelRequest>));

describe('the fingerprint of a request', () => {
  it('is the XXH64 of its members as JSON, in one order, without what is not set', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const { model, system, messages, tools, contextWindow, maxOutputTokens } = request;
        const json = toJson({ model, system, messages, tools, contextWindow, maxOutputTokens });
        expect(hashRequest(request)).toBe(h64(json).toString(16).padStart(16, '0'));
      }),
    );
  });

  it('is the same of the same request, however large the one between them was', () => {
    const request = requestOf({ messages: [said('word '.repeat(500))] });
    const first = hashRequest(request);
    hashRequest(requestOf({ messages: [said('x'.repeat(3_000_000))] }));
    expect(hashRequest(request)).toBe(first);
  });

  it('is another one when a word is, and takes no notice of where its answers are cached', () => {
    const request = requestOf({ messages: [said('go')] });
    expect(hashRequest(requestOf({ messages: [said('no')] }))).not.toBe(hashRequest(request));
    expect(hashRequest({ ...request, cacheKey: 'session-1' })).toBe(hashRequest(request));
  });
});
