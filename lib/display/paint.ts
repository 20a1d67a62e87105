// Styles on a terminal. Text and style stay apart (spans) until a line is whole, so that no measure ever meets an
// escape sequence. Without colours a span is its text.
import pc from 'picocolors';

export type Style =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'cyan'
  | 'green'
  | 'yellow'
  | 'red'
  | 'magenta';

export interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

export type Line = readonly Span[];

export interface Paint {
  /** False: styles do nothing, and characters must carry their meaning. */
  readonly enabled: boolean;
  text(text: string, ...styles: readonly Style[]): string;
  line(line: Line): string;
}

export function createPaint(enabled: boolean): Paint {
  const colors = pc.createColors(enabled);
  const text = (value: string, ...styles: readonly Style[]) =>
    value === '' ? '' : styles.reduce((painted, style) => colors[style](painted), value);
  return {
    enabled,
    text,
    line: (line) => line.map((span) => text(span.text, ...span.styles)).join(''),
  };
}

export function plainSpan(text: string): Span {
  return { text, styles: [] };
}
