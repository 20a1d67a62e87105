// Asks a model one question outside the conversation: the session shows nothing of it. The usage is returned, so that
// the journal can record it.
import { lastValueFrom, takeUntil, tap } from 'rxjs';
import { OllmError } from '../../errors/index.ts';
import type { EventData } from '../../events/index.ts';
import type { RequestText } from '../../messages/untrusted.ts';
import { estimateTokens } from '../../tokens/estimate.ts';
import { aborted$ } from '../aborted.ts';
import type { TurnDependencies } from '../turn.ts';
import { countedUsage } from './counted.ts';
import { answerSignals } from './provider-signals.ts';
import { emptyReply, requireFinish, takeSignal } from './reply.ts';

interface SideQuestion {
  readonly system: RequestText;
  readonly text: RequestText;
  readonly maxOutputTokens: number;
}

export interface Answered {
  readonly text: string;
  readonly usage: EventData<'usage.reported'>;
}

export type AskingDependencies = Pick<
  TurnDependencies,
  'provider' | 'model' | 'contextWindow' | 'store' | 'silenceTimeoutMs'
>;

/** @throws OllmError INTERRUPTED, PROVIDER_*; or any error of the provider */
export async function askOnce(
  dependencies: AskingDependencies,
  { system, text, maxOutputTokens }: SideQuestion,
  signal: AbortSignal,
): Promise<Answered> {
  const { provider, model, contextWindow, store } = dependencies;
  const messages = [{ role: 'user', parts: [{ type: 'text', text }] }] as const;
  const request = { model, system, messages, tools: [], contextWindow, maxOutputTokens, readBlob: store.readBlob };
  const reply = emptyReply();
  const answer$ = answerSignals(dependencies, request).pipe(
    tap((item) => takeSignal(reply, item)),
    takeUntil(aborted$(signal)),
  );
  await lastValueFrom(answer$, { defaultValue: undefined });
  if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
  requireFinish(reply);
  const answer = reply.pieces.flatMap(({ type, chunks }) => (type === 'text' ? chunks : [])).join('');
  const estimate = { inputTokens: estimateTokens(system) + estimateTokens(text), outputTokens: estimateTokens(answer) };
  const { usage, source } = countedUsage(reply, estimate);
  return {
    text: answer,
    usage: {
      ...usage,
      source,
      model,
      provider: provider.name,
      purpose: 'summary',
    },
  };
}
