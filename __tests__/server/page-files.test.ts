// The files of the page, found by their whole name.
import { gunzipSync } from 'node:zlib';
import { readPageFiles } from '../../lib/server/page-files.ts';
import { createTree } from '../support/tree.ts';

const LONG = `<!doctype html>${'<p>garden'.repeat(500)}`;

describe('the files of the page', () => {
  const find = (root: string, path: string, { method = 'GET', accepts = '' } = {}) =>
    readPageFiles(root).find({ method, path, accepts });

  it('are answered with their type, and every view address gets the document', async () => {
    using tree = createTree({ 'index.html': LONG, 'app-ABCDEF12.js': 'go();', 'notes.txt': 'no' });
    for (const path of ['/', '/join', '/search', '/new', '/cost', '/s/claude%3Aoak']) {
      const found = find(tree.root, path);
      expect(found?.headers.get('content-type')).toMatch(/^text\/html/);
      expect(await found?.text()).toBe(LONG);
    }
    expect(find(tree.root, '/app-ABCDEF12.js')?.headers.get('cache-control')).toContain('immutable');
    expect(find(tree.root, '/index.html')?.headers.get('cache-control')).toBe('no-cache');
    for (const path of ['/notes.txt', '/../index.html', '/app', '/s/', '/s/a/b', '//index.html']) {
      expect(find(tree.root, path)).toBeUndefined();
    }
    expect(find(tree.root, '/', { method: 'POST' })).toBeUndefined();
    expect(await find(tree.root, '/', { method: 'HEAD' })?.text()).toBe('');
  });

  it('are compressed for browsers that accept that', async () => {
    using tree = createTree({ 'index.html': LONG });
    const found = find(tree.root, '/', { accepts: 'br, gzip' });
    expect(found?.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(await found!.arrayBuffer()).toString()).toBe(LONG);
  });

  it('give the document to a browser at an unknown address, and not to a program', async () => {
    using tree = createTree({ 'index.html': LONG });
    const { nothingAt } = readPageFiles(tree.root);
    const at = (path: string, wants: string, method = 'GET') => nothingAt({ method, path, accepts: '', wants });
    const found = at('/zzz', 'text/html,*/*');
    expect([found?.status, await found?.text()]).toEqual([404, LONG]);
    expect(at('/zzz', '*/*')).toBeUndefined();
    expect(at('/zzz', 'text/html', 'POST')).toBeUndefined();
    for (const path of ['/api/zzz', '/mcp/x', '/metrics/x', '/openapi.yaml'])
      expect(at(path, 'text/html')).toBeUndefined();
  });

  it('are one sentence if the page was not built', async () => {
    using tree = createTree({});
    expect(await find(`${tree.root}/none`, '/')?.text()).toContain('without its page');
  });
});
