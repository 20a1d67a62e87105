// How Bedrock writes an answer: frames of Amazon's binary event stream, each with two checksums.
import { crc32 } from 'node:zlib';
import { bedrock } from '../../../lib/providers/bedrock/vendor.ts';
import type { Dialect } from '../vendor-scenes.ts';

export const KEY = { variable: 'AWS_BEARER_TOKEN_BEDROCK', fromVariable: () => 'planted-bedrock-key' };

/** https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html has the layout of a frame. */
export function frame(type: string, payload: unknown, messageType = 'event'): Uint8Array {
  const name = messageType === 'event' ? ':event-type' : ':exception-type';
  const headers = Buffer.concat([
    header(name, type),
    header(':content-type', 'application/json'),
    header(':message-type', messageType),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const total = 16 + headers.length + body.length;
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const start = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([start, checksum(start)]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.of(Buffer.byteLength(name)),
    Buffer.from(name),
    Buffer.of(7),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

export const delta = (contentBlockIndex: number, part: object) =>
  frame('contentBlockDelta', { contentBlockIndex, delta: part });
export const blockStop = (contentBlockIndex: number) => frame('contentBlockStop', { contentBlockIndex });
export const stop = (stopReason: string) => frame('messageStop', { stopReason });
export const metadata = (usage: object = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }) =>
  frame('metadata', { usage, metrics: { latencyMs: 1 } });

const region = 'eu-central-1';
const now = () => new Date('2026-01-02T03:04:05Z');

export const converse: Dialect = {
  vendor: (url) => bedrock({ baseUrl: url, region, key: KEY, credentials: () => undefined, now }),
  answerPath: '/model/test/converse-stream',
  type: 'application/vnd.amazon.eventstream',
  models: {
    '/foundation-models?byOutputModality=TEXT': {
      modelSummaries: [
        { modelId: 'amazon.nova-lite-v1:0', inferenceTypesSupported: ['ON_DEMAND'], responseStreamingSupported: true },
        { modelId: 'anthropic.claude-sonnet-4-5', inferenceTypesSupported: ['INFERENCE_PROFILE'] },
      ],
    },
    '/inference-profiles?maxResults=1000': {
      inferenceProfileSummaries: [{ inferenceProfileId: 'eu.anthropic.claude-sonnet-4-5' }],
    },
  },
  begin: frame('messageStart', { role: 'assistant' }),
  says: (text) => delta(0, { text }),
  end: Buffer.concat([blockStop(0), stop('end_turn'), metadata()]),
  fails: frame('throttlingException', { message: 'Too many requests' }, 'exception'),
  missing: { status: 400, body: { message: 'The provided model identifier is invalid.' } },
};
