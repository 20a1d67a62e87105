// What of opencode's records stays in the source by decision, and why.
import type { LeftOut } from '../left-out.ts';

export const leftOut: LeftOut = {
  'it names the source of a session that was handed over': ['session info.metadata'],
  'it is about files before and after they were changed': [
    'part/patch',
    'part/snapshot',
    'message/assistant part[patch]',
    'message/assistant part[snapshot]',
    'session info.summary',
    'message/user info.summary',
  ],
  'it is a setting, and nothing that was said': ['session info.agent', 'session info.model', 'session info.permission'],
  'it is the system prompt': ['message/user info.system'],
  'it is a file, and no event says one that is not a picture': [
    'message/user parts[file]',
    'part/tool part.state.attachments',
    'part/file part[file]',
  ],
  'the text of the error is said': ['message/end ended.error.data', 'message/assistant info.error.data'],
  'the request was tried again': ['part/retry'],
  'it says how fast an answer came': ['part/step-finish part.metrics'],
  'it was shown to the user, and not sent to the model': ['part/text part[text]', 'message/user parts[text]'],
  'the program keeps it for its screen, and the result that the model got is said': [
    'part/tool part.state.metadata',
    'part/tool part.state.title',
  ],
};
