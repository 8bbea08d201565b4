import { useInViewport } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { IconFile } from '@tabler/icons-react';
import { createContext, type CSSProperties, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { Batch, BatchFile } from '@/api/types';
import { Notice } from '@/shared/ui/blocks';
import { pageQuery, SHEET_COLUMNS, SHEET_PAGES, sheetQuery } from './api';
import type { Page } from './plan';

/** Pictures of pages. Small ones come twenty at a time, as soon as one of them is in view. */

type Sheets = {
  urlOf: (file: string, number: number) => string | undefined;
  /** Whether the browser cannot draw them. */
  isBroken: (file: string, number: number) => boolean;
  want: (file: string, number: number) => void;
  /** Some pictures could not be loaded. */
  hasFailed: boolean;
  retry: () => void;
};
const SheetContext = createContext<Sheets>({
  urlOf: () => undefined,
  isBroken: () => false,
  want: () => {},
  hasFailed: false,
  retry: () => {},
});

/** The addresses of pictures in memory, given back when the screen closes. */
function useUrls() {
  const urls = useRef(new Map<Blob, string>());
  useEffect(() => {
    const all = urls.current;
    return () => {
      for (const url of all.values()) URL.revokeObjectURL(url);
      all.clear();
    };
  }, []);
  return useCallback((blob: Blob) => {
    const known = urls.current.get(blob);
    if (known) return known;
    const url = URL.createObjectURL(blob);
    urls.current.set(blob, url);
    return url;
  }, []);
}

export function Pictures({ batch, children }: { batch: Batch; children: ReactNode }) {
  const [wanted, setWanted] = useState<{ file: string; number: number }[]>([]);
  const [broken, setBroken] = useState<readonly string[]>([]);
  const urlFor = useUrls();
  const sheets = useQueries({
    queries: wanted.map(({ file, number }) => sheetQuery(batch.id, file, number)),
    combine: (results) =>
      new Map(results.map(({ data, isError, refetch }, i) => [`${wanted[i]!.file} ${wanted[i]!.number}`, { data, isError, refetch }])),
  });
  const want = useCallback(
    (file: string, number: number) =>
      setWanted((old) => (old.some((w) => w.file === file && w.number === number) ? old : [...old, { file, number }])),
    [],
  );
  const urlOf = (file: string, number: number) => {
    const blob = sheets.get(`${file} ${number}`)?.data;
    return blob && blob.size > 0 ? urlFor(blob) : undefined;
  };
  const isBroken = (file: string, number: number) => broken.includes(urlOf(file, number) ?? '');
  const failed = wanted.filter(({ file, number }) => sheets.get(`${file} ${number}`)?.isError || isBroken(file, number));
  const retry = () => failed.forEach(({ file, number }) => void sheets.get(`${file} ${number}`)?.refetch());
  return (
    <SheetContext value={{ urlOf, isBroken, want, hasFailed: failed.length > 0, retry }}>
      {children}
      {/* Backgrounds do not tell whether they can be drawn. */}
      {wanted.map(({ file, number }) => {
        const url = urlOf(file, number);
        return url && <img key={url} src={url} alt="" hidden onError={() => setBroken((known) => [...known, url])} />;
      })}
    </SheetContext>
  );
}

/** Says that small pictures are missing, and loads them again. */
export function PicturesFailed() {
  const { hasFailed, retry } = useContext(SheetContext);
  if (!hasFailed) return null;
  return (
    <Notice kind="warning">
      Some page images could not be loaded.{' '}
      <button type="button" className="cp-link tri-reload" onClick={retry}>
        Try again
      </button>
    </Notice>
  );
}

const extensionOf = (name: string) => name.split('.').at(-1)?.toUpperCase() ?? '';

/** The small picture of a page, turned as the plan says. */
export function Thumbnail({ file, page }: { file: BatchFile; page: Page }) {
  const { ref, inViewport } = useInViewport<HTMLSpanElement>();
  const { urlOf, isBroken, want } = useContext(SheetContext);
  const number = Math.floor((page.page - 1) / SHEET_PAGES);
  const isThere = !file.isWhole && page.page <= file.pages.length;
  useEffect(() => {
    if (inViewport && isThere) want(file.id, number);
  }, [inViewport, isThere, file.id, number, want]);
  if (file.isWhole) {
    return (
      <span className="tri-picture tri-whole">
        <IconFile size={30} stroke={1.3} aria-hidden />
        <b>{extensionOf(file.name)}</b>
      </span>
    );
  }
  const url = urlOf(file.id, number);
  const index = (page.page - 1) % SHEET_PAGES;
  const column = index % SHEET_COLUMNS;
  const row = Math.floor(index / SHEET_COLUMNS);
  const shown = Math.min(SHEET_PAGES, file.pages.length - number * SHEET_PAGES);
  const rows = Math.ceil(shown / SHEET_COLUMNS);
  const style: CSSProperties = url
    ? {
        backgroundImage: `url("${url}")`,
        backgroundSize: `${SHEET_COLUMNS * 100}% ${rows * 100}%`,
        backgroundPosition: `${(column / (SHEET_COLUMNS - 1)) * 100}% ${rows > 1 ? (row / (rows - 1)) * 100 : 0}%`,
      }
    : {};
  if (isBroken(file.id, number)) {
    return (
      <span ref={ref} className="tri-picture">
        <span className="cp-notshown">Not shown</span>
      </span>
    );
  }
  return (
    <span ref={ref} className="tri-picture">
      <span className={url ? 'tri-image' : 'tri-image cp-bone'} data-turn={page.turn || undefined} style={style} />
    </span>
  );
}

/** A page in readable size. */
export function useLargePage(batch: Batch, file: BatchFile | undefined, page: Page | undefined) {
  const isShown = Boolean(file && page && !file.isWhole);
  const query = useQuery({ ...pageQuery(batch.id, file?.id ?? '', page?.page ?? 0), enabled: isShown, gcTime: 60_000 });
  const url = useMemo(() => (query.data && query.data.size > 0 ? URL.createObjectURL(query.data) : undefined), [query.data]);
  useEffect(
    () => () => {
      if (url) URL.revokeObjectURL(url);
    },
    [url],
  );
  return { url: isShown ? url : undefined, error: query.error, retry: () => void query.refetch() };
}
