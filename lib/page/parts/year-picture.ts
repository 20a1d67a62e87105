// The year as one picture in PNG, drawn in the browser and saved there: nothing is sent anywhere.
import { shadeOf, type Year } from '../model/year.ts';

interface Picture {
  readonly title: string;
  readonly figures: readonly (readonly [value: string, what: string])[];
  readonly year: Year;
  readonly lists: readonly (readonly [name: string, rows: readonly (readonly [name: string, value: string])[]])[];
}

const [WIDTH, HEIGHT, SCALE] = [1200, 675, 2];
const EDGE = 48;
const CELL = 16;
const GAP = 4.6;
const SHADES = [0.08, 0.3, 0.5, 0.75, 1] as const;
const ROWS = 5;

export async function pictureOfYear(picture: Picture): Promise<void> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH * SCALE, HEIGHT * SCALE];
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  pen.scale(SCALE, SCALE);
  draw(pen, picture);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (blob === null) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${picture.title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function draw(pen: CanvasRenderingContext2D, { title, figures, year, lists }: Picture): void {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  // A canvas knows no `light-dark`: the colours are those that an element has.
  const seen = document.body.appendChild(document.createElement('span'));
  const resolved = (name: string) => {
    seen.style.color = colour(name);
    return getComputedStyle(seen).color;
  };
  const [bg = '', text = '', meta = '', blue = ''] = ['--bg', '--text', '--text-3', '--c1'].map(resolved);
  seen.remove();
  const family = getComputedStyle(document.body).fontFamily;
  const write = (words: string, x: number, y: number, font: string, fill: string, most?: number): void => {
    pen.font = `${font} ${family}`;
    pen.fillStyle = fill;
    pen.fillText(most === undefined ? words : fitted(pen, words, most), x, y);
  };
  pen.fillStyle = bg;
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  write(title, EDGE, 76, '600 32px', text, WIDTH - 2 * EDGE - 120);
  write('ollm', WIDTH - EDGE - 60, 76, '600 22px', meta);
  const wide = (WIDTH - 2 * EDGE) / Math.max(1, figures.length);
  for (const [index, [value, what]] of figures.entries()) {
    write(value, EDGE + index * wide, 142, '600 30px', text, wide - 16);
    write(what, EDGE + index * wide, 166, '14px', meta, wide - 16);
  }
  const most = year.busiest?.turns ?? 0;
  for (const [at, week] of year.weeks.entries()) {
    for (const [row, day] of week.entries()) {
      if (day === undefined) continue;
      pen.globalAlpha = SHADES[shadeOf(day.turns, most)];
      pen.fillStyle = day.turns === 0 ? meta : blue;
      pen.beginPath();
      pen.roundRect(EDGE + at * (CELL + GAP), 204 + row * (CELL + GAP), CELL, CELL, 4);
      pen.fill();
    }
  }
  pen.globalAlpha = 1;
  const top = 400;
  const column = (WIDTH - 2 * EDGE) / Math.max(1, lists.length + 1);
  write('Prompts by hour', EDGE, top, '600 15px', text);
  const highest = Math.max(...year.hours, 1);
  for (const [hour, value] of year.hours.entries()) {
    const height = Math.max(1, (150 * value) / highest);
    pen.fillStyle = value === 0 ? meta : blue;
    pen.globalAlpha = value === 0 ? 0.3 : 1;
    pen.fillRect(EDGE + (hour * (column - 32)) / 24, top + 180 - height, (column - 32) / 24 - 1, height);
  }
  pen.globalAlpha = 1;
  write('00', EDGE, top + 200, '12px', meta);
  write('12', EDGE + (column - 32) / 2, top + 200, '12px', meta);
  for (const [index, [name, rows]] of lists.entries()) {
    const left = EDGE + (index + 1) * column;
    write(name, left, top, '600 15px', text);
    for (const [at, [what, value]] of rows.slice(0, ROWS).entries()) {
      write(what, left, top + 34 + at * 42, '15px', text, column - 24);
      write(value, left, top + 52 + at * 42, '12px', meta, column - 24);
    }
  }
}

/** Cut at its end where it is wider. */
function fitted(pen: CanvasRenderingContext2D, words: string, most: number): string {
  if (pen.measureText(words).width <= most) return words;
  let end = words.length;
  while (end > 1 && pen.measureText(`${words.slice(0, end)}…`).width > most) end -= 1;
  return `${words.slice(0, end).toWellFormed()}…`;
}
