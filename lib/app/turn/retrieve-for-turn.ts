// What a turn finds by itself: passages of this project's files and of the sessions about it, without those
// of files that a rule hides from models, or that name one.
import { asksForSomething } from '../../ranking/asks-for-something.ts';
import { saysMoreThan } from '../../ranking/says-more.ts';
import { readQuery } from '../../ranking/words.ts';
import type { TurnRetrieval } from '../../turn/turn.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { hiddenBy } from '../policy/hidden-by.ts';
import { type FoundPassage, recall } from '../recall/recall.ts';
import { toolSetupOf } from '../tools/tool-setup.ts';

/** How long a turn waits for new content; the rest is indexed by the next one. */
const UPDATE_MS = 1_500;
const MAX_PASSAGES = 8;
/** Tokens of the delimiters around a passage. */
const TOKENS_PER_PASSAGE = 40;
/** With this many words, a passage with only one of them is there by chance. */
const WORDS_OF_A_QUESTION = 3;
/** By meaning something is always nearest; further down it need not be near. */
const NEAREST = 5;
/** How long a turn waits for the vector of its question. */
const VECTOR_MS = 3_000;

/** Undefined without an index, as for a session in memory. */
export async function turnRetrieval(app: App, conversation: Conversation): Promise<TurnRetrieval | undefined> {
  if ((await app.passages()) === undefined) return undefined;
  return {
    async find(question, { limitTokens, shown, isShown, signal }) {
      if (!asksForSomething(question)) return { chunks: [], notices: [] };
      const { turn } = await toolSetupOf(app, conversation);
      const isHidden = hiddenBy(app, turn.policy);
      const own = `ollm:${conversation.session.id}#`;
      const query = readQuery(question);
      const isAsked = query.terms.length >= WORDS_OF_A_QUESTION;
      const isLeftOut = (passage: FoundPassage) =>
        (passage.place.startsWith(own) && shown.has(Number(passage.place.slice(own.length)))) ||
        isShown(passage.text) ||
        !saysMoreThan(passage.text, query) ||
        (isAsked && passage.words.length < 2 && (passage.ranks.meaning ?? Number.POSITIVE_INFINITY) > NEAREST) ||
        isHidden(passage);
      const scope = { project: app.paths.project };
      const request = { text: question, limit: MAX_PASSAGES, scope, isLeftOut };
      const { passages, notes } = await recall(app, request, {
        signal,
        updateMs: UPDATE_MS,
        vectorMs: VECTOR_MS,
        waitMs: 0,
      });
      let left = limitTokens;
      const chunks = passages.flatMap(({ place, text, score, tokens }) => {
        if (tokens + TOKENS_PER_PASSAGE > left) return [];
        left -= tokens + TOKENS_PER_PASSAGE;
        return [{ source: place, text, score, tokens }];
      });
      return { chunks, notices: notes.filter((note) => isNew(conversation, note)) };
    },
  };
}

/** A server that is away is a notice once, not with each turn. */
function isNew({ state: { shownRetrievalNotes: shown } }: Conversation, note: string): boolean {
  return !shown.has(note) && shown.add(note).has(note);
}
