// What a text means as a value: a user types `0.6`, `true`, `a,b` or JSON, and the setting decides which it takes.
import { parseJson } from '../platform/json.ts';

/**
 * The first reading that is not refused; if all are, the likeliest, for the check to refuse with its reason.
 *
 * @example
 * readingOf('0.6', (value) => typeof value !== 'number'); // 0.6
 * readingOf('"/tmp"', (value) => !Array.isArray(value)); // ['/tmp']
 */
export function readingOf(text: string, isRefused: (value: unknown) => boolean): unknown {
  const isNumber = text.trim() !== '' && !Number.isNaN(Number(text));
  const json = /^\s*[[{"]/.test(text) ? parseJson(text) : undefined;
  const readings = [
    ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
    ...(isNumber ? [Number(text)] : []),
    ...(json === undefined ? [] : [json]),
    text,
    typeof json === 'string' ? [json] : text.split(',').map((item) => item.trim()),
  ];
  return readings.find((reading) => !isRefused(reading)) ?? readings[0];
}
