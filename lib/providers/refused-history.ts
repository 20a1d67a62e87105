// Refusals that a history causes, by the words that vendors have for them, and the forms in which a history is sent
// instead. A history that is refused once is refused in every later request, so each of these has a way out.

/** What a provider refuses in the messages of a conversation. */
export type RefusedPiece = 'reasoning' | 'missing reasoning' | 'attachments' | 'call ids' | 'calls';

/** How messages are written. Absent members: as they came. */
export interface HistoryForm {
  /** `current`: only that of the newest question. `none`: no reasoning. `filled`: a note in answers without any. */
  readonly reasoning?: 'current' | 'none' | 'filled' | undefined;
  /** `current`: images and documents of earlier messages and of tools are told in words. */
  readonly attachments?: 'current' | undefined;
  /** `short`: nine letters and digits. */
  readonly callIds?: 'short' | undefined;
  /** `words`: calls and results are texts. */
  readonly calls?: 'words' | undefined;
}

interface Refusal {
  readonly piece: RefusedPiece;
  /** All of them are in the words and the code of the error. */
  readonly says: readonly RegExp[];
}

const ATTACHMENT = /\b(images?|input_image|image_url|pdfs?|documents?|media.?type|mime.?type|vision|multimodal)\b/i;

/** The first that fits holds. */
const REFUSALS: readonly Refusal[] = [
  // DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API"; Kimi: "… is missing in …".
  { piece: 'missing reasoning', says: [/reasoning.?content.{0,120}(passed back|missing|required|must be)/i] },
  // Anthropic, also on Bedrock: "Invalid `signature` in `thinking` block", "Invalid signature"; Gemini: "Thought
  // signature is not valid".
  { piece: 'reasoning', says: [/signature/i, /invalid|not valid|corrupt|required|mismatch|missing|could not be/i] },
  // Anthropic: "Expected `thinking` or `redacted_thinking`, but found `tool_use`", "… blocks … cannot be modified".
  {
    piece: 'reasoning',
    says: [/`?(redacted_)?thinking`?/i, /expected|cannot be modified|must (contain|start|remain)/i],
  },
  // OpenAI: invalid_encrypted_content; "Item 'rs_…' of type 'reasoning' was provided without its required following
  // item".
  {
    piece: 'reasoning',
    says: [/encrypted.content|type '?reasoning'?|'rs_/i, /invalid|could not be|without|not found/i],
  },
  // Groq, Mistral and others: "property 'reasoning_content' is unsupported", "Extra inputs are not permitted".
  {
    piece: 'reasoning',
    says: [
      /reasoning_(content|details)|\breasoning\b/i,
      /unsupported|not (supported|permitted|allowed)|extra|unknown|unexpected|unrecognized|invalid/i,
    ],
  },
  // Mistral: "Tool call id was call_… but must be a-z, A-Z, 0-9, with a length of 9."
  { piece: 'call ids', says: [/tool.?call.?id/i, /length of \d|a-z/i] },
  {
    piece: 'attachments',
    says: [
      ATTACHMENT,
      /could not|can ?not|can't|unable|invalid|unsupported|not (support|valid|allowed)|only supported|exceed|too (large|many|big)|corrupt|no endpoints|decod|password|maximum/i,
    ],
  },
  // A chat template without calls: "Conversation roles must alternate …", "Unexpected role 'tool'".
  { piece: 'calls', says: [/\broles?\b/i, /alternate|(unexpected|unknown|invalid|unsupported|not support)/i] },
  // "`tool_use` ids were found without `tool_result` blocks", "No tool output found for function call", "number of
  // function response parts", "toolConfig field must be defined".
  {
    piece: 'calls',
    says: [
      /tool_(use|result|calls?)\b|tool(Use|Result|Config)\b|tool (message|result|output|call)s?|function (call|response)/i,
      /without|no tool output|must (be|have|immediately)|equal to the number|immediately|not found|(un)?expected|preceding|does not match|missing/i,
    ],
  },
];

/** The refused piece, by the provider's message; undefined if it is something else. */
export function refusedPiece(said: string): RefusedPiece | undefined {
  return REFUSALS.find(({ says }) => says.every((pattern) => pattern.test(said)))?.piece;
}

/** The form to try after this one; undefined where none is left. */
export function nextForm(piece: RefusedPiece, form: HistoryForm): HistoryForm | undefined {
  switch (piece) {
    case 'missing reasoning':
      return form.reasoning === undefined ? { ...form, reasoning: 'filled' } : undefined;
    case 'reasoning':
      if (form.reasoning === undefined || form.reasoning === 'filled') return { ...form, reasoning: 'current' };
      return form.reasoning === 'current' ? { ...form, reasoning: 'none' } : undefined;
    case 'attachments':
      return form.attachments === undefined ? { ...form, attachments: 'current' } : undefined;
    case 'call ids':
      return form.callIds === undefined ? { ...form, callIds: 'short' } : undefined;
    case 'calls':
      return form.calls === undefined ? { ...form, calls: 'words' } : undefined;
  }
}

/**
 * The hint for a refusal that no form avoids, or of unknown reason: how to take the refused part out of the request.
 */
export const HISTORY_HINT =
  'If it is about an earlier message, /undo takes back the last question, and /compact sets older messages aside.';
