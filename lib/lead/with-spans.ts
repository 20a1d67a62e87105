// Sends the spans of a turn to the collector that the settings name. The turn never waits for the collector. Nothing of
// this is loaded where no collector is named.
import { concatMap, defer, finalize, from, type Observable } from 'rxjs';
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import type { TurnSignal } from '../turn/signals.ts';

/** The turn itself. Nothing is sent of a session that is encrypted or ephemeral. */
export function withSpans(
  app: App,
  { session, choice, encrypted, ephemeral }: Conversation,
  turn: Observable<TurnSignal>,
): Observable<TurnSignal> {
  if (app.config.otel.endpoint === undefined || encrypted || ephemeral) return turn;
  return defer(() => from(import('../app/otel/watch-turn.ts'))).pipe(
    concatMap(({ watchTurn }) => {
      const watch = watchTurn(app, { id: session.id, provider: choice.provider.name, model: choice.model });
      const stop = session.writer.subscribe(watch.take);
      return turn.pipe(
        finalize(() => {
          stop();
          watch.end();
        }),
      );
    }),
  );
}
