// Styles on a terminal. Text and style stay apart (spans) until a line is whole, so that no measure ever meets an
// escape sequence. Without colours a span is its text.
import { styleText } from 'node:util';

const STYLES = [
  'bold',
  'dim',
  'italic',
  'underline',
  'strikethrough',
  'cyan',
  'green',
  'yellow',
  'red',
  'magenta',
  'blue',
] as const;

export type Style = (typeof STYLES)[number];

/** Functions, one for each style. A style may be inside another one. */
export type Colors = Readonly<Record<Style, (text: string) => string>>;

export interface StyledSpan {
  readonly text: string;
  readonly styles: readonly Style[];
}

export type StyledLine = readonly StyledSpan[];

export interface Paint {
  /** False: styles do nothing, and characters must carry their meaning. */
  readonly enabled: boolean;
  text(text: string, ...styles: readonly Style[]): string;
  line(line: StyledLine): string;
}

/** The background of the terminal. */
export type Theme = 'dark' | 'light';

/** On a light background the colors of most palettes, and faint text, can hardly be read. */
const ON_LIGHT: Partial<Record<Style, number>> = { dim: 240, cyan: 25, green: 28, yellow: 130, red: 160, magenta: 90 };

/** Functions that give a text a style; where colours are not wanted, the text as it is. */
export function createColors(enabled: boolean): Colors {
  const styled = (style: Style) => (text: string) =>
    enabled ? styleText(style, text, { validateStream: false }) : text;
  return Object.fromEntries(STYLES.map((style) => [style, styled(style)])) as Record<Style, (text: string) => string>;
}

/** `theme` is called each time, because a terminal may report its background later. Default: dark. */
export function createPaint(enabled: boolean, theme: () => Theme = () => 'dark'): Paint {
  const colors = createColors(enabled);
  const styled = (value: string, style: Style) => {
    const color = enabled && theme() === 'light' ? ON_LIGHT[style] : undefined;
    return color === undefined ? colors[style](value) : `\x1b[38;5;${color}m${value}\x1b[39m`;
  };
  const text = (value: string, ...styles: readonly Style[]) => (value === '' ? '' : styles.reduce(styled, value));
  return {
    enabled,
    text,
    line: (line) => line.map((span) => text(span.text, ...span.styles)).join(''),
  };
}

/** A text in these styles; plain without any. */
export function spanOf(text: string, ...styles: readonly Style[]): StyledSpan {
  return { text, styles };
}
