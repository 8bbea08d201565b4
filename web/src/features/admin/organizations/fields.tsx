import { Select, TextInput, UnstyledButton } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Organization, Reseller } from '@/api/types';
import { formatCount, formatDateTime } from '@/shared/format';
import { ListMultiSelect, ListSelect, NpiInput, PhoneInput, UniqueInput } from '@/shared/form/inputs';
import { notify } from '@/shared/notify';
import { usStates } from '@/shared/rules/states';
import { ChoicesFailed, Notice } from '@/shared/ui/blocks';
import { HELP } from '@/shared/help';
import { WithHelp } from '@/shared/ui/HelpTip';
import {
  brandsQuery,
  featureNamesQuery,
  hispProvidersQuery,
  isSubdomainRefused,
  networksQuery,
  plansQuery,
  purposesOfUseQuery,
  resellersQuery,
  specialtiesQuery,
  subscriptionQuery,
  typesQuery,
} from './api';
import { NpiDialog } from './NpiDialog';
import {
  canChangeReseller,
  FREE,
  LABELS,
  npiOf,
  offeredPlans,
  organizationChecks,
  type OrganizationField,
  type OrganizationText,
  type OrganizationValues,
  purposeChoices,
  resellerChange,
  SUBDOMAIN_ERROR,
} from './rules';

export type OrganizationForm = UseFormReturnType<OrganizationValues>;

function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className="adm-section">
      <div>
        <h2>{title}</h2>
        <p className="cp-muted">{text}</p>
      </div>
      <div className="adm-grid">{children}</div>
    </section>
  );
}

const REQUIRED: OrganizationField[] = [
  'name',
  'subDomain',
  'brandId',
  'organizationTypeId',
  'organizationSpecialtyId',
  'planId',
  'activationStatus',
  'street',
  'city',
  'state',
  'zip',
  'hispProviderId',
  'primaryContactFirstName',
  'primaryContactLastName',
  'primaryContactEmail',
];

function useFields(form: OrganizationForm) {
  const common = (field: OrganizationField) => ({
    size: 'md' as const,
    label: LABELS[field],
    required: REQUIRED.includes(field),
    autoComplete: 'off',
    ...form.getInputProps(field),
  });
  const text = (field: OrganizationText, maxLength = 255) => <TextInput {...common(field)} maxLength={maxLength} />;
  const choice = (
    field: OrganizationText,
    data: { value: string; label: string }[],
    more: { disabled?: boolean; description?: string } = {},
  ) => (
    <ListSelect
      {...common(field)}
      {...more}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      clearable={!REQUIRED.includes(field)}
      data={data}
      value={form.values[field] || null}
      onChange={(v) => form.setFieldValue(field, v ?? '')}
    />
  );
  const npi = (field: OrganizationText) => <NpiInput {...common(field)} onChange={(v) => form.setFieldValue(field, v)} />;
  const phone = (field: OrganizationText) => <PhoneInput {...common(field)} onChange={(v) => form.setFieldValue(field, v)} />;
  return { common, text, choice, npi, phone };
}

type Named = { id: string; name: string; isRetired?: boolean };
/** Retired choices are offered only if already chosen. */
const named = (items: Named[] | undefined, chosen = '') =>
  (items ?? []).filter((i) => !i.isRetired || i.id === chosen).map((i) => ({ value: i.id, label: i.name }));

function Contract({ form, saved }: { form: OrganizationForm; saved: Organization | null }) {
  const { common, text, choice } = useFields(form);
  const resellers = useQuery(resellersQuery);
  const plans = useQuery(plansQuery(form.values.resellerId, saved?.id));
  const networks = useQuery(networksQuery);
  const providers = useQuery(hispProvidersQuery);
  const users = saved?.numberOfUsers ?? 0;
  const find = (id: string | null | undefined): Reseller | undefined => resellers.data?.find((r) => r.id === id);
  const savedReseller = find(saved?.resellerId);
  const mayChange = canChangeReseller(saved ? (saved.planId ?? FREE) : null, savedReseller);
  const change = saved ? resellerChange(savedReseller, find(form.values.resellerId), users) : null;

  const chooseReseller = (id: string) => {
    const next = saved ? resellerChange(savedReseller, find(id), users) : null;
    if (next?.kind === 'refused') return notify('error', next.text);
    form.setFieldValue('resellerId', id);
    if (next?.kind === 'changed' && next.resetsPlan) form.setFieldValue('planId', FREE);
  };
  return (
    <Section title="Contract" text="Billing and plan of the organization.">
      <ChoicesFailed of={[resellers, plans, networks, providers]} />
      {choice(
        'planId',
        offeredPlans(plans.data ?? [], users, form.values.planId).map((p) => ({
          value: p.id ?? FREE,
          label: p.allowedUsersDescription ? `${p.name} (${p.allowedUsersDescription})` : p.name,
        })),
        { disabled: change?.kind === 'changed' && change.resetsPlan },
      )}
      <WithHelp text={HELP.reseller}>
        <ListSelect
          {...common('resellerId')}
          disabled={!mayChange}
          description={mayChange ? undefined : 'Fixed while the organization pays for a plan'}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="None"
          data={named(resellers.data)}
          value={form.values.resellerId || null}
          onChange={(v) => chooseReseller(v ?? '')}
        />
      </WithHelp>
      {choice('networkDbId', named(networks.data))}
      {change?.kind === 'changed' && (
        <div className="adm-whole">
          {change.texts.map((t) => (
            <Notice key={t} kind="warning">
              {t}
            </Notice>
          ))}
        </div>
      )}
      {saved && <Cancellation id={saved.id} />}
      <TextInput size="md" label="Number of users" readOnly value={formatCount(users)} />
      {choice('hispProviderId', named(providers.data, saved?.hispProviderId ?? ''))}
      {text('organizationEmr')}
      {text('preferredGroupName')}
    </Section>
  );
}

