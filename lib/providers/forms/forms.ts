// All forms by their names.
import { aiSdkForm } from './ai-sdk.ts';
import { aiSdkUiForm } from './ai-sdk-ui.ts';
import { anthropicForm } from './anthropic.ts';
import type { Form, ReadForm } from './form.ts';
import { geminiForm } from './gemini.ts';
import type { MessageForms, SentForm } from './message-forms.ts';
import { openAiChatForm } from './openai-chat.ts';
import { openAiResponsesForm } from './openai-responses.ts';

export const FORMS: { readonly [Name in SentForm]: Form<MessageForms[Name]> } & {
  readonly 'ai-sdk-ui': ReadForm;
} = {
  'ai-sdk': aiSdkForm,
  'ai-sdk-ui': aiSdkUiForm,
  anthropic: anthropicForm,
  gemini: geminiForm,
  'openai-chat': openAiChatForm,
  'openai-responses': openAiResponsesForm,
};
