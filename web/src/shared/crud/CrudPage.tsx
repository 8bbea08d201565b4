import { Button, Menu, Switch } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Limits } from '@/api/limits';
import { type ApiPath, type QueryOf, refresh } from '@/api/query';
import type { FieldTable, ValuesOf } from '../form/fields';
import { formatCount } from '../format';
import { useShortcuts } from '../shortcuts';
import type { Column } from '../table/DataTable';
import { ChoiceFilter, SearchInput } from '../table/filters';
import { NEW, type SortState } from '../table/listSearch';
import { PagedList } from '../table/PagedList';
import { useListState } from '../table/useListState';
import { type Act, useAsk } from '../ui/AskDialog';
import { useGo } from '../ui/AppLink';
import { EmptyState } from '../ui/blocks';
import { PageHead } from '../ui/PageHead';
import type { Icon } from '../ui/states';
import { useViewport } from '../useViewport';
import classes from './crud.module.css';
import { EditById } from './EditById';
import { EditDialog, type Row } from './EditDialog';

export type Page<T> = { items: T[]; totalCount: number; totalIsCapped: boolean };

/** The requested page of a list. */
export type ListRequest = {
  search: string | undefined;
  page: number;
  /** Of the row before the page, where the list goes on by ids. */
  cursor: string | undefined;
  size: number;
  /** Number of rows before the page. */
  offset: number;
  sort: SortState;
  /** The value of a filter. */
  filter: (name: string) => string | undefined;
  /** The value of a yes/no filter. */
  flag: (name: string) => boolean | undefined;
};

/** A choice, or a switch if it has no choices. The route must list it: `filteredSearch('name')`. */
export type Filter = { name: string; label: string; choices?: { value: string; label: string }[] };

/** A row action besides edit and delete. */
export type RowAction = { label: string; icon: Icon; danger?: boolean } & ({ run: () => void } | { ask: Act });

type Words<A> = {
  /** The label of the create button. */
  create: string;
  /** The label of the button in its dialog. */
  createLabel: string;
  saveLabel: string;
  newTitle: string;
  editTitle: string;
  /** The title of the delete dialog. */
  deleteTitle: string;
  deleteItem: string;
  /** The question before deleting. */
  deleteQuestion: string | ((name: string) => string);
  deleteLabel: string;
  created: string | ((answer: A) => string);
  saved: string;
  deleted: string;
  /** Shown when the server gives no reason. */
  notSaved: string;
  /** Above the fields of a new record while any of them is wrong. */
  invalid: string | undefined;
  notDeleted: string;
  /** The titles when the list or a record could not be loaded. */
  notLoaded: string | undefined;
  notRead: string | undefined;
  empty: string;
  emptyText: string;
  noMatch: string;
  noMatchText: string;
};

const wordsFor = <A,>(noun: string, nouns: string): Words<A> => ({
  create: 'Create',
  createLabel: 'Create',
  saveLabel: 'Save Changes',
  newTitle: `New ${noun}`,
  editTitle: `Edit ${noun}`,
  deleteTitle: `Delete ${noun}`,
  deleteItem: 'Delete',
  deleteQuestion: 'This cannot be undone. Are you sure?',
  deleteLabel: 'Delete',
  created: `The ${noun} was created.`,
  saved: `The ${noun} was saved.`,
  deleted: `The ${noun} was deleted.`,
  notSaved: `The ${noun} could not be saved. Please try again.`,
  invalid: undefined,
  notDeleted: `The ${noun} could not be deleted. Please try again.`,
  notLoaded: undefined,
  notRead: undefined,
  empty: `No ${nouns} yet`,
  emptyText: '',
  noMatch: `No ${noun} matches`,
  noMatchText: 'Try another search.',
});

