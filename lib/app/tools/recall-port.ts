// The passages of this project for the tool `recall`, without those of files that a rule hides from models, or that
// name one.
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { currentView } from '../../projections/current-view.ts';
import { saysMoreThan } from '../../ranking/says-more.ts';
import { readQuery } from '../../ranking/words.ts';
import type { Session } from '../../session/session.ts';
import type { RecallPort } from '../../tools/builtin/recall.ts';
import type { Policy } from '../../tools/decision.ts';
import type { App } from '../app.ts';
import { hiddenBy } from '../policy/hidden-by.ts';
import { type FoundPassage, recall } from '../recall/recall.ts';

const UPDATE_MS = 10_000;
/** How long the vector of the question may take. Those of passages are not waited for. */
const VECTOR_MS = 3_000;

/** Undefined if passages are switched off, or there is no index, as for a session in memory. */
export async function recallPort(
  app: App,
  { session, policy }: { readonly session: Session; readonly policy: Policy },
): Promise<RecallPort | undefined> {
  if (!app.config.retrieval.enabled || (await app.passages()) === undefined) return undefined;
  return {
    async find(question, { kind, limit, signal }) {
      const isHidden = hiddenBy(app, policy);
      const own = `${OWN_AGENT}:${session.id}#`;
      // The question itself, and what else the model has before it. A long output it has only in part.
      const said = currentView(session.states.view).filter((item) => item.kind === 'message');
      const shown = new Set(said.map(({ seq }) => `${own}${seq}`));
      const query = readQuery(question);
      const isLeftOut = (passage: FoundPassage) =>
        shown.has(passage.place) || !saysMoreThan(passage.text, query) || isHidden(passage);
      const scope = { project: app.paths.project, kind };
      const request = { text: question, limit, scope, isLeftOut };
      const { passages, notes } = await recall(app, request, {
        signal,
        updateMs: UPDATE_MS,
        vectorMs: VECTOR_MS,
        waitMs: 0,
      });
      return { passages, notes };
    },
  };
}
