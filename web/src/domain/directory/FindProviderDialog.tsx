import './directory.css';
import { Button, Tabs, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch, IconUserSearch } from '@tabler/icons-react';
import { type FormEvent, useRef, useState } from 'react';
import { useBrandSetting } from '@/app/session';
import { wordsOf } from '@/shared/errors';
import { formatCount } from '@/shared/format';
import { Form } from '@/shared/form/Form';
import { ListSelect, ZipInput } from '@/shared/form/inputs';
import { usStates } from '@/shared/rules/states';
import { EmptyState, Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { InviteDialog } from './InviteDialog';
import { ResultTable } from './ResultTable';
import { type Criteria, type ListName, NO_CRITERIA, useDirectorySearch } from './useDirectorySearch';

/** More are `99+`. */
const COUNT_CAP = 99;

type Props = {
  onClose: () => void;
  /** Turns on select mode; gets the chosen Direct addresses. */
  onSelect?: (addresses: string[]) => void;
};

/** Searches the directory for people and organizations; in select mode their Direct addresses are chosen. */
export function FindProviderDialog({ onClose, onSelect }: Props) {
  const [criteria, setCriteria] = useState(NO_CRITERIA);
  const [tab, setTab] = useState<ListName>('providers');
  const [chosen, setChosen] = useState<string[]>([]);
  const [inviting, invite] = useDisclosure();
  const hidesInvitations = useBrandSetting('hideProviderInvitations');
  const first = useRef<HTMLInputElement>(null);
  const { results, search, readOn, isReadingOn, isStuck } = useDirectorySearch();
  const set = (field: keyof Criteria) => (value: string | null) => setCriteria((c) => ({ ...c, [field]: value ?? '' }));
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (search.isPending) return;
    if (Object.values(criteria).every((value) => value.trim() === '')) return first.current?.focus();
    search.mutate(criteria, {
      onSuccess: (found) => setTab(found.providers.length || !found.organizations.length ? 'providers' : 'organizations'),
    });
  };
  const choose = (address: string, isChosen: boolean) =>
    setChosen((all) => (isChosen ? [...all.filter((a) => a !== address), address] : all.filter((a) => a !== address)));
  const text = (field: keyof Criteria, label: string) => (
    <TextInput
      size="md"
      label={label}
      maxLength={255}
      autoComplete="off"
      value={criteria[field]}
      onChange={(e) => set(field)(e.currentTarget.value)}
    />
  );
  const panel = (list: ListName) => {
    const shown = results?.[list];
    if (!shown) return null;
    return shown.entries.length === 0 ? (
      <EmptyState icon={IconUserSearch} title="No providers found" text="Try fewer fields, or the beginning of a name." />
    ) : (
      <ResultTable
        // A new search starts at the top.
        key={search.submittedAt}
        list={list}
        entries={shown.entries}
        total={shown.total}
        onEnd={() => readOn(list)}
        isLoading={isReadingOn(list)}
        isStuck={isStuck(list)}
        chosen={onSelect ? chosen : undefined}
        onChoose={choose}
      />
    );
  };
  const title = (list: ListName, label: string) => `${label} (${formatCount(results?.[list].total ?? 0, false, COUNT_CAP)})`;
  return (
    <>
      <Dialog
        opened
        onClose={onClose}
        title="Find Provider"
        footer={
          <>
            {onSelect && (
              <span className="cp-second" aria-live="polite">
                {chosen.length} selected
              </span>
            )}
            <div className="cp-grow" />
            <Button size="md" variant="default" onClick={onClose}>
              {onSelect ? 'Cancel' : 'Close'}
            </Button>
            {onSelect && (
              <Button
                size="md"
                disabled={chosen.length === 0}
                onClick={() => {
                  onSelect(chosen);
                  onClose();
                }}
              >
                Select
              </Button>
            )}
          </>
        }
      >
        <Form onSubmit={submit} className="dir-form">
          <TextInput
            ref={first}
            size="md"
            data-autofocus
            label="Provider first name"
            maxLength={255}
            autoComplete="off"
            value={criteria.firstName}
            onChange={(e) => set('firstName')(e.currentTarget.value)}
          />
          {text('lastName', 'Provider last name')}
          {text('organizationName', 'Organization name')}
          {text('city', 'City')}
          <ListSelect size="md" label="State" data={usStates} value={criteria.state || null} onChange={set('state')} />
          <div className="dir-last">
            <ZipInput size="md" label="Zip" value={criteria.zip} onChange={set('zip')} />
            <Button size="md" type="submit" loading={search.isPending} leftSection={<IconSearch size={16} stroke={1.8} />}>
              Search
            </Button>
          </div>
        </Form>
        {search.error && <Notice kind="error">{wordsOf(search.error)}</Notice>}
        {results && (
          <Tabs value={tab} onChange={(value) => setTab(value as ListName)} keepMounted={false}>
            <Tabs.List>
              <Tabs.Tab value="providers">{title('providers', 'Providers')}</Tabs.Tab>
              <Tabs.Tab value="organizations">{title('organizations', 'Organizations')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="providers">{panel('providers')}</Tabs.Panel>
            <Tabs.Panel value="organizations">{panel('organizations')}</Tabs.Panel>
          </Tabs>
        )}
        {!hidesInvitations && (
          <UnstyledButton className="cp-link dir-invite" onClick={invite.open}>
            Don't see the provider you're looking for? Invite them to use the product or share their existing Direct address with you.
          </UnstyledButton>
        )}
      </Dialog>
      {inviting && <InviteDialog onClose={invite.close} />}
    </>
  );
}