export type CrudProps<T extends Row, F extends FieldTable, A = unknown> = {
  title: string;
  /** Singular and plural, as in a sentence. */
  noun: string;
  nouns?: string;
  icon: Icon;
  /** The operation that returns a page: `({ search, page, size }) => queryOf('get', …)`. */
  list: (request: ListRequest) => QueryOf<Page<T>>;
  columns: Column<T>[];
  /** The name of a row; by default the text of its primary column. */
  name?: (row: T) => string;
  /** Its name in a confirmation, if the row's name is not enough. */
  subject?: (row: T) => string;
  /** The placeholder of the search field; without it there is none. */
  search?: string;
  searchDelay?: number;
  sort?: SortState;
  sizes?: readonly number[];
  /** The page size to begin with, if it is not the smallest. */
  size?: number;
  filters?: Filter[];
  /** The number of page links of a group. */
  links?: number;
  /** Rows behind the last page that can be counted are reached by the id of the row before them. */
  goesOnById?: boolean;
  /** Paths reloaded after a change, besides that of the list and those below it. */
  refreshes?: readonly ApiPath[];
  /** The page of a row, if a dialog is too small for it. Also opened after creating, with the data of the response. */
  href?: (row: T) => string;
  fields?: F;
  limits?: Limits;
  /** Initial values of a new record. */
  initial?: Partial<ValuesOf<F>>;
  /** The operation that returns one record, if the rows of the list lack fields. */
  read?: (id: string) => QueryOf<Row>;
  create?: (values: ValuesOf<F>) => Promise<{ data?: A }>;
  /** `read` is the record that the form was filled from. */
  save?: (id: string, values: ValuesOf<F>, version: number | undefined, read: Row | undefined) => Promise<unknown>;
  remove?: (row: T) => Promise<unknown>;
  menu?: (row: T) => RowAction[];
  /** Rows that can be neither edited nor deleted. */
  isFixed?: (row: T) => boolean;
  /** Rows shown less prominently: disabled, deleted. */
  isMuted?: (row: T) => boolean;
  /** The form has a password: nothing typed is kept in the tab. */
  isSecret?: boolean;
  /** Details that expand below a row. */
  detail?: (row: T) => ReactNode;
  /** Details of a row in the question before deleting. */
  deleteDetails?: (row: T) => ReactNode;
  /** On phones: after the name, and as the second line. */
  badge?: (row: T) => ReactNode;
  second?: (row: T) => ReactNode;
  /** Beside the create button. */
  actions?: ReactNode;
  words?: Partial<Words<A>>;
};

/** State shared by the parts of a list. */
type Crud<T extends Row, F extends FieldTable, A> = {
  props: CrudProps<T, F, A>;
  nouns: string;
  words: Words<A>;
  list: ReturnType<typeof useListState>;
  query: UseQueryResult<Page<T>>;
  /** Shows the list as it is now. */
  changed: () => Promise<void>;
  name: (row: T) => string;
  isFixed: (row: T) => boolean;
  open: (row: T) => void;
  canOpen: boolean;
};

/** The rows of the URL, and their actions. */
function useCrud<T extends Row, F extends FieldTable, A>(props: CrudProps<T, F, A>): Crud<T, F, A> {
  const { noun, nouns = `${noun}s`, href } = props;
  const go = useGo();
  const client = useQueryClient();
  const list = useListState({ sort: props.sort, sizes: props.sizes, size: props.size });
  const { words: search, page, size, order } = list;
  const request: ListRequest = {
    search: search || undefined,
    page,
    cursor: list.search.cursor,
    size,
    offset: (page - 1) * size,
    sort: order,
    filter: list.filter,
    flag: (name) => (list.filter(name) === undefined ? undefined : list.filter(name) === 'true'),
  };
  const operation = props.list(request);
  const query = useQuery({ ...operation, placeholderData: keepPreviousData, meta: { page: true } });
  const paths = [(operation.queryKey as readonly unknown[])[1] as ApiPath, ...(props.refreshes ?? [])];
  useShortcuts(props.create ? [{ keys: 'n', label: `Create a ${noun}`, run: () => list.edit(NEW) }] : []);
  const isFixed = (row: T) => props.isFixed?.(row) ?? false;
  return {
    props,
    nouns,
    words: { ...wordsFor<A>(noun, nouns), ...props.words },
    list,
    query,
    changed: () => refresh(client, ...paths),
    name: props.name ?? ((row: T) => primaryOf(props.columns).text?.(row) ?? row.id),
    isFixed,
    open: (row: T) => {
      if (!isFixed(row)) return href ? go(href(row)) : list.edit(row.id);
    },
    canOpen: Boolean(href ?? props.save),
  };
}

const primaryOf = <T,>(columns: Column<T>[]) => columns.find((c) => c.primary) ?? columns[0]!;

type PartProps<T extends Row, F extends FieldTable, A> = { crud: Crud<T, F, A> };

