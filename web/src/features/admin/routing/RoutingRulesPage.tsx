import { IconBuildingHospital, IconPlugConnected, IconRoute, IconSend2 } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '@/api/client';
import { RoutingRuleForm } from '@/api/limits.gen';
import { type QueryOf, queryOf, reshaped } from '@/api/query';
import type { RoutingConvertFormat, RoutingLocationCode, RoutingRule, RoutingSecurityType, RoutingStepType } from '@/api/types';
import { CrudPage, type ListRequest, type Page } from '@/shared/crud/CrudPage';
import { choiceField, textField } from '@/shared/form/fields';
import { plural } from '@/shared/format';
import { checkCharacters } from '@/shared/rules/fields';
import { PAGE_SIZES } from '@/shared/table/listSearch';
import { at } from '../lists/fields';
import { EndpointsDialog } from './EndpointsDialog';
import { FORMATS, labelOf, LOCATIONS, SECURITY_TYPES, sendersOf, shortened, STEP_TYPES, whereIs } from './rules';
import { SendersDialog } from './SendersDialog';
import { TestDialog } from './TestDialog';

const SEARCH_DELAY_MS = 300;
const RULES = '/api/admin/routingrules';

const fields = {
  address: textField('Address', { description: 'The Direct address whose messages are routed.' }),
  stepType: choiceField<RoutingStepType>('Step type', STEP_TYPES, { required: true }),
  securityType: choiceField<RoutingSecurityType>('Security model', SECURITY_TYPES, { required: true }),
  customCertificateName: textField('Custom certificate name', {
    description: 'What endpoints must present. Leave empty for Default.',
    placeholder: 'Default',
    check: checkCharacters,
    when: (values) => values.securityType === 'Certificate',
  }),
  convertToFormat: choiceField<RoutingConvertFormat>('Convert to format', FORMATS, { half: true }),
  locationCode: choiceField<RoutingLocationCode>('Location code', LOCATIONS, {
    half: true,
    description: 'HL7 and JSON web services only.',
  }),
  facilityOid: textField('Facility OID', { description: 'The receiving facility. An endpoint can have its own.' }),
  keyHieAddress: textField('KeyHIE address', { description: 'The recipient within KeyHIE. Leave empty to use the address above.' }),
};

type Opened = { rule: RoutingRule; what: 'endpoints' | 'senders' | 'test' };

/** The recipients reached by an interface instead of Direct, and their senders. */
export function RoutingRulesPage() {
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  const open = (rule: RoutingRule, what: Opened['what']) => ({ run: () => setOpened({ rule, what }) });
  return (
    <>
      <CrudPage
        title="Message Routing Rules"
        noun="routing rule"
        icon={IconRoute}
        list={({ search, page, size, sort }: ListRequest): QueryOf<Page<RoutingRule>> =>
          reshaped(
            queryOf('get', RULES, { params: { query: { search, sortDir: sort.dir, pageNumber: page, pageSize: size } } }),
            ({ routingRules, totalRulesCount }) => ({ items: routingRules, totalCount: totalRulesCount, totalIsCapped: false }),
          )
        }
        columns={[
          { key: 'address', title: 'Address', primary: true, sortable: true, text: (r) => r.address },
          { key: 'stepType', title: 'Step type', width: 175, text: (r) => labelOf(STEP_TYPES, r.stepType) },
          { key: 'convertToFormat', title: 'Convert to format', width: 140, drop: 2, text: (r) => labelOf(FORMATS, r.convertToFormat) },
          { key: 'locationCode', title: 'Location code', width: 115, drop: 2, text: (r) => labelOf(LOCATIONS, r.locationCode) },
          { key: 'facilityOid', title: 'Facility OID', width: 130, drop: 1, text: (r) => r.facilityOid },
          {
            key: 'keyHieAddress',
            title: 'KeyHIE address',
            width: 160,
            drop: 1,
            render: (r) => <span title={r.keyHieAddress || undefined}>{shortened(r.keyHieAddress) || '–'}</span>,
          },
          { key: 'endpoints', title: 'Endpoints', width: 95, numeric: true, text: (r) => String(r.endpoints.length) },
          { key: 'orgs', title: 'Orgs', width: 70, numeric: true, text: sendersOf },
        ]}
        sort={{ by: 'address', dir: 'asc' }}
        sizes={PAGE_SIZES}
        search="Search by address"
        searchDelay={SEARCH_DELAY_MS}
        fields={fields}
        limits={RoutingRuleForm}
        read={(id) => queryOf('get', '/api/admin/routingrules/{id}', at(id))}
        create={(values) => api.POST(RULES, { body: bodyOf(values) })}
        save={(id, values, version) => api.PUT('/api/admin/routingrules/{id}', { ...at(id), body: { ...bodyOf(values), version } })}
        remove={({ id }) => api.DELETE('/api/admin/routingrules/{id}', at(id))}
        menu={(rule) => [
          { label: 'Manage endpoints', icon: IconPlugConnected, ...open(rule, 'endpoints') },
          { label: 'Manage sending organizations', icon: IconBuildingHospital, ...open(rule, 'senders') },
          { label: 'Test', icon: IconSend2, ...open(rule, 'test') },
        ]}
        second={(r) => (
          <span className="cp-ell">
            {labelOf(STEP_TYPES, r.stepType)} · {plural(r.endpoints.length, 'endpoint')} · {plural(r.senders.length, 'organization')}
          </span>
        )}
        deleteDetails={(rule) => <Endpoints rule={rule} />}
        words={{
          created: 'The Routing Rule was saved successfully.',
          saved: 'The Routing Rule was saved successfully.',
          notSaved: 'There was an error saving this Routing Rule.',
          deleted: 'The Message Routing Rule was deleted successfully.',
          notDeleted: 'There was an error deleting this message routing rule.',
          deleteQuestion: 'Its messages will go by Direct. Are you sure?',
          emptyText: 'All outgoing messages go by Direct until you add a rule.',
        }}
      />
      {opened?.what === 'endpoints' && <EndpointsDialog id={opened.rule.id} address={opened.rule.address} onClose={close} />}
      {opened?.what === 'senders' && <SendersDialog id={opened.rule.id} address={opened.rule.address} onClose={close} />}
      {opened?.what === 'test' && <TestDialog id={opened.rule.id} address={opened.rule.address} onClose={close} />}
    </>
  );
}

type Values = {
  address: string;
  stepType: RoutingStepType | null;
  securityType: RoutingSecurityType | null;
  customCertificateName: string;
  convertToFormat: RoutingConvertFormat | null;
  locationCode: RoutingLocationCode | null;
  facilityOid: string;
  keyHieAddress: string;
};

const bodyOf = ({ stepType, securityType, customCertificateName, ...values }: Values) => ({
  ...values,
  stepType: stepType!,
  securityType: securityType!,
  customCertificateName: securityType === 'Certificate' ? customCertificateName : '',
});

/** The endpoints deleted with a rule. */
function Endpoints({ rule: { endpoints } }: { rule: RoutingRule }) {
  if (endpoints.length === 0) return <p className="cp-second">It has no endpoints.</p>;
  return (
    <p className="cp-second">
      Its {plural(endpoints.length, 'endpoint')} will be deleted too: {endpoints.map(whereIs).join('; ')}.
    </p>
  );
}