/** The end and the reason of a cancelled subscription. */
function Cancellation({ id }: { id: string }) {
  const { data } = useQuery(subscriptionQuery(id));
  if (!data || data.status === 'Active') return null;
  const ends = data.endDate ? ` It ${data.status === 'Cancelled' ? 'ended' : 'ends'} on ${formatDateTime(data.endDate)}.` : '';
  return (
    <div className="adm-whole">
      <Notice kind="warning">
        <b className="cp-strong">The subscription was cancelled.</b>
        {ends} {data.cancelReason ? `Reason: ${data.cancelReason}` : 'No reason was given.'}
      </Notice>
    </div>
  );
}

/** Features beyond the plan, and the allowed purposes of use for requesting documents. */
function Permissions({ form }: { form: OrganizationForm }) {
  const { common } = useFields(form);
  const known = useQuery(featureNamesQuery);
  const purposes = useQuery(purposesOfUseQuery);
  return (
    <Section title="Features" text="Functions that are switched on for this organization.">
      <ChoicesFailed of={[known, purposes]} />
      <div className="adm-whole">
        <ListMultiSelect
          {...common('enabledFeatures')}
          data={[...new Set([...(known.data ?? []), ...form.values.enabledFeatures])]}
          value={form.values.enabledFeatures}
          onChange={(v) => form.setFieldValue('enabledFeatures', v)}
        />
      </div>
      <div className="adm-whole">
        <ListMultiSelect
          {...common('allowedPurposeOfUseCodes')}
          data={purposeChoices(purposes.data ?? [], form.values.allowedPurposeOfUseCodes)}
          value={form.values.allowedPurposeOfUseCodes}
          onChange={(v) => form.setFieldValue('allowedPurposeOfUseCodes', v)}
        />
      </div>
    </Section>
  );
}

/** The creation and the last change. */
function Origin({ saved }: { saved: Organization }) {
  const facts: [string, string | undefined][] = [
    ['Created by', saved.createdBy],
    ['Create date', formatDateTime(saved.createDate)],
    ['Modified by', saved.modifiedBy],
    ['Modified date', formatDateTime(saved.modifiedDate)],
  ];
  return (
    <Section title="Record" text="The creation and the last change of this organization.">
      <dl className="cp-kv cp-num adm-whole adm-origin">
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name} className="adm-fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Section>
  );
}

/** The details of the organization. */
export function DetailsFields({ form, saved }: { form: OrganizationForm; saved: Organization | null }) {
  const { common, text, choice, npi, phone } = useFields(form);
  const types = useQuery(typesQuery);
  const specialties = useQuery(specialtiesQuery);
  const brands = useQuery(brandsQuery);
  const [searching, search] = useState(false);
  return (
    <>
      <Section title="Organization" text="Details shown in the directory and to partners.">
        <ChoicesFailed of={[types, specialties, brands]} />
        <div className="adm-two">{text('name', 50)}</div>
        <UniqueInput
          {...common('subDomain')}
          maxLength={63}
          queryKey={`subdomain.${saved?.id ?? ''}`}
          isTaken={(value) => isSubdomainRefused(value, saved?.id)}
          check={(value) => (value === saved?.subDomain ? null : (organizationChecks.subDomain?.(value) ?? null))}
          takenText={SUBDOMAIN_ERROR}
          value={form.values.subDomain}
          onChange={(v) => form.setFieldValue('subDomain', v)}
        />
        {choice('organizationTypeId', named(types.data, saved?.organizationTypeId ?? ''))}
        {choice('organizationSpecialtyId', named(specialties.data, saved?.organizationSpecialtyId ?? ''))}
        {choice('brandId', named(brands.data))}
        <div className="adm-npifield">
          <UnstyledButton className="cp-link cp-row" onClick={() => search(true)}>
            <IconSearch size={14} stroke={2} aria-hidden />
            NPI Search
          </UnstyledButton>
          {npi('organizationNpi')}
        </div>
        {phone('primaryPhone')}
        {phone('primaryFax')}
        <Select
          {...common('activationStatus')}
          allowDeselect={false}
          data={[
            { value: 'Activated', label: 'Activated' },
            { value: 'NotActivated', label: 'Not Activated' },
          ]}
        />
      </Section>
      <Section title="Address" text="The street address that is published. P.O. boxes are refused.">
        <div className="adm-two">{text('street')}</div>
        {text('unit')}
        {text('city')}
        {choice('state', usStates)}
        {text('zip', 10)}
      </Section>
      <Contract form={form} saved={saved} />
      <Permissions form={form} />
      {saved && <Origin saved={saved} />}
      {searching && (
        <NpiDialog
          start={npiOf(form.values.organizationNpi)}
          onClose={() => search(false)}
          onChoose={(npi) => {
            form.setFieldValue('organizationNpi', npi);
            form.clearFieldError('organizationNpi');
          }}
        />
      )}
    </>
  );
}

/** The primary contact. */
export function ContactFields({ form }: { form: OrganizationForm }) {
  const { text, npi, phone } = useFields(form);
  return (
    <Section title="Primary contact" text="The person who represents the organization and is notified when it is activated.">
      {text('primaryContactFirstName')}
      {text('primaryContactLastName')}
      {text('primaryContactTitle')}
      <div className="adm-two">{text('primaryContactEmail')}</div>
      {phone('phone')}
      {npi('primaryContactNpi')}
    </Section>
  );
}
