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

describe('the documentation', () => {
  it.each(pages)('%s links only to existing files', (page) => {
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

  it('each folder of lib/ is in the map', () => {
    const map = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const listed = [...map.matchAll(/^\| (`.*?) \|/gm)].flatMap((row) => row[1]?.match(/[\w-]+/g) ?? []);
    const folders = readdirSync(join(root, 'lib'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(listed.sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it('each dependency is used at the place in its row', () => {
    const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    const rows = [...page.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]*`[^|]+) \|/gm)];
    const places = rows.flatMap(([, packages = '', where = '']) =>
      [...where.matchAll(/`([\w./-]+\/[\w./-]*)`/g)].map(([, place = '']) => [packages, place] as const),
    );
    expect(places.length).toBeGreaterThan(15);
    for (const [packages, place] of places) {
      const source = sourceOf(place);
      const unused = packages
        .split(', ')
        .filter((name) => !source.includes(`'${name}`) && !source.includes(`\`${name}`));
      expect([place, unused]).toEqual([place, []]);
    }
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

/** The text of a file of lib/, or of all that are in a folder. */
function sourceOf(place: string): string {
  const path = join(root, 'lib', place);
  if (place.endsWith('.ts')) return readFileSync(path, 'utf8');
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.map((file) => readFileSync(join(path, file), 'utf8')).join('\n');
}
