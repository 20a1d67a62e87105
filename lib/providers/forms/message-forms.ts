// The messages of each form, as the packages of the vendors declare them. Only types.

/** What `messages` gives in each form. */
export interface MessageForms {
  'ai-sdk': AiSdkMessages;
  'ai-sdk-ui': AiSdkUiMessages;
  anthropic: AnthropicMessages;
  gemini: GeminiContents;
  'openai-chat': OpenAiChatMessages;
  'openai-responses': OpenAiResponseItems;
}

/** The form of a vendor's API. */
export type FormName = keyof MessageForms;
/** A form in which models are asked. `ai-sdk-ui` is what a page shows. */
export type SentForm = Exclude<FormName, 'ai-sdk-ui'>;

/** Members of the vendors for a part, by the name of the vendor. */
export type AiSdkPartOptions = Record<string, Record<string, AiSdkJson | undefined>>;
/** JSON as the AI SDK has it. */
export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [member: string]: AiSdkJson | undefined };

export interface AiSdkText {
  type: 'text';
  text: string;
  providerOptions?: AiSdkPartOptions;
}

export interface AiSdkFile {
  type: 'file';
  mediaType: string;
  filename?: string;
  /** Base64. */
  data: string;
}

export interface AiSdkReasoning {
  type: 'reasoning';
  text: string;
  providerOptions?: AiSdkPartOptions;
}

export interface AiSdkCall {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerOptions?: AiSdkPartOptions;
}

export interface AiSdkCustom {
  type: 'custom';
  kind: `${string}.${string}`;
  providerOptions?: AiSdkPartOptions;
}

export interface AiSdkResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output:
    | { type: 'text' | 'error-text'; value: string }
    | {
        type: 'content';
        value: ({ type: 'text'; text: string } | { type: 'file-data'; data: string; mediaType: string })[];
      };
}

/** A `ModelMessage` of the AI SDK. */
export type AiSdkMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: (AiSdkText | AiSdkFile)[] }
  | { role: 'assistant'; content: (AiSdkText | AiSdkReasoning | AiSdkCall | AiSdkCustom)[] }
  | { role: 'tool'; content: AiSdkResult[] };

/** For `generateText({ model, ...messages })`. */
export interface AiSdkMessages {
  system: string;
  messages: AiSdkMessage[];
}

export interface AiSdkUiCallOf {
  /** `tool-` and the name. */
  type: `tool-${string}`;
  toolCallId: string;
  input: unknown;
  callProviderMetadata?: AiSdkPartOptions;
}

/** A call, with its result as far as there is one. */
export type AiSdkUiCall =
  | (AiSdkUiCallOf & { state: 'input-available' })
  | (AiSdkUiCallOf & { state: 'output-available'; output: unknown })
  | (AiSdkUiCallOf & { state: 'output-error'; errorText: string })
  | (AiSdkUiCallOf & { state: 'output-denied'; approval: { id: string; approved: false; reason?: string } });

/** A part of a message that a page shows. A part of any other kind that a program appended comes back too. */
export type AiSdkUiPart =
  | { type: 'text' | 'reasoning'; text: string; providerMetadata?: AiSdkPartOptions }
  | { type: 'file'; mediaType: string; filename?: string; url: string }
  | { type: 'step-start' }
  | AiSdkUiCall;

/** A `UIMessage` of the AI SDK. */
export interface AiSdkUiMessage {
  id: string;
  role: 'system' | 'user' | 'assistant';
  metadata?: unknown;
  parts: AiSdkUiPart[];
}

/** For `useChat({ ...messages })`: all that was said, as a page shows it. */
export interface AiSdkUiMessages {
  messages: AiSdkUiMessage[];
}

export type AnthropicImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
export interface AnthropicText {
  type: 'text';
  text: string;
}
export interface AnthropicImage {
  type: 'image';
  source: { type: 'base64'; media_type: AnthropicImageType; data: string };
}
export interface AnthropicDocument {
  type: 'document';
  title?: string;
  source: { type: 'base64'; media_type: 'application/pdf'; data: string };
}
export interface AnthropicResult {
  type: 'tool_result';
  tool_use_id: string;
  is_error?: boolean;
  content: string | (AnthropicText | AnthropicImage | AnthropicDocument)[];
}
export type AnthropicAnswer =
  | AnthropicText
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown };

/** A message of the Messages API. */
export type AnthropicMessage =
  | { role: 'user'; content: (AnthropicResult | AnthropicText | AnthropicImage | AnthropicDocument)[] }
  | { role: 'assistant'; content: AnthropicAnswer[] };

/** For `client.messages.create({ model, max_tokens, ...messages })`. */
export interface AnthropicMessages {
  system: string;
  messages: AnthropicMessage[];
}

/** A part of a content. */
export interface GeminiPart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { mimeType: string; data: string };
  functionCall?: { id?: string; name: string; args: Record<string, unknown> };
  functionResponse?: { id?: string; name: string; response: Record<string, unknown> };
}

/** A message of Gemini. */
export interface GeminiContent {
  role: 'user' | 'model';
  parts: GeminiPart[];
}

/** For `ai.models.generateContent({ model, contents, config: { systemInstruction } })`, and as it is over HTTP. */
export interface GeminiContents {
  systemInstruction: { parts: { text: string }[] };
  contents: GeminiContent[];
}

export type OpenAiChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } };

export interface OpenAiChatCall {
  type: 'function';
  id: string;
  function: { name: string; arguments: string };
}

/** A message of the chat completions. */
export type OpenAiChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | OpenAiChatPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: OpenAiChatCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

/** For `client.chat.completions.create({ model, ...messages })`. */
export interface OpenAiChatMessages {
  messages: OpenAiChatMessage[];
}

export type OpenAiInputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string };

export interface OpenAiReasoningItem {
  type: 'reasoning';
  id: string;
  encrypted_content: string;
  summary: { type: 'summary_text'; text: string }[];
}

/** An item of the input. */
export type OpenAiResponseItem =
  | { role: 'system' | 'assistant'; content: string }
  | { role: 'user'; content: OpenAiInputPart[] }
  | OpenAiReasoningItem
  | { type: 'compaction'; id?: string; encrypted_content: string }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | OpenAiInputPart[] };

/** For `client.responses.create({ model, store: false, include: ['reasoning.encrypted_content'], ...messages })`. */
export interface OpenAiResponseItems {
  instructions: string;
  input: OpenAiResponseItem[];
}
