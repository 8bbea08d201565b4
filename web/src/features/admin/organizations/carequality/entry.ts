import type { DirectoryEntry, DirectoryEntryInput, Organization } from '@/api/types';
import { checkboxField, choiceField, tagsField, textField, type ValuesOf, valuesOf } from '@/shared/form/fields';

type Responder = DirectoryEntry['responderType'];

/** The role of an entry in the network. Forms do not offer Pass Through, which is set elsewhere, and kept if present. */
const RESPONDERS: { value: Responder; label: string; retired?: true }[] = [
  { value: 'DirectResponder', label: 'Direct Responder - Repository Owner' },
  { value: 'ChildLocation', label: 'Child Location - For Directory Purposes' },
  { value: 'GatewayResponder', label: 'Gateway Responder - No Repository' },
  { value: 'GatewayMember', label: 'Gateway Member - Data Repository' },
  { value: 'InitiatorOnly', label: 'Initiator Only' },
  { value: 'passthrough', label: 'Pass Through - For Directory Purposes', retired: true },
];

/** The filters of the list of entries, Pass Through included. */
export const RESPONDER_CHOICES = RESPONDERS.map(({ value, label }) => ({ value, label }));
export const responderOf = (type: Responder) => RESPONDERS.find(({ value }) => value === type)?.label ?? type;

export const entryFields = {
  responderType: choiceField('Responder Type', RESPONDERS),
  organizationId: textField('Organization ID'),
  homeCommunityId: textField('Home Community ID'),
  displayName: textField('Display Name'),
  legalName: textField('Legal Name'),
  otherNames: tagsField('Other Names'),
  parentOrgId: textField('Parent Organization ID'),
  purposeOfUseCodes: tagsField('Purpose of Use Codes', {
    description: 'The purposes allowed to the organization when the entry is added.',
    readOnly: true,
  }),
  address: textField('Street'),
  city: textField('City', { half: true }),
  state: textField('State', { half: true }),
  zipCode: textField('Zip', { half: true }),
  country: textField('Country', { half: true, initial: 'US' }),
  isActive: checkboxField('Active', { initial: true }),
};
type EntryValues = ValuesOf<typeof entryFields>;

/** Place of an entry in the network. */
export const entityTypeOf = (entry: Pick<DirectoryEntry, 'responderType' | 'parentOrgId'>) => {
  if (!entry.parentOrgId) return 'Participant';
  return entry.responderType === 'ChildLocation' ? 'Child' : 'Sub-Participant';
};

/** A new entry, prefilled from the organization and the home community ID under which it takes part in a network. */
export const valuesOfNew = (o: Organization, homeCommunityId = ''): Partial<EntryValues> => ({
  organizationId: homeCommunityId,
  displayName: o.name,
  purposeOfUseCodes: o.allowedPurposeOfUseCodes ?? [],
  address: o.street ?? '',
  city: o.city ?? '',
  state: o.state ?? '',
  zipCode: o.zip ?? '',
  country: 'US',
  isActive: true,
});

/** The purposes of use are the organization's, and are not changed here. */
export function inputOf(values: EntryValues, saved: Pick<DirectoryEntryInput, 'id' | 'version'> = {}): DirectoryEntryInput {
  const { purposeOfUseCodes: _codes, responderType, ...entry } = valuesOf(entryFields, values);
  return { ...entry, ...saved, responderType: responderType! };
}
