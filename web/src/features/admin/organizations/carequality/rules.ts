import type { DirectoryEntry, DirectoryEntryInput, Organization } from '@/api/types';
import { type Check, checkAll, DEFAULT_FIELD_ERROR, required } from '@/shared/rules/fields';

type Responder = DirectoryEntry['responderType'];

/** What an entry does in the network, in words. */
const RESPONDERS: Record<Responder, string> = {
  DirectResponder: 'Direct Responder - Repository Owner',
  ChildLocation: 'Child Location - For Directory Purposes',
  GatewayResponder: 'Gateway Responder - No Repository',
  GatewayMember: 'Gateway Member - Data Repository',
  InitiatorOnly: 'Initiator Only',
  passthrough: 'Pass Through - For Directory Purposes',
};

/** The choices of the form. Pass Through comes from elsewhere, and stays where it is. */
export const responderChoices = (saved: Responder | undefined) =>
  Object.entries(RESPONDERS)
    .filter(([value]) => value !== 'passthrough' || saved === 'passthrough')
    .map(([value, label]) => ({ value, label }));

/** Where an entry stands in the network. */
export type EntityType = 'Participant' | 'Sub-Participant' | 'Child';
export const entityTypeOf = (entry: Pick<DirectoryEntry, 'responderType' | 'parentOrgId'>): EntityType => {
  if (!entry.parentOrgId) return 'Participant';
  return entry.responderType === 'ChildLocation' ? 'Child' : 'Sub-Participant';
};

/** What the form holds: all but what follows from the rest. */
export type EntryValues = Omit<DirectoryEntry, 'id' | 'initiatorOnly' | 'isParent' | 'responderType' | 'version'> & {
  responderType: Responder | null;
  /** Of the entry that is changed. */
  version?: number;
};

const DEFAULT_COUNTRY = 'US';

/** A new entry begins with what is known of the organization. */
export const valuesOfNew = (o: Organization): EntryValues => ({
  responderType: null,
  organizationId: '',
  homeCommunityId: '',
  displayName: o.name,
  legalName: '',
  otherNames: [],
  parentOrgId: '',
  purposeOfUseCodes: o.allowedPurposeOfUseCodes ?? [],
  address: o.street ?? '',
  city: o.city ?? '',
  state: o.state ?? '',
  zipCode: o.zip ?? '',
  country: DEFAULT_COUNTRY,
  isActive: true,
});

export const valuesOfEntry = ({ id: _id, initiatorOnly: _only, isParent: _parent, ...values }: DirectoryEntry): EntryValues => values;

/** The purposes of use are the organization's, and are not changed here. */
export const inputOf = ({ purposeOfUseCodes: _codes, responderType, ...values }: EntryValues, id?: string): DirectoryEntryInput => ({
  ...values,
  responderType: responderType!,
  id,
});

const isOid = (value: string) => /^(urn:oid:)?[0-2](\.(0|[1-9]\d*))+$/.test(value.trim());
const checkOid: Check = (value) => (!value.trim() || isOid(value) ? null : DEFAULT_FIELD_ERROR);
const must = required();

export const entryChecks = {
  responderType: (value: Responder | null) => (value ? null : DEFAULT_FIELD_ERROR),
  organizationId: checkAll(must, checkOid),
  homeCommunityId: checkOid,
  displayName: must,
  parentOrgId: checkOid,
  address: must,
  city: must,
  state: must,
  zipCode: must,
  country: checkAll(must, (value) => (/^[A-Za-z]{2}$/.test(value.trim()) ? null : DEFAULT_FIELD_ERROR)),
};
