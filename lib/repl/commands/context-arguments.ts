// Reads `KEY TEXT --priority N --ttl 10m`. The options come before the key or after the whole text; in the middle of
// the text they are text. Pure.
import type { NewContextEntry } from '../../app/context/add-context.ts';
import { OllmError } from '../../errors/index.ts';
import { splitFirstWord } from './command.ts';

const OPTION = /--(?<name>priority|ttl)[ =](?<value>\S+)/;
const LEADING = new RegExp(`^\\s*${OPTION.source}(?:\\s+|$)`);
const TRAILING = new RegExp(`(?:^|\\s)${OPTION.source}\\s*$`);
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws OllmError USAGE */
export function parseContextEntry(argument: string): NewContextEntry {
  const options: Record<string, string> = {};
  let rest = argument;
  for (const place of [LEADING, TRAILING]) {
    for (let match = place.exec(rest); match !== null; match = place.exec(rest)) {
      options[match.groups!.name!] ??= match.groups!.value!;
      rest = rest.slice(0, match.index) + rest.slice(match.index + match[0].length);
    }
  }
  const [key, text] = splitFirstWord(rest);
  const { priority, ttl } = options;
  return {
    key,
    content: text.trim(),
    ...(priority === undefined ? {} : { priority: priorityOf(priority) }),
    ...(ttl === undefined ? {} : { ttlMs: durationOf(ttl) }),
  };
}

function priorityOf(text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new OllmError('USAGE', `The priority ${text} is not a whole number.`, {
    hint: 'Higher comes first; the default is 50.',
  });
}

function durationOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * UNIT_MS[unit]!;
  throw new OllmError('USAGE', `The time ${text} is not understood.`, {
    hint: 'A number with s, m, h or d, such as 10m: after that long the entry leaves by itself.',
  });
}
