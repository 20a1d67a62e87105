import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

describe('the pages', () => {
  it.each(pages)('%s points only at files that there are', (page) => {
    const text = readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```/g, '');
    const targets = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(
      (match) => match[1] ?? '',
    );
    expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  });

  it('each decision is listed', () => {
    const list = readFileSync(join(root, 'docs/decisions/README.md'), 'utf8');
    const files = readdirSync(join(root, 'docs/decisions')).filter((file) => /^\d/.test(file));
    expect(files.filter((file) => !list.includes(`](${file})`))).toEqual([]);
  });

  it('each dependency has its reason', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    const names = [...Object.keys(dependencies), ...Object.keys(devDependencies)].filter(
      (name) => !name.startsWith('@types/'),
    );
    expect(names.filter((name) => !new RegExp(`^\\|[^|]*(?<![\\w/@-])${name}(?![\\w/-])`, 'm').test(text))).toEqual([]);
  });
});