const CreateButton = <T extends Row, F extends FieldTable, A>({ crud: { props, words, list } }: PartProps<T, F, A>) =>
  props.create && (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => list.edit(NEW)}>
      {words.create}
    </Button>
  );

/** Search and filters, in the caller's box; nothing without them. */
function controlsOf<T extends Row, F extends FieldTable, A>(crud: Crud<T, F, A>): ReactNode {
  const { search, filters = [] } = crud.props;
  return search || filters.length > 0 ? <Controls crud={crud} /> : null;
}

function Controls<T extends Row, F extends FieldTable, A>({ crud: { props, nouns, list } }: PartProps<T, F, A>) {
  const { isPhone } = useViewport();
  return (
    <>
      {props.search && (
        <SearchInput
          label={`Search ${nouns}`}
          placeholder={props.search}
          width={isPhone ? '100%' : 280}
          delay={props.searchDelay}
          value={list.words}
          onChange={list.setSearch}
        />
      )}
      {props.filters?.map((f) =>
        f.choices ? (
          <ChoiceFilter
            key={f.name}
            single
            label={f.label}
            choices={f.choices}
            value={[list.filter(f.name) ?? []].flat()}
            onChange={([value]) => list.setFilter(f.name, value)}
          />
        ) : (
          <Switch
            key={f.name}
            label={f.label}
            checked={list.filter(f.name) === 'true'}
            onChange={(e) => list.setFilter(f.name, e.currentTarget.checked ? 'true' : undefined)}
          />
        ),
      )}
    </>
  );
}

/** The list, and the dialogs in which its rows are created, edited and deleted. */
function Rows<T extends Row, F extends FieldTable, A>({ crud }: PartProps<T, F, A>) {
  const { props, nouns, words, list, query, name, canOpen } = crud;
  const { columns } = props;
  const { ask, askDelete, question } = useAsking(crud);
  const last = props.goesOnById && query.data?.items.length === list.size ? query.data.items.at(-1) : undefined;
  const rest = columns.filter((c) => c !== primaryOf(columns) && c.text);
  const textOf = (row: T) =>
    rest
      .map((c) => c.text!(row))
      .filter(Boolean)
      .join(' · ');
  const hasMenu = canOpen || props.remove || props.menu;
  return (
    <>
      <PagedList
        label={props.title}
        noun={nouns}
        failed={props.words?.notLoaded}
        // After a failure, show the error rather than outdated rows.
        query={{ ...query, data: query.error || !query.data ? undefined : { ...query.data, nextCursor: last?.id } }}
        list={list}
        columns={columns}
        name={name}
        empty={<Empty icon={props.icon} filters={props.filters ?? []} words={words} list={list} />}
        order={list.order}
        onSort={list.toggleSort}
        onOpen={canOpen ? crud.open : undefined}
        href={props.href}
        badge={props.badge}
        second={props.second ?? ((row) => <span className="cp-ell">{textOf(row)}</span>)}
        menu={hasMenu ? (row) => <RowMenu crud={crud} row={row} ask={ask} askDelete={askDelete} /> : undefined}
        detail={props.detail}
        isMuted={props.isMuted}
        links={props.links}
      />
      {question}
      <Dialogs crud={crud} />
    </>
  );
}

/** Asks, acts, and refetches the list. */
function useAsking<T extends Row, F extends FieldTable, A>({ props, words, name, changed }: Crud<T, F, A>) {
  const [askFirst, question] = useAsk();
  const ask = (act: Act) =>
    askFirst({
      ...act,
      run: async () => {
        await act.run();
        await changed();
      },
    });
  const askDelete = (row: T) =>
    ask({
      title: words.deleteTitle,
      subject: (props.subject ?? name)(row),
      details: props.deleteDetails?.(row),
      question: typeof words.deleteQuestion === 'string' ? words.deleteQuestion : words.deleteQuestion(name(row)),
      label: words.deleteLabel,
      danger: true,
      run: () => props.remove!(row),
      done: words.deleted,
      failed: words.notDeleted,
    });
  return { ask, askDelete, question };
}

type MenuProps<T extends Row, F extends FieldTable, A> = PartProps<T, F, A> & {
  row: T;
  ask: (act: Act) => void;
  askDelete: (row: T) => void;
};

