import { ActionIcon, NativeSelect, NumberInput, UnstyledButton } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconChevronsLeft, IconChevronsRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAwaySince } from '@/api/connection';
import { formatCount, formatTime } from '../format';
import { useDraft } from '../useDraft';
import { useViewport } from '../useViewport';
import { clampPage, OFFSET_LIMIT, PAGE_SIZES, pageCount, pageGroup } from './listSearch';
import { useDebouncedCall } from '../debounce';

type Props = {
  page: number;
  size: number;
  /** Number of rows on the current page. */
  count: number;
  /** While it is unknown, only the next page can be reached. */
  total: number | undefined;
  capped?: boolean;
  /** Goes beyond the rows reachable by page number. */
  nextCursor?: string | null;
  onPage: (page: number, cursor?: string) => void;
  /** Without it the page size is fixed. */
  onSize?: (size: number) => void;
  sizes?: readonly number[];
  /** The number of page links of a group. */
  links?: number;
  noun?: string;
  children?: ReactNode;
};

const JUMP_DELAY_MS = 300;

/** Range, page size, five page links per group, first, previous, next, last, and a jump to a page. */
export function ListFooter({
  page,
  size,
  count,
  total,
  capped = false,
  nextCursor,
  onPage,
  onSize,
  sizes = PAGE_SIZES,
  links,
  noun = 'rows',
  children,
}: Props) {
  const { isPhone } = useViewport();
  const awaySince = useAwaySince();
  const atLeast = total ?? (page - 1) * size + count + (count === size ? 1 : 0);
  const reachable = pageCount(Math.min(atLeast, OFFSET_LIMIT), size);
  const mayBeMore = capped || total === undefined;
  const beyond = page >= reachable && mayBeMore;
  const hasNext = page < reachable || (beyond && Boolean(nextCursor));
  const from = count ? (page - 1) * size + 1 : 0;
  // The page before one reached by cursor is known only to the browser's history.
  const previous = () => (page > reachable ? history.back() : onPage(page - 1));
  const next = () => (page < reachable ? onPage(page + 1) : onPage(page + 1, nextCursor ?? undefined));
  const totalText = total === undefined ? '…' : formatCount(total, capped);
  const arrow = { size: isPhone ? 44 : 28, variant: 'subtle' as const };
  const range = (
    <span role="status">
      <b className="cp-strong">
        {formatCount(from)}–{formatCount(from ? from + count - 1 : 0)}
      </b>{' '}
      of {totalText}
      <span className="cp-hidden"> {noun}</span>
      {awaySince && <span className="cp-old">as of {formatTime(awaySince.toISOString())}</span>}
    </span>
  );
  if (isPhone) {
    return (
      <nav className="cp-foot cp-num" aria-label="Pages">
        {range}
        <div className="cp-grow" />
        <ActionIcon {...arrow} aria-label="Previous page" disabled={page <= 1} onClick={previous}>
          <IconChevronLeft size={20} />
        </ActionIcon>
        <span>
          Page {page} of {mayBeMore ? `${reachable}+` : reachable}
        </span>
        <ActionIcon {...arrow} aria-label="Next page" disabled={!hasNext} onClick={next}>
          <IconChevronRight size={20} />
        </ActionIcon>
      </nav>
    );
  }
  return (
    <nav className="cp-foot cp-num" aria-label="Pages">
      {range}
      {children}
      <div className="cp-grow" />
      {onSize && (
        <>
          <span aria-hidden>Rows</span>
          <NativeSelect
            aria-label="Rows per page"
            size="xs"
            w={68}
            data={[...new Set([...sizes, size])].toSorted((a, b) => a - b).map(String)}
            value={String(size)}
            onChange={(e) => onSize(Number(e.currentTarget.value))}
          />
        </>
      )}
      <div className="cp-row cp-pages">
        <ActionIcon {...arrow} aria-label="First page" disabled={page <= 1} onClick={() => onPage(1)}>
          <IconChevronsLeft size={16} />
        </ActionIcon>
        <ActionIcon {...arrow} aria-label="Previous page" disabled={page <= 1} onClick={previous}>
          <IconChevronLeft size={16} />
        </ActionIcon>
        {page > reachable ? (
          <span className="cp-pagelink" data-active aria-current="page">
            {page}
          </span>
        ) : (
          pageGroup(page, reachable, links).map((p) => (
            <UnstyledButton
              key={p}
              className="cp-pagelink"
              data-active={p === page || undefined}
              aria-current={p === page ? 'page' : undefined}
              aria-label={`Page ${p}`}
              onClick={() => onPage(p)}
            >
              {p}
            </UnstyledButton>
          ))
        )}
        <ActionIcon {...arrow} aria-label="Next page" disabled={!hasNext} onClick={next}>
          <IconChevronRight size={16} />
        </ActionIcon>
        <ActionIcon {...arrow} aria-label="Last page" disabled={page >= reachable} onClick={() => onPage(reachable)}>
          <IconChevronsRight size={16} />
        </ActionIcon>
      </div>
      <span aria-hidden>Page</span>
      <PageJump page={page} pages={reachable} onPage={onPage} />
    </nav>
  );
}

function PageJump({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  const [text, setText] = useDraft<string | number>(page);
  const [jump] = useDebouncedCall((value: string | number) => {
    if (value === '') return;
    const target = clampPage(Number(value), pages);
    setText(target);
    if (target !== page) onPage(target);
  }, JUMP_DELAY_MS);
  return (
    <NumberInput
      aria-label="Go to page"
      size="xs"
      w={48}
      hideControls
      allowDecimal={false}
      allowNegative={false}
      value={text}
      onChange={(v) => {
        setText(v);
        jump(v);
      }}
      onBlur={() => text === '' && setText(page)}
      styles={{ input: { textAlign: 'center', padding: 0 } }}
    />
  );
}
