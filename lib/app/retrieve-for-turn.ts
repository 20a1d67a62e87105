// What a turn finds by itself: passages of this project's files and of the sessions about it, without those
// of files that a rule hides from models.
import { readQuery } from '../ranking/words.ts';
import type { TurnRetrieval } from '../turn/turn.ts';
import type { App } from './app.ts';
import type { Conversation } from './conversation.ts';
import { passageStoreOf } from './passage-store.ts';
import { type FoundPassage, recall } from './recall.ts';
import { hiddenBy } from './tools/recall-port.ts';
import { toolSetupOf } from './tools/tool-setup.ts';

/** A turn waits so long for what is new; the rest comes in with the next. */
const UPDATE_MS = 1_500;
const MAX_PASSAGES = 8;
/** What the delimiters around a passage take. */
const TOKENS_PER_PASSAGE = 40;
/** Of so many words, a passage with one of them is there by chance. */
const WORDS_OF_A_QUESTION = 3;

/** Undefined where there is no index, as for a session in memory. */
export async function turnRetrieval(app: App, conversation: Conversation): Promise<TurnRetrieval | undefined> {
  if ((await passageStoreOf(app)) === undefined) return undefined;
  return {
    async find(question, { limitTokens, shown, isShown, signal }) {
      const { turn } = await toolSetupOf(app, conversation);
      const isHidden = hiddenBy(app, turn.policy);
      const own = `ollm:${conversation.session.id}#`;
      const isAsked = readQuery(question).terms.length >= WORDS_OF_A_QUESTION;
      const isLeftOut = (passage: FoundPassage) =>
        isHidden(passage) ||
        (passage.place.startsWith(own) && shown.has(Number(passage.place.slice(own.length)))) ||
        isShown(passage.text) ||
        (isAsked && passage.words.length < 2);
      const scope = { project: app.paths.project };
      const request = { text: question, limit: MAX_PASSAGES, scope, isLeftOut };
      const { passages, notes } = await recall(app, request, { signal, updateMs: UPDATE_MS });
      let left = limitTokens;
      const chunks = passages.flatMap(({ place, text, score, tokens }) => {
        if (tokens + TOKENS_PER_PASSAGE > left) return [];
        left -= tokens + TOKENS_PER_PASSAGE;
        return [{ source: place, text, score, tokens }];
      });
      return { chunks, notices: notes };
    },
  };
}
