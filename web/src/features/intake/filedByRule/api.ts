import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { itemsOf, queryOf, reshaped } from '@/api/query';

type Request = { start: string; end: string; ruleId?: string };
type PageRequest = Request & { pageStart: number; pageSize: number };

export const filedQuery = (request: PageRequest) =>
  queryOptions({
    ...queryOf('get', '/api/filedbyrule', { params: { query: request }, ...quiet }),
    placeholderData: keepPreviousData,
  });

/** The messages that rules left to people, with an id for the list. */
export const leftQuery = (request: PageRequest) =>
  queryOptions({
    ...reshaped(queryOf('get', '/api/filedbyrule/left', { params: { query: request }, ...quiet }), ({ items, ...page }) => ({
      ...page,
      items: items.map((item) => ({ ...item, id: item.messageId })),
    })),
    placeholderData: keepPreviousData,
  });

/** What each rule did. */
export const countsQuery = (request: Request) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/filedbyrule/counts', { params: { query: request }, ...quiet })),
    placeholderData: keepPreviousData,
  });
