import { UnstyledButton } from '@mantine/core';
import type { BatchFile } from '@/api/types';
import { plural } from '@/shared/format';
import { keyOf, type Page, type PageKey } from './plan';
import { Thumbnail } from './pictures';
import { pageName } from './PartRow';

type Props = { pages: Page[]; files: ReadonlyMap<number, BatchFile>; onKeep: (keys: ReadonlySet<PageKey>, name: string) => void };

function reasonOf(page: Page, files: ReadonlyMap<number, BatchFile>) {
  const look = files.get(page.file)?.pages[page.page - 1];
  if (look?.separator != null) return look.separator ? `Separator: ${look.separator}` : 'Separator sheet';
  return look?.isBlank ? 'Blank' : 'Left out';
}

/** Pages that are in no document: separator sheets, blank ones, and excluded ones. */
export function LeftOut({ pages, files, onKeep }: Props) {
  if (pages.length === 0) return null;
  return (
    <section className="tri-left" aria-label="Left out">
      <h2>
        Left out <span className="cp-muted cp-num">{plural(pages.length, 'page')}</span>
      </h2>
      <p className="cp-second">These pages are not in any document. They stay in the original.</p>
      <ul className="tri-pages">
        {pages.map((page) => {
          const file = files.get(page.file);
          const name = pageName(page, files);
          return (
            <li className="tri-page" key={keyOf(page)}>
              <span className="tri-thumb tri-out">
                {file && <Thumbnail file={file} page={page} />}
                <span className="cp-num">{page.page}</span>
              </span>
              <span className="tri-why" title={reasonOf(page, files)}>
                {reasonOf(page, files)}
              </span>
              <UnstyledButton
                className="cp-link"
                aria-label={`Keep ${name[0]!.toLowerCase()}${name.slice(1)}`}
                onClick={() => onKeep(new Set([keyOf(page)]), name)}
              >
                Keep
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
