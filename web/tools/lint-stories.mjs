/**
 * A lint rule for browser stories: what a page shows is waited for, not read once. `expect(await rows.count())` sees the page
 * at one moment; `expect(rows).toHaveCount(3)` and `expect.poll(() => …)` wait.
 */
const READS = new Set([
  'allInnerTexts',
  'allTextContents',
  'count',
  'getAttribute',
  'innerHTML',
  'innerText',
  'inputValue',
  'isChecked',
  'isDisabled',
  'isEditable',
  'isEnabled',
  'isHidden',
  'isVisible',
  'textContent',
]);

const isExpect = (callee) => callee.name === 'expect' || (callee.object?.name === 'expect' && callee.property?.name === 'soft');

export default {
  meta: { name: 'stories' },
  rules: {
    'no-one-shot-read': {
      create: (context) => ({
        CallExpression(node) {
          const [read] = node.arguments;
          if (!isExpect(node.callee) || read?.type !== 'AwaitExpression') return;
          const { callee } = read.argument;
          if (!READS.has(callee?.property?.name)) return;
          context.report({ node, message: 'This reads the page once; wait for it: expect(locator).toHave…(), or expect.poll().' });
        },
      }),
    },
  },
};
