import { dirname, resolve, sep } from 'node:path';

/**
 * A lint rule for the areas in `src/features`: they do not know each other, so a relative import stays within its area. Which
 * areas there are is read from the path of the file, so that a new one needs no mention.
 */
const FEATURES = `${sep}src${sep}features${sep}`;

/** The folder of the area of a file. */
function areaOf(file) {
  const end = file.lastIndexOf(FEATURES) + FEATURES.length;
  return file.slice(0, file.indexOf(sep, end) + 1);
}

export default {
  meta: { name: 'areas' },
  rules: {
    'stay-within': {
      create(context) {
        const file = context.filename;
        if (!file.includes(FEATURES)) return {};
        const check = (node) => {
          const path = node.source?.value;
          if (typeof path !== 'string' || !path.startsWith('.')) return;
          if (!resolve(dirname(file), path).startsWith(areaOf(file)))
            context.report({ node, message: 'Areas do not know each other; what several need is in domain or shared.' });
        };
        return { ImportDeclaration: check, ImportExpression: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
      },
    },
  },
};
