// A message in the role of the user: what was typed, what the program put beside it, or the request of a compaction.
import type { Part } from '../../messages/index.ts';
import type { JsonObject } from '../agent.ts';
import { nonEmpty, objectIn, saysSomething, textIn } from '../members.ts';
import { addFile, attachmentsOf, type Content, noContent } from './content.ts';
import { firstOf, type OpencodeGiven } from './state.ts';
import { beginTurn, changeModel } from './turns.ts';

export function readPrompt(info: JsonObject, parts: readonly JsonObject[], given: OpencodeGiven): void {
  const { state } = given;
  const model = objectIn(info.model);
  const typed = noContent();
  const injected = noContent();
  let isCompaction = false;
  for (const part of parts) {
    if (part.type === 'compaction') {
      isCompaction = true;
      const keptFrom = firstOf(state, nonEmpty(part.tail_start_id) ?? '');
      state.compaction = { by: part.auto === true ? 'auto' : 'user', keptFrom };
    } else if (!readPart(part, { typed, injected })) {
      given.left.push(`parts[${textIn(part.type) ?? ''}]`);
    }
  }
  // A compaction may be made by a model of its own.
  if (!isCompaction) changeModel(model?.providerID, model?.modelID, given);
  if (typed.parts.length > 0) {
    beginTurn(textOf(typed.parts), given);
    addMessage(typed, { isSynthetic: state.isSubagent, message: nonEmpty(info.id) }, given);
  }
  if (injected.parts.length > 0) addMessage(injected, { isSynthetic: true }, given);
}

function readPart(part: JsonObject, { typed, injected }: { readonly typed: Content; readonly injected: Content }) {
  switch (part.type) {
    case 'text': {
      const text = textIn(part.text);
      // Shown, and not sent to the model.
      if (part.ignored === true) return false;
      if (saysSomething(text)) (part.synthetic === true ? injected : typed).parts.push({ type: 'text', text });
      return true;
    }
    case 'subtask': {
      const text = textIn(part.prompt);
      if (saysSomething(text)) typed.parts.push({ type: 'text', text });
      return true;
    }
    case 'file':
      return addFile(part, typed);
    // A name that the text has too.
    case 'agent':
      return true;
    default:
      return false;
  }
}

function addMessage(
  content: Content,
  { isSynthetic, message }: { readonly isSynthetic: boolean; readonly message?: string | undefined },
  given: OpencodeGiven,
): void {
  given.add({
    type: 'message.added',
    data: {
      role: 'user',
      parts: content.parts,
      trusted: false,
      ...(isSynthetic ? { synthetic: true as const } : {}),
      ...(message === undefined ? {} : { message }),
    },
    attachments: attachmentsOf(content),
  });
}

export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