function RowMenu<T extends Row, F extends FieldTable, A>({ crud, row, ask, askDelete }: MenuProps<T, F, A>) {
  const { props, words, name, isFixed, open, canOpen } = crud;
  return (
    <>
      <Menu.Label>{name(row)}</Menu.Label>
      {canOpen && !isFixed(row) && (
        <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => open(row)}>
          Edit
        </Menu.Item>
      )}
      {props.menu?.(row).map((action) => (
        <Menu.Item
          key={action.label}
          data-danger={action.danger || undefined}
          leftSection={<action.icon size={16} stroke={1.6} />}
          onClick={() => ('ask' in action ? ask(action.ask) : action.run())}
        >
          {action.label}
        </Menu.Item>
      ))}
      {props.remove && !isFixed(row) && (
        <>
          {(canOpen || props.menu) && <Menu.Divider />}
          <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => askDelete(row)}>
            {words.deleteItem}
          </Menu.Item>
        </>
      )}
    </>
  );
}

type EmptyProps = { icon: Icon; filters: Filter[]; words: Words<never>; list: ReturnType<typeof useListState> };

function Empty({ icon, filters, words, list }: EmptyProps) {
  const isFiltered = Boolean(list.words) || filters.some((f) => list.filter(f.name) !== undefined);
  // The create button is in the bar above.
  if (!isFiltered) return <EmptyState icon={icon} title={words.empty} text={words.emptyText} />;
  const showAll = () => list.set({ search: undefined, ...Object.fromEntries(filters.map((f) => [f.name, undefined])) });
  return (
    <EmptyState icon={icon} title={words.noMatch} text={words.noMatchText}>
      <Button variant="default" onClick={showAll}>
        Show all
      </Button>
    </EmptyState>
  );
}

function Dialogs<T extends Row, F extends FieldTable, A>({ crud: { props, words, list, query, changed } }: PartProps<T, F, A>) {
  const { noun, fields, limits, initial, read, create, save, href } = props;
  const go = useGo();
  const onClose = () => list.edit(undefined);
  return (
    <>
      {fields && create && list.edited === NEW && (
        <EditDialog
          {...{ noun, fields, limits, initial, onClose }}
          isSecret={props.isSecret}
          title={words.newTitle}
          done={words.created}
          failed={words.notSaved}
          invalid={words.invalid}
          label={words.createLabel}
          save={async (values) => {
            const { data } = await create(values);
            await changed();
            return data as A;
          }}
          onSaved={(answer) => href && go(href(answer as unknown as T))}
        />
      )}
      {fields && save && list.edited && list.edited !== NEW && (
        <EditById
          key={list.edited}
          id={list.edited}
          {...{ noun, fields, limits, read, onClose }}
          rows={query}
          title={words.editTitle}
          label={words.saveLabel}
          done={words.saved}
          failed={words.notSaved}
          unread={words.notRead}
          save={(...saved) => save(...saved).then(changed)}
        />
      )}
    </>
  );
}

/**
 * A screen of the console: a list with search, filters, sort and pages, whose rows are created, edited and deleted in
 * dialogs. j and k move, Enter opens, n creates. The URL holds all choices.
 */
export function CrudPage<T extends Row, F extends FieldTable, A>(props: CrudProps<T, F, A>) {
  const { isPhone } = useViewport();
  const crud = useCrud(props);
  const { data } = crud.query;
  const controls = controlsOf(crud);
  return (
    <>
      <PageHead
        title={props.title}
        beside={data && !isPhone && <span className="cp-muted cp-num">{formatCount(data.totalCount, data.totalIsCapped)}</span>}
        actions={
          <>
            {props.actions}
            <CreateButton crud={crud} />
          </>
        }
      />
      {controls && <div className={`cp-bar ${classes.bar}`}>{controls}</div>}
      <Rows crud={crud} />
    </>
  );
}

/** The same within another page: one bar with an optional heading, search, filters and the create button. */
export function CrudSection<T extends Row, F extends FieldTable, A>({ heading, ...props }: CrudProps<T, F, A> & { heading?: ReactNode }) {
  const crud = useCrud(props);
  return (
    <>
      <div className={`cp-bar ${classes.bar} ${classes.section}`}>
        {heading}
        {controlsOf(crud)}
        <div className="cp-grow" />
        {props.actions}
        <CreateButton crud={crud} />
      </div>
      <Rows crud={crud} />
    </>
  );
}
