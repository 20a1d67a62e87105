// How much a model thinks: whether it can be set so, and the choice that holds when the model changes.
import { OllmError } from '../../errors/index.ts';
import type { ThinkingMode } from '../../providers/thinking.ts';
import type { ProviderChoice } from '../conversation.ts';
import type { Interruptible } from './choose-provider.ts';

type Answering = Pick<ProviderChoice, 'provider' | 'model'>;

/** @throws OllmError THINKING_MODE_NOT_SUPPORTED, PROVIDER_KEY, PROVIDER_UNREACHABLE */
export async function requireThinking(
  { provider, model }: Answering,
  mode: ThinkingMode,
  { signal }: Interruptible = {},
): Promise<void> {
  const modes = (await provider.thinkingModes?.(model, { signal })) ?? [];
  if (modes.includes(mode)) return;
  throw new OllmError('THINKING_MODE_NOT_SUPPORTED', `How much ${model} thinks cannot be set to ${mode}.`, {
    hint: modes.length === 0 ? 'Leave it out: this model has no such modes.' : `It has: ${modes.join(', ')}.`,
    data: { provider: provider.name, model, mode, modes },
  });
}

/** The mode, where this model has it too. */
export async function keptThinking(
  { provider, model }: Answering,
  mode: ThinkingMode | undefined,
  { signal }: Interruptible = {},
): Promise<ThinkingMode | undefined> {
  if (mode === undefined || provider.thinkingModes === undefined) return undefined;
  // A server that cannot be asked says so with the request.
  const modes = await provider.thinkingModes(model, { signal }).catch((): ThinkingMode[] => []);
  return modes.includes(mode) ? mode : undefined;
}
