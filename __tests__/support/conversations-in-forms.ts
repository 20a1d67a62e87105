// A conversation in the form of each vendor's API, by the vendor's documentation: a question with an image and a
// document, an answer that thinks and calls two tools, a result and a failure, and a last answer.
import type { MessageForms, SentForm } from '../../lib/index.ts';

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
export const PDF = Buffer.from('%PDF-1.4 a page').toString('base64');

export const CONVERSATIONS: { readonly [Name in SentForm]: readonly unknown[] } = {
  'ai-sdk': [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is in these?' },
        { type: 'file', mediaType: 'image/png', data: PNG },
        { type: 'file', mediaType: 'application/pdf', data: PDF, filename: 'page.pdf' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Look first.', providerOptions: { anthropic: { signature: 'c2ln' } } },
        { type: 'text', text: 'I look.', providerOptions: { google: { thoughtSignature: 'dGV4dA' } } },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { at: 1 } },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'read', input: { page: 2 } },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'text', value: 'a dot' } },
        { type: 'tool-result', toolCallId: 'c2', toolName: 'read', output: { type: 'error-text', value: 'no page' } },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'A dot, and one page.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Thanks.' }] },
  ],
  anthropic: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is in these?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        {
          type: 'document',
          title: 'page.pdf',
          source: { type: 'base64', media_type: 'application/pdf', data: PDF },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Look first.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'aGlkZGVu' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c1', name: 'look', input: { at: 1 } },
        { type: 'tool_use', id: 'c2', name: 'read', input: { page: 2 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'a dot' },
        { type: 'tool_result', tool_use_id: 'c2', content: 'no page', is_error: true },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'A dot, and one page.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Thanks.' }] },
  ],
  gemini: [
    {
      role: 'user',
      parts: [
        { text: 'What is in these?' },
        { inlineData: { mimeType: 'image/png', data: PNG } },
        { inlineData: { mimeType: 'application/pdf', data: PDF } },
      ],
    },
    {
      role: 'model',
      parts: [
        { text: 'Look first.', thought: true, thoughtSignature: 'dGhvdWdodA' },
        { text: 'I look.', thoughtSignature: 'dGV4dA' },
        { functionCall: { id: 'c1', name: 'look', args: { at: 1 } }, thoughtSignature: 'Y2FsbA' },
        { functionCall: { id: 'c2', name: 'read', args: { page: 2 } }, thoughtSignature: 'Y2FsbDI' },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'look', response: { output: 'a dot' } } },
        { functionResponse: { id: 'c2', name: 'read', response: { error: 'no page' } } },
      ],
    },
    { role: 'model', parts: [{ text: 'A dot, and one page.' }] },
    { role: 'user', parts: [{ text: 'Thanks.' }] },
  ],
  'openai-chat': [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is in these?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: 'file', file: { filename: 'page.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { type: 'function', id: 'c1', function: { name: 'look', arguments: '{"at":1}' } },
        { type: 'function', id: 'c2', function: { name: 'read', arguments: '{"page":2}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'a dot' },
    { role: 'tool', tool_call_id: 'c2', content: 'no page' },
    { role: 'assistant', content: 'A dot, and one page.' },
    { role: 'user', content: 'Thanks.' },
  ],
  'openai-responses': [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is in these?' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' },
        { type: 'input_file', filename: 'page.pdf', file_data: `data:application/pdf;base64,${PDF}` },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: 'ZW5jcnlwdGVk',
      summary: [
        { type: 'summary_text', text: 'Look first.' },
        { type: 'summary_text', text: 'Then read.' },
      ],
    },
    { role: 'assistant', content: 'I look.' },
    { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":1}' },
    { type: 'function_call', call_id: 'c2', name: 'read', arguments: '{"page":2}' },
    { type: 'function_call_output', call_id: 'c1', output: 'a dot' },
    { type: 'function_call_output', call_id: 'c2', output: 'no page' },
    { role: 'assistant', content: 'A dot, and one page.' },
    { role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
  ],
};

export const FORM_NAMES = Object.keys(CONVERSATIONS) as readonly SentForm[];

/** The list of messages in a request. */
export function listOf<Name extends SentForm>(name: Name, sent: MessageForms[Name]): readonly unknown[] {
  const { messages, contents, input } = sent as unknown as Readonly<Record<string, readonly unknown[]>>;
  const list = messages ?? contents ?? input ?? [];
  // Chat completions have the system prompt in front.
  return name === 'openai-chat' ? list.slice(1) : list;
}
