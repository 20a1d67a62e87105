// What to do when an Ollama fails: it is a program of the user's, with a log of its own.
import type { ServerHints } from '../http/server.ts';

export const OLLAMA_HINTS: ServerHints = {
  unreachable: 'Start it with "ollama serve", set OLLAMA_HOST to where it runs, or use --provider offline.',
  silent: 'It may still be loading the model: try again, choose a smaller model, or allow more time.',
  redirected: 'If that is your Ollama, set OLLAMA_HOST to its address.',
  nonsense: 'Check that OLLAMA_HOST is the address of Ollama, not of a proxy or another program.',
  cutOff: 'Try again; if it happens every time, the log of "ollama serve" says why.',
  noAnswer: 'Try again; if it happens every time, the log of "ollama serve" says why.',
  key: 'Put name and password into OLLAMA_HOST: https://name:password@host/.',
  missingModel: (model) => `Get it with "ollama pull ${model}", or choose another with /model or --model.`,
  refused: (message, status) => {
    if (/does not support tools/.test(message)) return 'Choose a model that can call tools, or go on without them.';
    if (/memory/.test(message)) return 'Choose a smaller model or a smaller context window.';
    return status === 429 || status === 503 || status === 529 ? undefined : 'The log of "ollama serve" says more.';
  },
};

/**
 * Hints about a model for vectors: without a model, passages are found by their words, and no other provider is needed.
 */
export const OLLAMA_VECTOR_HINTS: ServerHints = {
  ...OLLAMA_HINTS,
  unreachable: 'Start it with "ollama serve", or set OLLAMA_HOST to where it runs.',
  missingModel: (model) => `Get it with "ollama pull ${model}", or name another as retrieval.embeddings.model.`,
};
