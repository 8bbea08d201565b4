import { UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ComponentProps, useEffect, useState } from 'react';
import type { Page } from 'react-pdf';
import { SmallPage } from './DrawnPage';

const WIDTH = 92;
const ROOM = 30;

type Props = {
  pdf: NonNullable<ComponentProps<typeof Page>['pdf']>;
  sizes: readonly { width: number; height: number; rotate: number }[];
  page: number;
  onPage: (page: number) => void;
};

/** Thumbnails of all pages, each a link to its page. */
export function PageStrip({ pdf, sizes, page, onPage }: Props) {
  const [box, setBox] = useState<HTMLElement | null>(null);
  const heightOf = (i: number) => Math.round((WIDTH * (sizes[i]?.height ?? 1)) / (sizes[i]?.width ?? 1));
  const list = useVirtualizer({
    count: sizes.length,
    getScrollElement: () => box,
    estimateSize: (i) => heightOf(i) + ROOM,
    overscan: 2,
  });
  useEffect(() => list.measure(), [list, sizes]);
  useEffect(() => list.scrollToIndex(page - 1, { align: 'auto' }), [list, page]);
  return (
    <nav ref={setBox} className="cp-strip" aria-label="Pages">
      <div className="cp-strip-all" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => (
          <UnstyledButton
            key={key}
            className="cp-strip-page cp-num"
            aria-label={`Page ${index + 1}`}
            aria-current={index + 1 === page ? 'page' : undefined}
            style={{ transform: `translateY(${start}px)` }}
            onClick={() => onPage(index + 1)}
          >
            <span className="cp-strip-picture" style={{ width: WIDTH, height: heightOf(index) }} aria-hidden>
              <SmallPage pdf={pdf} pageNumber={index + 1} width={WIDTH} />
            </span>
            {index + 1}
          </UnstyledButton>
        ))}
      </div>
    </nav>
  );
}
