// A unified diff as coloured lines. The signs at their beginning stay: without colours they say the same.
import type { Style, StyledLine } from '../../display/paint.ts';

const BEGINNING = /^(?:diff |index |Index: |={10}|--- |\+\+\+ |@@ )/;

export function isDiff(text: string): boolean {
  return BEGINNING.test(text) && /^@@ /m.test(text.slice(0, 2000));
}

export function diffLine(text: string): StyledLine {
  return [{ text, styles: stylesOf(text) }];
}

function stylesOf(text: string): readonly Style[] {
  if (/^(?:--- |\+\+\+ |diff |index |Index: |={10})/.test(text)) return ['bold'];
  if (text.startsWith('@@')) return ['cyan'];
  if (text.startsWith('+')) return ['green'];
  return text.startsWith('-') ? ['red'] : [];
}
