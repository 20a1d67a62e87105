// A provider that follows a script: the signals that it sends, the place where it breaks, whether it listens to an
// abort.
import type { ModelRequest, Provider, ProviderSignal } from '../../lib/providers/provider.ts';

export type Script = (
  request: ModelRequest,
  signal: AbortSignal,
  /** Requests before this one. */
  round: number,
) => AsyncIterable<ProviderSignal>;

export interface ScriptedProvider extends Provider {
  readonly requests: readonly ModelRequest[];
  readonly aborted: () => number;
}

export function scriptedProvider(script: Script): ScriptedProvider {
  const requests: ModelRequest[] = [];
  let aborts = 0;
  return {
    name: 'scripted',
    capabilities: {
      streaming: true,
      toolCalling: true,
      tokenCounting: false,
      compaction: false,
      maxContextWindow: undefined,
    },
    models: async () => [{ name: 'm-1' }],
    stream(request, { signal }) {
      requests.push(request);
      signal.addEventListener('abort', () => {
        aborts += 1;
      });
      return script(request, signal, requests.length - 1);
    },
    requests,
    aborted: () => aborts,
  };
}

export async function* says(...words: string[]): AsyncGenerator<ProviderSignal> {
  for (const text of words) yield { type: 'text', text };
  yield { type: 'usage', usage: { inputTokens: 10, outputTokens: words.length } };
  yield { type: 'finish', reason: 'stop' };
}

/** Never resolves by itself, and does not care about an abort. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}

/** Fails before anything was sent. */
// biome-ignore lint/correctness/useYield: there is nothing to send
export async function* fails(error: unknown): AsyncGenerator<ProviderSignal> {
  throw error;
}
