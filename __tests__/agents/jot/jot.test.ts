import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeAgent } from '../contract.ts';
import { jot } from './jot.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

describeAgent(jot);

describe('docs/agents.md', () => {
  it('shows the code and the case of Jot unchanged', () => {
    const page = readFileSync(join(HERE, '../../../docs/agents.md'), 'utf8');
    const shown = [...page.matchAll(/```(?:ts|json)\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    const files = [
      'jot.ts',
      'cases/one-turn/record.jsonl',
      'cases/one-turn/events.jsonl',
      'cases/one-turn/report.json',
    ];
    const texts = files.map((file) => readFileSync(join(HERE, file), 'utf8'));
    const missing = shown.filter((block) => !texts.some((text) => withoutIndent(text).includes(withoutIndent(block))));
    expect(shown.length).toBeGreaterThan(4);
    expect(missing).toEqual([]);
  });

  function withoutIndent(text: string): string {
    return text.replace(/^\s+/gm, '');
  }
});
