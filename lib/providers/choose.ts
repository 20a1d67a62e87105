// Which provider answers: the one named by the flag, else by the configuration, else an Ollama that answers and has a
// model, else offline. Pure. A cloud provider is only ever chosen by its name, never because a key for it is there.
import { unknownProvider } from './registry.ts';

interface ChoiceInput {
  /** --provider or /provider. */
  readonly flag?: string | undefined;
  /** `provider` of the configuration. */
  readonly configured?: string | undefined;
  /** The variable that set it, where none of the files did. */
  readonly variable?: string | undefined;
  readonly known: readonly string[];
  /** What a probe of Ollama found; needed only where neither flag nor configuration names one. */
  readonly ollama?: OllamaFinding | undefined;
}

export type OllamaFinding =
  | { readonly answers: true; readonly host: string; readonly models: readonly { readonly name: string }[] }
  | { readonly answers: false; readonly host: string; readonly accepts: boolean; readonly reason: string };

interface Choice {
  readonly provider: string;
  readonly by: 'flag' | 'config' | 'found' | 'fallback';
  /** Why this one and how to change it: the first line of the REPL. */
  readonly sentence: string;
}

const OFFLINE = 'offline';
export const WHAT_OFFLINE_IS = 'offline, a search and no language model';
const HOW_TO_CHANGE = '/provider or --provider changes it';

/** Whether the choice depends on an Ollama being there. */
export function needsProbe({ flag, configured }: Pick<ChoiceInput, 'flag' | 'configured'>): boolean {
  return flag === undefined && configured === undefined;
}

/** @throws OllmError PROVIDER_UNKNOWN if flag or configuration name one that there is not */
export function chooseProvider({ flag, configured, variable, known, ollama }: ChoiceInput): Choice {
  const named = flag ?? configured;
  if (named !== undefined) {
    const place = variable === undefined ? 'set in the configuration' : `set by the variable ${variable}`;
    if (!known.includes(named)) throw unknownProvider(named, known, flag === undefined ? place : undefined);
    return {
      provider: named,
      by: flag === undefined ? 'config' : 'flag',
      sentence: `Provider: ${named === OFFLINE ? WHAT_OFFLINE_IS : named} (${flag === undefined ? `${place}; ` : ''}${HOW_TO_CHANGE}).`,
    };
  }
  if (ollama?.answers && ollama.models.length > 0) {
    const sentence = `Provider: ollama (it answers at ${ollama.host}; ${HOW_TO_CHANGE}).`;
    return { provider: 'ollama', by: 'found', sentence };
  }
  const sentence = `Provider: ${WHAT_OFFLINE_IS} (${whyNoOllama(ollama)}; ${HOW_TO_CHANGE}).`;
  return { provider: OFFLINE, by: 'fallback', sentence };
}

function whyNoOllama(ollama: OllamaFinding | undefined): string {
  if (!ollama) return 'no Ollama was looked for';
  if (ollama.answers) return `Ollama answers at ${ollama.host} but has no model yet: "ollama pull llama3.2" gets one`;
  return ollama.accepts ? ollama.reason.replace(/\.$/, '') : `no Ollama answers at ${ollama.host}`;
}
