import { useRef, useState } from 'react';
import { plural } from '@/shared/format';
import { countMatches } from './find';
import { FindTools } from './tools';
import { type PdfDocument, unlessLeft } from './usePdfPages';

type FindProps = { pdf: PdfDocument; page: number; onWords: (words: string) => void; onPage: (n: number) => void; onClose: () => void };

/** Looks for words in all pages; Enter goes to the next page that has them. */
export function FindBar({ pdf, page, onWords, onPage, onClose }: FindProps) {
  const [text, setText] = useState('');
  const [hits, setHits] = useState<{ page: number; count: number }[] | null>(null);
  const run = useRef(0);
  const find = async (words: string) => {
    const mine = ++run.current;
    setText(words);
    onWords(words.trim().length > 1 ? words.trim() : '');
    setHits(null);
    if (words.trim().length < 2) return;
    const found: { page: number; count: number }[] = [];
    for (let n = 1; n <= pdf.numPages; n++) {
      const content = await (await pdf.getPage(n)).getTextContent();
      if (mine !== run.current) return;
      const count = countMatches(
        content.items.map((i) => ('str' in i ? i.str : '')),
        words.trim(),
      );
      if (count) found.push({ page: n, count });
    }
    setHits(found);
    if (found[0]) onPage((found.find((f) => f.page >= page) ?? found[0]).page);
  };
  const total = hits?.reduce((sum, h) => sum + h.count, 0) ?? 0;
  const turnTo = (by: 1 | -1) => {
    if (!hits?.length) return;
    const next = by > 0 ? (hits.find((h) => h.page > page) ?? hits[0]!) : (hits.findLast((h) => h.page < page) ?? hits.at(-1)!);
    onPage(next.page);
  };
  return (
    <FindTools
      text={text}
      onText={(words) => void find(words).catch(unlessLeft)}
      found={hits ? (total ? `${total} on ${plural(hits.length, 'page')}` : 'Not found') : ''}
      hasFound={!!hits?.length}
      unit="page with a match"
      onTurn={turnTo}
      onClose={onClose}
    />
  );
}
