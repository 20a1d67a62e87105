// A message in the role of the user: a typed text, a text added by the program, or the request of a compaction.
import { changeModel } from '../about.ts';
import type { JsonObject } from '../agent.ts';
import { Content } from '../content.ts';
import { nonEmpty, objectIn, textIn } from '../members.ts';
import { addPrompt, addUserMessage } from '../said.ts';
import { addFile } from './content.ts';
import { firstOf, type OpencodeGiven } from './state.ts';

export function readPrompt(info: JsonObject, parts: readonly JsonObject[], given: OpencodeGiven): void {
  const { state } = given;
  const model = objectIn(info.model);
  const typed = new Content();
  const injected = new Content();
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
  addPrompt(typed, given, nonEmpty(info.id));
  addUserMessage({ content: injected, isSynthetic: true }, given);
}

function readPart(part: JsonObject, { typed, injected }: { readonly typed: Content; readonly injected: Content }) {
  switch (part.type) {
    case 'text':
      // Shown, and not sent to the model.
      if (part.ignored === true) return false;
      (part.synthetic === true ? injected : typed).addText(textIn(part.text));
      return true;
    case 'subtask':
      typed.addText(textIn(part.prompt));
      return true;
    case 'file':
      return addFile(part, typed);
    // A name that the text has too.
    case 'agent':
      return true;
    default:
      return false;
  }
}
