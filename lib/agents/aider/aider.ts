// aider: a file of Markdown in each project, to which every chat is appended: prompts, answers, and lines that the
// program shows. Edits are in the texts of the answers; there are no calls.
import type { Agent, HeadDraft, JsonObject, Source } from '../agent.ts';
import { nonEmpty, textIn } from '../members.ts';
import { chatOf } from './chat.ts';
import { discover, HISTORY, places } from './places.ts';
import { translate } from './read.ts';
import { type AiderState, initialState } from './state.ts';

export const aider: Agent<AiderState> = {
  name: 'aider',
  title: 'aider',
  version: 1,
  isInProjects: true,
  places,
  discover,
  stored: () => ({ kind: 'files', records: (files, source) => chatOf(files.readSmall(source.path), source), head }),
  initial: initialState,
  translate,
  typeOf: ({ kind }) => textIn(kind) ?? '',
  said: {
    prompt: ['kind', 'text'],
    answer: ['kind', 'text'],
    model: ['kind', 'model', 'text'],
    tokens: ['kind', 'sent', 'received', 'cacheHit', 'cacheWrite', 'cost', 'text'],
  },
  leftOut: {
    'it was shown to the user, and not sent to the model': ['shown'],
    'it is a command for the program': ['command'],
    'the start of the chat is said': ['chat'],
  },
  headFromStart,
  headFromEnd: () => true,
};

function head(files: { readSmall(path: string): string | undefined }, source: Source): HeadDraft {
  const draft: HeadDraft = {};
  for (const record of chatOf(files.readSmall(source.path), source)) headFromStart(record, draft);
  // No later time is in the file.
  if (source.startedAt !== undefined) draft.lastActivity = source.startedAt;
  return draft;
}

function headFromStart({ kind, text, model }: JsonObject, draft: HeadDraft): boolean {
  if (kind === 'prompt') draft.firstPrompt ??= nonEmpty(text);
  else if (kind === 'model') draft.model = nonEmpty(model);
  else if (kind === 'shown') draft.version ??= /^Aider v(\S+)/.exec(textIn(text) ?? '')?.[1];
  return false;
}

export { HISTORY };
