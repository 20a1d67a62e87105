// Definitions in the languages that most projects are written in, and uses of the same names that are none.
import { definitionOf } from '../../lib/ranking/definitions.ts';

test.each([
  'export function dropAnchor(depth) {',
  'const dropAnchor = () => 1;',
  'class DropAnchor extends Anchor {',
  'func (h *Harbour) dropAnchor(depth int) error {',
  '    def dropAnchor(self):',
  'pub fn dropAnchor<T>(depth: T) {',
  'class Ship {\n  async dropAnchor(depth) {\n  }\n}',
  'class Ship {\n  private static #dropAnchor<T>(depth: T) {\n  }\n}',
])('a definition is recognized: %s', (text) => {
  expect(definitionOf(['dropAnchor', 'weighAnchor'])(text)).toEqual(['dropAnchor']);
});

test.each([
  'dropAnchor(3);',
  'ship.dropAnchor(3);',
  'function dropAnchors() {}',
  'my.function dropAnchor',
  '  return dropAnchor(3);',
  'The function that drops an anchor.',
])('a definition is not seen in %s', (text) => {
  expect(definitionOf(['dropAnchor'])(text)).toEqual([]);
});

test('signs in a name are matched literally', () => {
  expect(definitionOf(['$x', 'a.b'])('let $x = 1;')).toEqual(['$x']);
  expect(definitionOf(['a.b'])('let axb = 1;')).toEqual([]);
});
