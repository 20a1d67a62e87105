// Keep a list of messages within a number of tokens: ChatCompressionService, and a memory that is built on it.
import { createChatCompressionService, createSummaryBufferMemory, type SessionMessage } from 'ollm';

const said = (role: SessionMessage['role'], text: string): SessionMessage => ({
  role,
  parts: [{ type: 'text', text }],
  timestamp: new Date().toISOString(),
});
const talk = [
  said('user', 'Please never touch lib/vendor.'),
  ...Array.from({ length: 40 }, (_, index) =>
    said(index % 2 ? 'user' : 'assistant', `Step ${index}: ${'and so on '.repeat(20)}`),
  ),
];

// A function that asks a model can take the place of 'extract'.
const compression = createChatCompressionService({ summaries: 'extract' });
if (compression.shouldCompress(talk, 2048, 0.8)) {
  const options = { strategy: 'hybrid', preserveRecentTokens: 300, targetTokens: 1024 } as const;
  const { compressedMessages, originalTokenCount, compressedTokenCount } = await compression.compress(talk, options);
  console.log(
    `smaller: ${compressedTokenCount < originalTokenCount}, fewer: ${compressedMessages.length < talk.length}`,
  );
}

const memory = createSummaryBufferMemory({ summaries: 'extract' });
for (const message of talk) memory.addMessage(message);
await memory.prune(1024);
console.log(memory.summary.split('\n').slice(0, 2).join(' '));
