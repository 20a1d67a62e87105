// What a turn of a conversation runs on, whatever is asked in it: the provider, the store, the clock and the hooks.
import { counterFor } from '../../tokens/counter-for.ts';
import type { TurnDependencies } from '../../turn/turn.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { requestWindow } from '../providers/request-window.ts';
import { samplingOf } from '../providers/sampling.ts';
import { turnHooks } from '../tools/hooks.ts';

export async function turnBasis(app: App, conversation: Conversation) {
  const { choice, store } = conversation;
  const { provider, model, thinking } = choice;
  return {
    provider,
    model,
    thinking,
    sampling: samplingOf(app, provider.name),
    contextWindow: requestWindow(app, choice),
    counter: await counterFor({ provider: provider.name, model }),
    store,
    clock: app.clock,
    log: app.log,
    redactor: { redact: await app.redactor() },
    hooks: turnHooks(app, conversation),
  } satisfies TurnDependencies;
}
