// Tokens that models take in, for the vendors that have no endpoint to ask. Data, with where each row was read. The
// first pattern that fits wins; a model that fits none is unknown, which is better than wrong: a request that is too
// long is refused with words, one that was cut for nothing is not.

interface WindowRow {
  readonly model: RegExp;
  /** Tokens of a request, without those that are kept for the answer where the vendor counts them apart. */
  readonly tokens: number;
  readonly source: string;
}

const OPENAI = 'https://platform.openai.com/docs/models';
const BEDROCK = 'https://docs.aws.amazon.com/bedrock/latest/userguide/models-supported.html';

const WINDOWS: Readonly<Record<string, readonly WindowRow[]>> = {
  openai: [
    { model: /^gpt-5(\.[12])?(-(mini|nano|codex|pro))?(-\d{4}-\d{2}-\d{2})?$/, tokens: 272_000, source: OPENAI },
    { model: /^gpt-5\.[45](-\d{4}-\d{2}-\d{2})?$/, tokens: 922_000, source: OPENAI },
    { model: /^gpt-4\.1(-(mini|nano))?(-\d{4}-\d{2}-\d{2})?$/, tokens: 1_014_808, source: OPENAI },
    { model: /^gpt-4o(-mini)?(-\d{4}-\d{2}-\d{2})?$/, tokens: 111_616, source: OPENAI },
    { model: /^(o1|o3|o3-mini|o4-mini)(-\d{4}-\d{2}-\d{2})?$/, tokens: 100_000, source: OPENAI },
  ],
  bedrock: [
    { model: /anthropic\.claude-/, tokens: 200_000, source: BEDROCK },
    { model: /amazon\.nova-(pro|lite)-v1/, tokens: 300_000, source: BEDROCK },
    { model: /amazon\.nova-micro-v1/, tokens: 128_000, source: BEDROCK },
    { model: /meta\.llama3-[123]-\d+b/, tokens: 128_000, source: BEDROCK },
  ],
};

/** Undefined if it is in no row. */
export function contextWindowOf(provider: string, model: string): number | undefined {
  return WINDOWS[provider]?.find((row) => row.model.test(model))?.tokens;
}
