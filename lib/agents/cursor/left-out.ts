// What of Cursor's records stays in the source by decision, and why.
import type { LeftOut } from '../left-out.ts';

const WITH_A_PROMPT = [
  'context',
  'selections',
  'fileSelections',
  'selectedImages',
  'relevantFiles',
  'mentions',
  'followup',
  'dropdownAdvancedCodebaseSearchBehavior',
  'capabilityStatuses',
];
const OF_AN_ANSWER = [
  'aiType',
  'codeBlocks',
  'hasCodeBlock',
  'repoStep',
  'requestId',
  'searchTypeIfCodebaseQuery',
  'toolFormerData.tool',
];

export const leftOut: LeftOut = {
  'it is the system prompt': ['message/system'],
  'the editor sends it with a prompt, or shows it there': WITH_A_PROMPT.map((one) => `bubble/user bubble.${one}`),
  'it is a file, and no event says one that is not a picture': ['message/user message.content[file]'],
  'it is a second form of the text, or how it came about': OF_AN_ANSWER.map((one) => `bubble/assistant bubble.${one}`),
};
