// Names and values of the semantic conventions for what a session knows of models and their use.
import type { Usage } from '../../messages/index.ts';
import type { SpanAttributes } from './span.ts';

export type Attributes = Record<string, SpanAttributes[string]>;

export function modelAttributes({
  provider,
  model,
}: {
  readonly provider?: string | undefined;
  readonly model: string;
}): Attributes {
  return {
    'gen_ai.provider.name': provider ? (PROVIDERS[provider] ?? provider) : undefined,
    'gen_ai.request.model': model || undefined,
  };
}

/** Providers that have a different name in the conventions. */
const PROVIDERS: Readonly<Record<string, string>> = {
  gemini: 'gcp.gemini',
  google: 'gcp.gemini',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export function usageAttributes(usage: Usage): Record<string, number | undefined> {
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
  };
}
