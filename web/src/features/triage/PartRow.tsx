import { ActionIcon, TextInput, Tooltip } from '@mantine/core';
import { IconAngle, IconArrowMerge, IconScissors } from '@tabler/icons-react';
import type { DragEvent, KeyboardEvent, MouseEvent } from 'react';
import type { BatchFile } from '@/api/types';
import { ListSelect } from '@/shared/form/inputs';
import { plural } from '@/shared/format';
import { keyOf, type Page, type PageKey, type Part, type PartErrors } from './plan';
import { Thumbnail } from './pictures';

type Choice = { value: string; label: string };
const NAME_MAX = 255;

export type Drop = { part: number; before?: PageKey };

type PartProps = {
  part: Part;
  number: number;
  files: ReadonlyMap<number, BatchFile>;
  isCurrent: boolean;
  canMerge: boolean;
  errors: PartErrors[number] | undefined;
  types: string[];
  people: Choice[];
  selected: ReadonlySet<PageKey>;
  cursor: PageKey | null;
  /** The target of dragged pages. */
  drop: Drop | null;
  onDescribe: (changes: Partial<Omit<Part, 'key' | 'pages'>>, field: string) => void;
  onMerge: () => void;
  onSplit: (key: PageKey) => void;
  onChoose: (key: PageKey, e: MouseEvent) => void;
  onPageKey: (e: KeyboardEvent, key: PageKey) => void;
  onDragStart: (e: DragEvent, key: PageKey) => void;
  onDragOver: (e: DragEvent, drop: Drop) => void;
  onDrop: (e: DragEvent) => void;
};

/** A document: its name, type, reviewer and pages. */
export function PartRow(props: PartProps) {
  const { part, number, files, isCurrent, canMerge, errors, types, people, selected, cursor, drop } = props;
  return (
    <section className="tri-part" data-current={isCurrent || undefined} aria-label={`Document ${number}: ${part.name || 'no name'}`}>
      <div className="tri-form">
        <span className="tri-number">{number}</span>
        <TextInput
          aria-label={`Name of document ${number}`}
          placeholder="Name"
          maxLength={NAME_MAX}
          value={part.name}
          error={errors?.name}
          data-part={part.key}
          onChange={(e) => props.onDescribe({ name: e.currentTarget.value }, `name ${part.key}`)}
        />
        <div className="tri-choices">
          <ListSelect
            aria-label={`Type of document ${number}`}
            placeholder="Document type"
            data={types}
            value={part.documentType}
            error={errors?.documentType}
            onChange={(documentType) => props.onDescribe({ documentType }, `type ${part.key}`)}
          />
          <ListSelect
            aria-label={`Reviewer of document ${number}`}
            placeholder="Unassigned"
            data={people}
            value={part.assignedTo}
            error={errors?.assignedTo}
            onChange={(assignedTo) => props.onDescribe({ assignedTo }, `person ${part.key}`)}
          />
        </div>
        <div className="cp-row tri-below">
          {errors?.pages ? (
            <span role="alert" className="tri-wrong">
              {errors.pages}
            </span>
          ) : (
            <span className="cp-muted cp-num">{plural(part.pages.length, 'page')}</span>
          )}
          <div className="cp-grow" />
          {canMerge && (
            <Tooltip label="Merge with the document above">
              <ActionIcon size={28} aria-label={`Merge document ${number} with the one above`} onClick={props.onMerge}>
                <IconArrowMerge size={16} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          )}
        </div>
      </div>
      <ul className="tri-pages" onDragOver={(e) => props.onDragOver(e, { part: part.key })} onDrop={props.onDrop}>
        {part.pages.map((page, i) => (
          <PageItem
            key={keyOf(page)}
            {...props}
            page={page}
            index={i}
            file={files.get(page.file)}
            isSelected={selected.has(keyOf(page))}
            hasCursor={cursor === keyOf(page)}
            isDropBefore={drop?.part === part.key && drop.before === keyOf(page)}
          />
        ))}
        {drop?.part === part.key && drop.before === undefined && <li className="tri-drop" aria-hidden />}
      </ul>
    </section>
  );
}

type PageProps = Pick<PartProps, 'onSplit' | 'onChoose' | 'onPageKey' | 'onDragStart' | 'onDragOver' | 'files'> & {
  page: Page;
  index: number;
  part: Part;
  file: BatchFile | undefined;
  isSelected: boolean;
  hasCursor: boolean;
  isDropBefore: boolean;
};

/** `Page 3 of Scan.pdf`; with a single file its name is omitted. */
export const pageName = (page: Page, files: ReadonlyMap<number, BatchFile>) => {
  const file = files.get(page.file);
  if (file?.isWhole) return file.name;
  return files.size > 1 && file ? `Page ${page.page} of ${file.name}` : `Page ${page.page}`;
};

function PageItem({ page, index, part, file, files, isSelected, hasCursor, isDropBefore, ...on }: PageProps) {
  const key = keyOf(page);
  /** Over the right half of a page, dragged pages go behind it. */
  const overPage = (e: DragEvent) => {
    const box = e.currentTarget.getBoundingClientRect();
    const isBehind = e.clientX > box.left + box.width / 2;
    const next = part.pages[index + 1];
    e.stopPropagation();
    on.onDragOver(e, { part: part.key, before: isBehind ? next && keyOf(next) : key });
  };
  return (
    <>
      {isDropBefore && <li className="tri-drop" aria-hidden />}
      <li className="tri-page" onDragOver={overPage}>
        {index > 0 && !file?.isWhole && (
          <button
            type="button"
            className="tri-cut"
            tabIndex={-1}
            aria-label={`Split before ${pageName(page, files)}`}
            onClick={() => on.onSplit(key)}
          >
            <IconScissors size={13} stroke={2} aria-hidden />
          </button>
        )}
        <button
          type="button"
          className="tri-thumb"
          draggable={!file?.isWhole}
          aria-pressed={isSelected}
          aria-label={page.straighten ? `${pageName(page, files)}, straightened` : pageName(page, files)}
          data-page={key}
          tabIndex={hasCursor ? 0 : -1}
          onClick={(e) => on.onChoose(key, e)}
          onKeyDown={(e) => on.onPageKey(e, key)}
          onDragStart={(e) => on.onDragStart(e, key)}
        >
          {file && <Thumbnail file={file} page={page} />}
          {!file?.isWhole && (
            <span className="cp-num">
              {page.page}
              {page.straighten && <IconAngle size={13} stroke={2} className="tri-straight" aria-hidden />}
            </span>
          )}
        </button>
      </li>
    </>
  );
}
