import type { AuditRecord, AuditVerification } from '@/api/types';
import { formatCount } from '@/shared/format';
import { paths, pathTo } from '@/shared/paths';
import { addDays, type DateRange, isIsoDate, isoDate } from '@/shared/rules/dates';

/** Without a choice the list spans the last seven days. */
export const weekUntil = (today: Date): DateRange => ({ start: isoDate(addDays(today, -6)), end: isoDate(today) });

/** The range of the address; invalid days become those of the last week. */
export const rangeOf = (start: string | undefined, end: string | undefined, today: Date): DateRange => {
  const week = weekUntil(today);
  return { start: start && isIsoDate(start) ? start : week.start, end: end && isIsoDate(end) ? end : week.end };
};

/** `11012026` of `2026-11-01`. */
const compact = (day: string) => `${day.slice(5, 7)}${day.slice(8, 10)}${day.slice(0, 4)}`;
export const csvName = ({ start, end }: DateRange) => `AuditEntries_${compact(start)}-${compact(end)}.csv`;

export type Progress = {
  checked: number;
  total: number;
  findings: AuditVerification['findings'];
  heads: AuditVerification['heads'];
  isOver: boolean;
};

export const NOTHING: Progress = { checked: 0, total: 0, findings: [], heads: null, isOver: false };

/** The result so far, after one more part of the trail was checked. */
export const after = (before: Progress, part: AuditVerification): Progress => ({
  checked: before.checked + part.checked,
  total: Math.max(part.total, before.checked + part.checked),
  findings: [...before.findings, ...part.findings],
  heads: part.heads,
  isOver: !part.next,
});

const PROBLEMS = { Changed: 'was changed', Removed: 'was removed', Reordered: 'is out of order' } as const;
export const findingText = ({ seq, problem, organizationName, organizationId }: AuditVerification['findings'][number]) =>
  `Entry ${formatCount(seq)} of ${organizationName ?? organizationId ?? 'the platform'} ${PROBLEMS[problem]}.`;

const edited = (route: EditRoute) => (edit: string) => pathTo(route, {}, { edit });
type EditRoute =
  | '/admin/brands'
  | '/admin/documenttypes'
  | '/admin/emergencies'
  | '/admin/featureToggle'
  | '/admin/inboundconnections'
  | '/admin/messageroutingrules'
  | '/admin/plans'
  | '/admin/releasetypes'
  | '/admin/resellers'
  | '/admin/reservedwords'
  | '/admin/users';

/** Screens by the names of the trail. */
const SCREENS: Record<string, (id: string) => string> = {
  organization: (id) => paths.adminOrganization(id),
  network: (id) => paths.network(id),
  trustbundle: () => paths.adminTrust(),
  user: edited('/admin/users'),
  brand: edited('/admin/brands'),
  emergency: edited('/admin/emergencies'),
  feature: edited('/admin/featureToggle'),
  inboundconnection: edited('/admin/inboundconnections'),
  plan: edited('/admin/plans'),
  reseller: edited('/admin/resellers'),
  reservedword: edited('/admin/reservedwords'),
  routingrule: edited('/admin/messageroutingrules'),
};
/** Objects of organizations, whose screens operators do not have. */
const OF_ALL: Record<string, (id: string) => string> = {
  documenttype: edited('/admin/documenttypes'),
  releasetype: edited('/admin/releasetypes'),
};

/** The screen of an entry's object, if operators have one. An object without a name is deleted. */
export function screenOf({ objectType, objectId, objectName, organizationId }: AuditRecord): string | undefined {
  if (!objectName) return undefined;
  return (SCREENS[objectType] ?? (organizationId ? undefined : OF_ALL[objectType]))?.(objectId);
}
