// How settings are called in the environment, and what their text means there. One rule: OLLM_, the key in capitals,
// `_` between the words of a name, `__` for each dot.
import { parseJson } from '../platform/json.ts';
import { nearest } from './nearest.ts';
import { SETTINGS, type Setting } from './settings.generated.ts';
import type { ConfigEnvironment } from './types.ts';

const PREFIX = 'OLLM_';
/** Variables of ollm that are not settings. */
const OTHERS: readonly string[] = ['OLLM_HOME'];
/** The variable that users of Ollama know already. Ours wins where both are set. */
const ALIASES: Readonly<Record<string, string>> = { 'providers.ollama.host': 'OLLAMA_HOST' };

interface VariableValue {
  readonly key: string;
  readonly variable: string;
  readonly value: unknown;
}

interface VariableReading {
  readonly values: readonly VariableValue[];
  readonly warnings: readonly string[];
}

/** `services.session.maxSessions` → `OLLM_SERVICES__SESSION__MAX_SESSIONS` */
export function variableOf(key: string): string {
  const words = key.split('.').map((name) => name.replace(/[A-Z]/g, '_$&').toUpperCase());
  return PREFIX + words.join('__');
}

/**
 * The settings that the environment names. A text that is not a number where one belongs is left for the check to
 * refuse.
 */
export function readVariables(env: ConfigEnvironment): VariableReading {
  const ours = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !OTHERS.includes(name));
  // Nearly always there is none, and every run of the program comes by here.
  const variables = new Map(ours.length === 0 ? [] : SETTINGS.map(({ key }) => [key, variableOf(key)]));
  const values: VariableValue[] = [];
  for (const { key, type } of SETTINGS) {
    const variable = [variables.get(key), ALIASES[key]].find((name) => name && env[name]);
    if (variable) values.push({ key, variable, value: parse(env[variable] ?? '', type) });
  }
  const known = new Set(variables.values());
  const warnings = ours
    .filter((name) => !known.has(name))
    .map((name) => {
      const close = nearest(name, [...known, ...OTHERS]);
      return `The variable ${name} is not a setting and is ignored${close ? `; did you mean ${close}?` : '.'}`;
    });
  return { values, warnings };
}

function parse(text: string, type: Setting['type']): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'strings':
      return text.split(',').map((item) => item.trim());
    case 'record':
      // A text that is not JSON is left for the check to refuse.
      return parseJson(text) ?? text;
  }
}
