import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import { fetchReport } from '@/shared/reportFile';
import { type DateRange, endOfDay, startOfDay } from '@/shared/rules/dates';
import { EVENT_TYPES, REPORT_SIZE } from '@/shared/rules/events';
import { madeName, saveFile } from '@/shared/saveFile';

/** Downloads a report; returns whether it worked. */
async function save(path: string, name: string, init?: RequestInit): Promise<boolean> {
  const file = await fetchReport(`/api/admin/reports/${path}`, init);
  if (file) saveFile(file, madeName(name, 'csv'));
  return file !== null;
}

export const saveDirectAddresses = () => save('directaddresses', 'direct-addresses');
export const saveOrganizations = () => save('organizations', 'organizations');
export const saveUsers = () => save('users', 'users');

export function saveMessages(days: DateRange, pageNumber: number) {
  const query = new URLSearchParams({
    start: startOfDay(days.start),
    end: endOfDay(days.end),
    pageSize: String(REPORT_SIZE),
    pageNumber: String(pageNumber),
    eventTypes: EVENT_TYPES.join(','),
  });
  return save(`events?${query}`, 'messages');
}

export const saveContactsStatistics = () => save('contacts-usage-statistics', 'contacts-statistics');

export function saveDevices(days: DateRange) {
  const query = new URLSearchParams({ startDate: startOfDay(days.start), endDate: endOfDay(days.end) });
  return save(`devices?${query}`, 'devices');
}

/** Saves a report about chosen organizations. */
const saveAbout = (path: string, name: string) => (organizationIds: string[]) =>
  save(path, name, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(organizationIds) });

export const saveUnassignedAddresses = saveAbout('addresses/unassigned', 'unassigned-addresses');
export const saveIntakeRules = saveAbout('intakerules', 'intake-rules');
export const saveDownloadProfiles = saveAbout('downloadprofiles', 'download-profiles');

/** The first organizations whose names begin with the search words. */
export const organizationChoicesQuery = (search: string) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/admin/reports/organizationchoices', { params: { query: { search } }, ...quiet })),
    placeholderData: keepPreviousData,
  });
