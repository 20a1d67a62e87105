// All forms by their names.
import { aiSdkForm } from './ai-sdk.ts';
import { anthropicForm } from './anthropic.ts';
import type { Form } from './form.ts';
import { geminiForm } from './gemini.ts';
import type { FormName, MessageForms } from './message-forms.ts';
import { openAiChatForm } from './openai-chat.ts';
import { openAiResponsesForm } from './openai-responses.ts';

export const FORMS: { readonly [Name in FormName]: Form<MessageForms[Name]> } = {
  'ai-sdk': aiSdkForm,
  anthropic: anthropicForm,
  gemini: geminiForm,
  'openai-chat': openAiChatForm,
  'openai-responses': openAiResponsesForm,
};
