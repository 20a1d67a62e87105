// A message as a line of `ollm append`.
export function said(role: 'user' | 'assistant', text: string): object {
  return { type: 'message.added', data: { role, parts: [{ type: 'text', text }], trusted: true } };
}
