// The head of a page that is shared: a map whose marks lead to the prompts, the prompts, the costs of the turns and the
// changed files. Without a script: links and folds are those of HTML, the map is SVG.
import { printableLine } from '../display/printable.ts';
import { countOf, formatCount } from '../display/quantities.ts';
import { escapeHtml } from './html-text.ts';
import type { FileOfCalls, SessionOverview, TurnCost } from './overview.ts';

type Pieces = Generator<string, void, void>;

const MAP_HEIGHT = 40;
const BAR_WIDTH = 4;
const LEAST_BAR = 3;

export const OVERVIEW_STYLE = `
.map { display: block; width: 100%; height: 3.2rem; margin: 1rem 0; background: var(--panel); border-radius: .4rem; }
.map rect { fill: var(--soft); } .map .prompt { fill: var(--accent); } .map .reply { fill: var(--text); }
.map .failure, .map .compaction { fill: var(--warning); } .map a:focus rect, .map a:hover rect { fill: var(--accent); }
.wide { overflow-x: auto; } .number { text-align: right; font-variant-numeric: tabular-nums; }
nav ol { padding-left: 1.6rem; }
`;

export function* renderOverview(overview: SessionOverview): Pieces {
  yield '<nav aria-label="Overview">\n';
  yield* renderMap(overview);
  yield* renderPrompts(overview);
  yield* renderCosts(overview.turns);
  yield* renderFiles(overview.files);
  yield '</nav>\n';
}

function* renderMap({ map: { rows, perRow, head }, prompts }: SessionOverview): Pieces {
  const most = Math.max(1, ...rows.map(({ characters }) => Math.sqrt(characters)));
  const first = prompts[0]?.seq;
  if (first === undefined || rows.length < 2) return;
  yield `<svg class="map" viewBox="0 0 ${rows.length * BAR_WIDTH} ${MAP_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Map of events 0 to ${head}">\n`;
  let at = 0;
  for (const [index, { kind, characters }] of rows.entries()) {
    const last = (index + 1) * perRow - 1;
    while (prompts[at + 1] !== undefined && prompts[at + 1]!.seq <= last) at += 1;
    if (last < first) continue;
    const height = Math.max(LEAST_BAR, (MAP_HEIGHT * Math.sqrt(characters)) / most);
    const place = `x="${index * BAR_WIDTH}" y="${(MAP_HEIGHT - height).toFixed(1)}" width="${BAR_WIDTH - 1}" height="${height.toFixed(1)}"`;
    const { seq, text } = prompts[at]!;
    yield `<a href="#event-${seq}"><title>${escaped(text.slice(0, 80))}</title><rect class="${kind}" ${place}/></a>\n`;
  }
  yield '</svg>\n';
}

function* renderPrompts({ prompts }: SessionOverview): Pieces {
  if (prompts.length === 0) return;
  yield `<details${prompts.length <= 12 ? ' open' : ''}><summary>${countOf(prompts.length, 'prompt')}</summary>\n<ol>\n`;
  for (const { seq, text } of prompts) yield `<li><a href="#event-${seq}">${escaped(text) || '…'}</a></li>\n`;
  yield '</ol>\n</details>\n';
}

function* renderCosts(turns: readonly TurnCost[]): Pieces {
  if (turns.length === 0) return;
  yield '<details><summary>Costs</summary>\n<div class="wide"><table>\n<tr><th>Turn</th><th>Requests</th><th>Tokens in</th><th>Tokens out</th><th>Cost</th></tr>\n';
  for (const { turn, spent } of turns) {
    const name = turn === undefined ? 'before the first' : `<a href="#turn-${turn}">${turn}</a>`;
    const cells = [spent.calls, spent.inputTokens, spent.outputTokens].map(formatCount);
    const cost = spent.totalCost === undefined ? '' : `$${spent.totalCost.toFixed(4)}`;
    yield `<tr><td>${name}</td>${[...cells, cost].map((cell) => `<td class="number">${cell}</td>`).join('')}</tr>\n`;
  }
  yield '</table></div>\n<p class="where">As the programs reported them; turns that were undone are counted.</p>\n</details>\n';
}

function* renderFiles(files: readonly FileOfCalls[]): Pieces {
  if (files.length === 0) return;
  yield `<details><summary>${countOf(files.length, 'changed file')}</summary>\n<ul>\n`;
  for (const { path, calls } of files) {
    const links = calls.map((seq, index) => `<a href="#event-${seq}">${index + 1}</a>`).join(' ');
    yield `<li><code>${escaped(path)}</code> ${links}</li>\n`;
  }
  yield '</ul>\n<p class="where">By the arguments of the calls that ended well; a program that a call started may have changed others.</p>\n</details>\n';
}

function escaped(text: string): string {
  return escapeHtml(printableLine(text));
}
